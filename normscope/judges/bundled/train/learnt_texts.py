"""Hashes of the texts that the judge learnt from, for its folder; no text is in them.

`python -m normscope.judges.bundled.train.learnt_texts --source FOLDER` writes them.
"""

from pathlib import Path

import click

from ...trust.training_data import TEXTS, write_training_texts
from .. import path
from .sources import read_sets


def write_learnt_texts(source: Path, out: Path) -> None:
    """Writes those of the public sets' training parts into the judge's folder."""
    samples = read_sets(source / "human-labels")
    texts = ((s.fold, s.question, s.answer) for s in samples if s.split == "train")
    write_training_texts(out / TEXTS, texts)


@click.command()
@click.option("--source", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), default=path(), help="The judge's folder.")
def main(source: Path, out: Path) -> None:
    """Hash the training texts of the bundled judge."""
    write_learnt_texts(source, out)


if __name__ == "__main__":
    main()
