"""`normscope rules`: read answers by rule."""

from collections import Counter
from pathlib import Path

import click

from ..errors import DataError
from ..format import count
from .options import PATH, names


@click.group()
def rules() -> None:
    """Read answers by the rules for text.

    \b
    option   which letter a multiple-choice answer chooses
    likert   which of the five degrees of acceptability an answer gives
    refusal  which of the four degrees of refusal a judge's reply names
    \b
    Examples:
      normscope rules read answers.csv --rule likert --out read.csv
    """


@rules.command()
@click.argument("file", type=PATH)
@click.option("--rule", type=click.Choice(["option", "likert", "refusal"]), required=True)
@click.option(
    "--letters",
    multiple=True,
    callback=names,
    metavar="A,B,…",
    help="Letters of the options [the column options, else A,B,C,D].",
)
@click.option("--out", type=PATH, required=True, help="Where the rows go, with three more columns.")
def read(file: Path, *, rule: str, letters: tuple[str, ...], out: Path) -> None:
    """Apply a rule to the column response (or text) of a CSV, JSONL or Parquet file.

    The rows come back in order with the label, or the reason why there is none, and the name of
    the pattern that decided. A column options ([{"letter": "A", "text": "…"}]) tells the letters
    of each row.

    \b
    Examples:
      normscope rules read answers.csv --rule option --letters A,B,C --out read.csv
      normscope rules read verdicts.jsonl --rule refusal --out read.jsonl
    """
    from ..judges.rules import RULES
    from ..judges.rules.readings import readings
    from ..rows import check_writable, read_rows, write_rows

    check_writable(out)
    rows = read_rows(file)
    for name in ("label", "reason", "rule"):
        if rows and name in rows[0]:
            raise DataError(f"{file} has a column {name!r} already: rename or remove it")
    results = readings(rows, rule, path=file, letters=letters or None)
    added = [
        row
        | {
            "label": reading.label,
            "reason": reading.reason and str(reading.reason),
            "rule": reading.rule,
        }
        for row, reading in zip(rows, results, strict=True)
    ]
    write_rows(out, added)
    read_as = Counter(reading.label or str(reading.reason) for reading in results)
    for name, number in read_as.most_common():
        click.echo(f"{count(number):>8}  {name}")
    used = RULES[rule]
    click.echo(f"{out}; rule {rule}, version {used.version}, {used.hash[:12]}")
