"""A card's files: the page and the data."""

import re
from pathlib import Path

from ...files import hash_value
from ...judges.trust.card import Card, write_card
from ..writers import write
from .card import page

_TELLING = ("model", "revision", "content", "chat_template", "dtype")


def write_card_files(card: Card, out: Path) -> tuple[Path, ...]:
    """Writes the card into `out` as a page with its charts, and as JSON; the files' paths."""
    stem = file_stem(card)
    shown, data = out / f"{stem}.html", out / f"{stem}.json"
    write(page(card), shown)
    write_card(card, data)
    return shown, data


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
