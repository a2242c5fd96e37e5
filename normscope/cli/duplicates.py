"""The verb `duplicates`: texts of a file that say nearly the same."""

from pathlib import Path

import click

from ..errors import DataError
from ..format import count, number
from ..untrusted import excerpt
from .options import PATH

_SHOWN = 10
_WIDTH = 90


@click.command()
@click.argument("file", type=PATH)
@click.option("--column", required=True, help="The column with the texts.")
@click.option("--against", type=PATH, help="Compare with the texts of this file instead.")
@click.option(
    "--threshold",
    type=float,
    default=0.8,
    show_default=True,
    help="The least Jaccard index of the character trigrams.",
)
@click.option("--embed-with", metavar="PATH_OR_HUB_ID", help="A sentence-transformers model.")
@click.option(
    "--embed-threshold",
    type=float,
    default=0.9,
    show_default=True,
    help="The least cosine of the embeddings.",
)
@click.option("--out", type=PATH, help="Where all pairs go: .csv, .jsonl or .parquet.")
def duplicates(
    file: Path,
    *,
    column: str,
    against: Path | None,
    threshold: float,
    embed_with: str | None,
    embed_threshold: float,
    out: Path | None,
) -> None:
    """Report texts that say nearly the same, by their characters and by their meaning.

    FILE is CSV, JSONL or Parquet. Nothing is dropped: the pairs are for a person to look at. The
    rows of a factorial product are nearly the same by design: take a threshold of 0.95 for them.

    \b
    Examples:
      normscope duplicates data/cfsafety/default/test.parquet --column prompt --out pairs.csv
      normscope duplicates mine.csv --column text --against theirs.csv --embed-with ./encoder
    """
    from ..datasets_builders.near_duplicates import find_near_duplicates
    from ..rows import check_writable, write_rows

    if out is not None:
        check_writable(out)
    texts = _texts(file, column)
    others = None if against is None else _texts(against, column)
    pairs = find_near_duplicates(
        texts,
        threshold=threshold,
        others=others,
        embed_with=embed_with,
        embed_threshold=embed_threshold,
    )
    rights = texts if others is None else others
    rows = [
        {
            "left": pair.left,
            "right": pair.right,
            "similarity": pair.similarity,
            "method": pair.method,
            "left_text": texts[pair.left],
            "right_text": rights[pair.right],
        }
        for pair in pairs
    ]
    if out is not None:
        write_rows(out, rows)
    for pair in sorted(pairs, key=lambda pair: -pair.similarity)[:_SHOWN]:
        click.echo(f"{number(pair.similarity)} by {pair.method}")
        for name, row, text in (
            (file, pair.left, texts[pair.left]),
            (against or file, pair.right, rights[pair.right]),
        ):
            click.echo(f"    {name}:{row}  {excerpt(text, limit=_WIDTH)}")
    summary = f"{count(len(pairs))} pair{'s' * (len(pairs) != 1)} among {count(len(texts))} texts"
    summary += "" if others is None else f" and {count(len(others))} others"
    click.echo(f"{summary}; all of them are in {out}" if out else summary)


def _texts(file: Path, column: str) -> list[str]:
    from ..rows import read_rows

    texts = [row[column] for row in read_rows(file, needed=(column,))]
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(f"{file}: row {row} has no text in {column!r} but {text!r}")
    return texts
