"""A card's files: the page, the data, the rows that it was made from, and the charts."""

import re
from pathlib import Path

from ...files import hash_value
from ...judges.trust.card import Card, write_card
from ...judges.trust.card_building import CardResult, write_rows
from ..charts import save
from ..writers import write
from .card import charts, page

_TELLING = ("model", "revision", "content", "chat_template", "dtype")


def write_card_files(
    card: Card, out: Path, *, figures: bool = True, result: CardResult | None = None
) -> tuple[Path, ...]:
    """Writes the card into `out`, with its charts if `figures` are wanted; the files' paths.

    With the `result` that it is of, the rows that it was made from lie beside it.
    """
    stem = file_stem(card)
    drawn: list[Path] = []
    if figures:
        for name, chart in charts(card, {}).items():
            drawn += save(chart.plot, out / f"{stem}.{name}")
    paths = [out / f"{stem}.{kind}" for kind in ("md", "html", "json")]
    images = {path.stem.rpartition(".")[2]: path.name for path in drawn if path.suffix == ".svg"}
    for path in paths[:2]:
        write(page(card, images, figures=figures), path)
    write_card(card, paths[2])
    if result is not None:
        paths.append(out / f"{stem}.rows.parquet")
        write_rows(result, paths[3])
    return (*paths, *drawn)


def file_stem(card: Card) -> str:
    """The name of a card's files: judge, rubric, criterion, labels, and what tells it from others.

    The last part hangs on the judge's files, the rubric's hash and the labels, not on the results.
    """
    parts = (
        Path(card.judge.model).name or card.judge.model,
        card.rubric.name,
        card.rubric.criterion,
        card.source.benchmark,
    )
    # two cards of one judge on one set may differ in its revision or the rubric's wording only
    key = hash_value(
        [
            [getattr(card.judge, name) for name in _TELLING],
            card.rubric.hash,
            card.source.sha256,
            dict(card.source.mapping),
            card.source.taken,
        ]
    )[:8]
    names = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    return ".".join([*(name or "x" for name in names), key])
