"""A card's files: the page, the data, the rows that it was made from, and the figures."""

import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ....errors import MissingExtraError
from ....files import hash_value, write_parquet, write_text
from ....report.trust.card_markdown import markdown
from .asking import failed_share
from .build import JudgedCriterion
from .card import Card, write_card

_TELLING = ("model", "revision", "content", "chat_template", "dtype")


@dataclass(frozen=True, slots=True)
class Made:
    """A card, its files, what must be said of them, and the share of rows without a score."""

    card: Card
    paths: tuple[Path, ...]
    unscored: float
    notes: tuple[str, ...] = ()


def write_made(
    card: Card, found: JudgedCriterion, out: Path, *, figures: bool | None = None
) -> Made:
    """Writes the card's files into `out`; draws where matplotlib is, unless `figures` decides.

    Its rows are written without their texts: the number in the file, the groups, people's label and
    the judge's reading.
    """
    stem = slug(card)
    drawn, notes = _draw(card, out / stem, figures)
    paths = (out / f"{stem}.md", out / f"{stem}.json", out / f"{stem}.rows.parquet", *drawn)
    shown = [path.name for path in drawn if path.suffix == ".svg"]
    write_text(paths[0], markdown(card, figures=shown))
    write_card(card, paths[1])
    columns = [
        {
            "row": row.number,
            "cluster": hash_value(row.cluster)[:16],
            **row.groups,
            "judged_as": row.category,
            "human": row.human[found.criterion],
            **{name: said[name] for name in ("labels", "probs", "value", "coverage", "reason")},
        }
        for row, said in found.labelled
    ]
    write_parquet(paths[2], pa.Table.from_pylist(columns))
    return Made(card, paths, failed_share([said for _, said in found.labelled]), notes)


def slug(card: Card) -> str:
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
    from ....report.trust.card_draw import draw

    try:
        return draw(card, stem), ()
    except MissingExtraError as error:
        if figures:
            raise
        return (), (f"no figures: {error}",)
