"""How the recipe does on a set that it has never seen: each set left out in turn.

`python -m normscope.judges.bundled.train.leave_out --source FOLDER` trains a judge for each, for a
shorter time than the real one, and measures it beside the classical baselines, which learn from
the same other sets and the same written texts.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ....extras import require
from ....files import read_json, write_json
from . import fit
from .__main__ import fit_teachers, train_judge
from .classical import Classifier, keyword_scores
from .evaluate import CLASSICAL, harm
from .measure import auc
from .reading import read
from .sample import Sample
from .sources import read_sets
from .synthetic import written_texts
from .teachers import GradedTeacher, Teachers

LEFT_OUT = ("gptfuzz", "do-not-answer", "latent", "cvalues", "jade")


def measure_left_out(
    samples: Sequence[Sample],
    name: str,
    recipe: fit.Recipe,
    taught_by: tuple[Teachers, GradedTeacher],
    *,
    out: Path,
) -> dict[str, Any]:
    """Areas on all rows of the set left out, by part, of the judge and of each baseline.

    Each teacher was fitted on one set only, so those of the other sets know nothing of this one.
    """
    torch = require("torch", extra="judge")
    kept = [s for s in samples if not s.source.startswith(name)]
    aside = [s for s in samples if s.source.startswith(name)]
    model, tokenizer, log = train_judge(kept, recipe, out=out, taught_by=taught_by)
    learned = [s for s in kept if s.split == "train" and "moral" in s.targets]
    learned += [s for s in written_texts("train", seed=0) if s.binary is not None]
    labels = [int(s.binary or 0) for s in learned]
    classical = {
        kind: Classifier(question=question).fit(learned, labels)
        for kind, question in zip(CLASSICAL, (False, True), strict=True)
    }
    result: dict[str, Any] = {}
    with torch.inference_mode():
        for source in sorted({s.source for s in aside}):
            rows = [s for s in aside if s.source == source]
            truth = np.asarray([int(s.binary or 0) for s in rows])
            probs = read(model, tokenizer, rows, criteria=("moral", "rating"))
            result[source] = {
                "n": len(rows),
                "tokens": log[-1]["tokens"] if log else 0,
                "judge": auc(harm(probs, "moral"), truth),
                "keywords": auc(keyword_scores(rows), truth),
                **{
                    kind: auc(classifier.score(rows), truth)
                    for kind, classifier in classical.items()
                },
            }
    return result


@click.command()
@click.option("--source", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The JSON report.")
@click.option("--minutes", default=5.0, show_default=True, help="For each set.")
@click.option("--only", multiple=True, help="These sets only; the report keeps the others.")
def main(source: Path, out: Path, minutes: float, only: tuple[str, ...]) -> None:
    """Train without each set in turn and measure on it."""
    samples = read_sets(source / "human-labels")
    report = read_json(out) if out.is_file() else {}
    recipe = fit.Recipe(minutes=minutes)
    taught_by = fit_teachers(samples, seed=recipe.seed)
    for name in only or LEFT_OUT:
        folder = out.with_suffix("") / name
        report |= measure_left_out(samples, name, recipe, taught_by, out=folder)
        write_json(out, report)
        click.echo(f"{name}: done")


if __name__ == "__main__":
    main()
