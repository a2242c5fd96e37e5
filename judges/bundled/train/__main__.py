"""`python -m normscope.judges.bundled.train --source FOLDER`: from the sources to a saved judge."""

import copy
import csv
import platform
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from ....extras import require
from ....files import hash_file, read_json, write_json
from .. import RUBRIC, rubric_path
from . import fit
from .encoding import Encoded, Encoder
from .lessons import Size, make_round
from .reading import load_judge
from .sample import Lesson, Sample
from .sources import SETS, hash_inputs, read_sets, trained_on
from .synthetic import TEXTS, written_texts
from .teachers import GradedTeacher, Teachers
from .vocabulary import train_tokenizer

LOG, CURVE, FIRST = "training.json", "curve.csv", "curve_first.csv"


@click.command()
@click.option(
    "--source",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="The folder that holds `human-labels`.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bundled-judge"),
    show_default=True,
    help="Where the model, its tokenizer, the log and the curve go.",
)
@click.option("--minutes", default=42.0, show_default=True, help="How long it is trained.")
@click.option("--rate", default=fit.Recipe().rate, show_default=True, help="The highest.")
@click.option(
    "--start",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A judge of this recipe to go on from.",
)
@click.option("--seed", default=0, show_default=True)
@click.option("--limit", type=int, help="So many rows of each set only, for a trial.")
def main(
    *,
    source: Path,
    out: Path,
    minutes: float,
    rate: float,
    start: Path | None,
    seed: int,
    limit: int | None,
) -> None:
    """Train the bundled judge: data, tokenizer, teachers, lessons, training, temperature.

    Uses one thread. scikit-learn is needed for the teachers (pip install scikit-learn). What is
    trained within a given time depends on the machine; the log says how many tokens it was.
    """
    recipe = fit.Recipe(minutes=minutes, rate=rate, seed=seed)
    if limit is not None:
        recipe = replace(recipe, vocabulary=2000, width=64, layers=2, feedforward=128)
    samples = read_sets(source / "human-labels", limit=limit)
    model, tokenizer, log = train_judge(
        samples, recipe, out=out, small=limit is not None, start=start
    )
    validation = [s for s in samples if s.split == "val"]
    temperature = fit.find_temperature(model, tokenizer, validation)
    fit.apply_temperature(model, temperature)
    model.config.normscope_trained_on = trained_on()
    save(model, tokenizer, out)
    if start is not None and (start / CURVE).is_file():
        shutil.copyfile(start / CURVE, out / FIRST)
    write_json(
        out / LOG,
        {
            "recipe": asdict(recipe),
            "begun_from": read_json(start / LOG) if start else None,
            "inputs": hash_inputs(source / "human-labels"),
            "texts": {path.name: hash_file(path) for path in sorted(TEXTS.glob("*.txt"))},
            "sets": {
                name: sum(s.source.startswith(name.partition("-jail")[0]) for s in samples)
                for name in SETS
            },
            "temperature": round(temperature, 4),
            "tokens": log[-1]["tokens"] if log else 0,
            "steps": log[-1]["step"] if log else 0,
            "versions": {"python": platform.python_version()}
            | {
                name: require(name, extra="train").__version__
                for name in ("torch", "transformers", "tokenizers", "sklearn", "numpy")
            },
        },
    )
    click.echo(f"saved to {out}; temperature {temperature:.2f}")


def fit_teachers(
    samples: Sequence[Sample], *, seed: int, small: bool = False
) -> tuple[Teachers, GradedTeacher]:
    """The classical teachers of the sets and those of the written grades."""
    train = [s for s in samples if s.split == "train"]
    return Teachers(train), GradedTeacher(seed=seed + 7, rounds=1 if small else 5)


def train_judge(
    samples: Sequence[Sample],
    recipe: fit.Recipe,
    *,
    out: Path,
    small: bool = False,
    taught_by: tuple[Teachers, GradedTeacher] | None = None,
    start: Path | None = None,
) -> tuple[Any, Any, list[dict[str, float]]]:
    """The trained model, its tokenizer and the rows of its log; snapshots go to `out`."""
    torch = require("torch", extra="judge")
    torch.set_num_threads(1)
    train = [s for s in samples if s.split == "train"]
    written = written_texts("train", seed=recipe.seed)
    click.echo(f"{len(train)} training samples of the sets")
    teachers, graded = taught_by or fit_teachers(samples, seed=recipe.seed, small=small)
    if start:
        model, tokenizer = load_judge(start)
        # the temperature that was worked into its weights is taken out again
        fit.apply_temperature(model, 1 / read_json(start / LOG)["temperature"])
    else:
        texts = (f"{s.question}\n{s.answer}" for s in (*train, *written))
        tokenizer = train_tokenizer(texts, size=recipe.vocabulary)
        model = fit.new_model(recipe, tokenizer)
    click.echo(f"{sum(p.numel() for p in model.parameters())} parameters, {len(tokenizer)} tokens")
    rows: list[dict[str, float]] = []
    out.mkdir(parents=True, exist_ok=True)

    encoder = Encoder(tokenizer, recipe.seed)
    lessons: list[Lesson] = []

    def next_round(turn: int) -> list[Encoded]:
        if turn % recipe.passes == 0:
            seed = 1000 * recipe.seed + turn + 1
            size = Size(graded_rounds=1, mixed=100) if small else Size()
            lessons[:] = make_round(train, teachers, graded, seed=seed, size=size)
        return encoder.encode(lessons)

    def report(row: dict[str, float]) -> None:
        rows.append(row)
        click.echo(f"{row['used']:.0%} step {row['step']} loss {row['loss']:.4f}")
        with (out / CURVE).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    trained = fit.train(
        model,
        tokenizer,
        next_round,
        recipe,
        report=report,
        snapshot=lambda model: save(model, tokenizer, out),
    )
    return trained, tokenizer, rows


def save(model: Any, tokenizer: Any, out: Path) -> None:
    """The weights, the config and the tokenizer in transformers' own format, and the rubric.

    The weights are stored in bfloat16, which halves the file; the config says float32, in which
    they are loaded, because so small a model is read better in it and is fast enough.
    """
    torch = require("torch", extra="judge")
    saved = copy.deepcopy(model).to(torch.bfloat16)
    saved.save_pretrained(out)
    saved.config.dtype = "float32"
    saved.config.save_pretrained(out)
    tokenizer.save_pretrained(out)
    settings = out / "tokenizer_config.json"
    # its name in transformers 4, under which 5 finds it as well
    write_json(settings, read_json(settings) | {"tokenizer_class": "PreTrainedTokenizerFast"})
    shutil.copyfile(rubric_path(), out / RUBRIC)


if __name__ == "__main__":
    main()
