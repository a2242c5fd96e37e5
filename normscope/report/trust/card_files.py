"""A card's files: the page, the data, the rows that it was made from, and the charts."""

import re
from pathlib import Path

from ...files import hash_value, write_text
from ...judges.trust.card import Card, write_card
from ...judges.trust.card_building import CardResult, write_rows
from .card_draw import draw
from .card_markdown import markdown

_TELLING = ("model", "revision", "content", "chat_template", "dtype")


def write_card_files(result: CardResult, out: Path, *, figures: bool = True) -> tuple[Path, ...]:
    """Writes the card into `out`, with its charts if `figures` are wanted; the files' paths."""
    card = result.card
    stem = file_stem(card)
    drawn = draw(card, out / stem) if figures else ()
    paths = (out / f"{stem}.md", out / f"{stem}.json", out / f"{stem}.rows.parquet", *drawn)
    shown = [path.name for path in drawn if path.suffix == ".svg"]
    write_text(paths[0], markdown(card, figures=shown))
    write_card(card, paths[1])
    write_rows(result, paths[2])
    return paths


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
    key = hash_value(
        [
            [getattr(card.judge, name) for name in _TELLING],
            card.rubric.hash,
            card.source.sha256,
            dict(card.source.mapping),
            card.source.taken,
        ]
    )[:8]
    told = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    return ".".join([*(part or "x" for part in told), key])
