"""A card's files: the page, the data, the rows that it was made from, and the charts."""

import re
from dataclasses import dataclass
from pathlib import Path

from ...errors import MissingExtraError
from ...files import hash_value, write_text
from ...judges.trust.card import Card, write_card
from ...judges.trust.card_building import CardResult, write_rows
from .card_draw import draw
from .card_markdown import markdown

_TELLING = ("model", "revision", "content", "chat_template", "dtype")


@dataclass(frozen=True, slots=True)
class CardFiles:
    """What was written of a card, and why there is something that was not."""

    paths: tuple[Path, ...]
    caveats: tuple[str, ...] = ()


def write_card_files(result: CardResult, out: Path, *, figures: bool | None = None) -> CardFiles:
    """Writes the card into `out`; draws where matplotlib is, unless `figures` decides."""
    card = result.card
    stem = file_stem(card)
    drawn, caveats = _draw(card, out / stem, figures)
    paths = (out / f"{stem}.md", out / f"{stem}.json", out / f"{stem}.rows.parquet", *drawn)
    shown = [path.name for path in drawn if path.suffix == ".svg"]
    write_text(paths[0], markdown(card, figures=shown))
    write_card(card, paths[1])
    write_rows(result, paths[2])
    return CardFiles(paths, caveats)


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


def _draw(card: Card, stem: Path, figures: bool | None) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    if figures is False:
        return (), ()
    try:
        return draw(card, stem), ()
    except MissingExtraError as error:
        if figures:
            raise
        return (), (f"no figures: {error}",)
