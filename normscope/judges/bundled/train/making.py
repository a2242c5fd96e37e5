"""The steps from the sources to a judge in a folder; each can run in a process of its own."""

import csv
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ....extras import require
from ....files import hash_file, write_json
from . import fit
from .card import write_card
from .evaluate import measure
from .learnt_texts import write_learnt_texts
from .leave_out import leave_out, report
from .overlap import measure_overlap
from .reading import load_judge
from .sample import Sample
from .sources import SETS, hash_inputs, read_sets, trained_on
from .training import save, train_judge
from .written import TEXTS, written_texts

LOG, CURVE = "training.json", "curve.csv"
ROUNDS = 3
"""How many answers of each grade a topic with pieces gives."""


def finish(source: Path, out: Path, *, limit: int | None = None) -> None:
    """The reports, and but for a trial the card."""
    write_json(out / "left_out.json", report(out / "left_out"))
    measured = measure(*load_judge(out), all_samples(source, limit), out)
    write_json(out / "evaluation.json", measured)
    if limit is None:
        write_json(out / "overlap.json", measure_overlap(source))
        write_learnt_texts(source, out)
        write_card(out)


def all_samples(source: Path, limit: int | None) -> list[Sample]:
    written = written_texts(seed=0, rounds=ROUNDS)
    sets = read_sets(source / "human-labels", limit=limit)
    return sets + (written[:: max(1, len(written) // (20 * limit))] if limit else written)


def leave_out_one(source: Path, fold: str, recipe: fit.Recipe, out: Path, limit: int | None) -> str:
    leave_out(all_samples(source, limit), fold, recipe, out=out / f"{fold}.json")
    return f"{fold}: measured"


def train_one(source: Path, recipe: fit.Recipe, out: Path, limit: int | None) -> str:
    samples = [s for s in all_samples(source, limit) if s.split == "train"]
    model, tokenizer, rows = train_judge(samples, recipe, tell=click.echo)
    model.config.normscope_trained_on = trained_on()
    save(model, tokenizer, out)
    _write_curve(rows, out / CURVE)
    write_json(
        out / LOG,
        {
            "recipe": asdict(recipe),
            "samples": {name: sum(s.fold == name for s in samples) for name in SETS},
            "written": sum(s.fold not in SETS for s in samples),
            "inputs": hash_inputs(source / "human-labels"),
            "texts": {path.name: hash_file(path) for path in sorted(TEXTS.glob("*.txt"))},
            "stages": {row["stage"]: row for row in rows},
            "versions": {"python": platform.python_version()}
            | {
                name: require(name, extra="train").__version__
                for name in ("torch", "transformers", "tokenizers", "sklearn", "numpy")
            },
        },
    )
    return f"trained on {rows[-1]['tokens']:,} tokens"


def _write_curve(rows: Sequence[dict[str, Any]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
