"""Which of several trained judges is the best, by validation parts alone.

`python -m normscope.judges.bundled.train.choose --source FOLDER MODEL [MODEL…]` prints for each the
AUC on every set's validation part and the rank correlation of its score with the intended grade on
the written topics and whole answers that were held out for validation. Neither a test part nor
`safety-gradient` is read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ....extras import require
from .evaluate import SETS, harm
from .graded import held_out, order, score
from .measure import auc
from .reading import load_judge, read
from .sample import AUXILIARY, CRITERIA, Sample
from .sources import read_sets


def validation_figures(model: Any, tokenizer: Any, samples: Sequence[Sample]) -> dict[str, float]:
    """AUC per set, rank correlation per kind of text and language, and the means of these."""
    validation = [s for s in samples if s.split == "val" and s.binary is not None]
    result: dict[str, float] = {}
    for name, (_, criterion) in SETS.items():
        of_set = [s for s in validation if s.source == name]
        criteria = (criterion,) if criterion in AUXILIARY else CRITERIA
        labels = np.asarray([int(s.binary or 0) for s in of_set])
        result[name] = auc(
            harm(read(model, tokenizer, of_set, criteria=criteria), criterion), labels
        )
    orders = {
        name: order(score(read(model, tokenizer, of_set, criteria=("moral", "rating"))), of_set)
        for name, of_set in held_out("val").items()
    }
    area, rank = float(np.mean(list(result.values()))), float(np.mean(list(orders.values())))
    return result | orders | {"AUC": area, "Spearman": rank, "mean": (area + rank) / 2}


@click.command()
@click.option("--source", type=click.Path(exists=True, path_type=Path), required=True)
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def main(source: Path, folders: tuple[Path, ...]) -> None:
    """Print the validation figures of each saved judge, and which has the best mean."""
    require("torch", extra="judge").set_num_threads(1)
    samples = read_sets(source / "human-labels")
    columns = [validation_figures(*load_judge(folder), samples) for folder in folders]
    for name in columns[0]:
        click.echo(f"{name:15}" + "".join(f"  {column[name]:.3f}" for column in columns))
    best = max(range(len(folders)), key=lambda at: columns[at]["mean"])
    click.echo(f"best mean: {folders[best]}")


if __name__ == "__main__":
    main()
