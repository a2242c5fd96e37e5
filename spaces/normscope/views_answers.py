"""The answers of one run or two as they are shown: a page of the list, or one of them in full."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment
from markupsafe import Markup

from ...format import percent
from ...messages import Language, message
from ...report.answers import answer_blocks, answer_list
from ...report.answers_summary import caveats_of, summary_blocks
from ...report.templates import translated
from ...report.writers import html
from ...viewer.page import Row
from . import limits
from .pages import notice
from .shelf import Filtered, Shown
from .texts import VisitorError

_FOLDER = Path(__file__).parent / "templates"
ROWS = 25
"""Of a page of the list."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where among the answers somebody is: which runs, which filter, which page or which answer.

    It stands in the page's address; `run` names runs of the server.
    """

    run: tuple[str, ...] = ()
    filter: str = ""
    item: str = ""
    page: int = 1

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Place":
        """The place that the page's script sends, or somebody in its stead.

        >>> Place.of({"filter": "area:attack", "page": "x", "run": ["base"]})
        Place(run=('base',), filter='area:attack', item='', page=1)
        """
        runs, page = data.get("run"), data.get("page")
        return cls(
            run=tuple(map(str, runs)) if isinstance(runs, list) else (),
            filter=str(data.get("filter") or "")[: limits.MAX_FILTER],
            item=str(data.get("item") or ""),
            page=page if isinstance(page, int) and page > 0 else 1,
        )


@dataclass(frozen=True, slots=True)
class Pages:
    """One page of a list: which it is of how many, and of how many `rows` of `total` answers."""

    page: int
    pages: int
    rows: int
    total: int

    @classmethod
    def of(cls, page: int, rows: int, total: int) -> "Pages":
        """The page, or the last if there are not so many.

        >>> Pages.of(9, 60, 80), Pages.of(9, 60, 80).on_it
        (Pages(page=3, pages=3, rows=60, total=80), slice(50, 60, None))
        """
        pages = max(math.ceil(rows / ROWS), 1)
        return cls(min(page, pages), pages, rows, total)

    @property
    def on_it(self) -> slice:
        """Which rows of all stand on it."""
        return slice((self.page - 1) * ROWS, min(self.page * ROWS, self.rows))

    @property
    def share(self) -> str:
        """How many of all answers are on the list, in words."""
        return message(
            "{n} of {all} answers ({share})",
            n=f"{self.rows:,}",
            all=f"{self.total:,}",
            share=percent(self.rows / self.total if self.total else 0.0),
        )

    @property
    def place(self) -> str:
        """Which rows stand on it, in words."""
        return message(
            "{first}–{last} of {all}",
            first=f"{self.on_it.start + 1:,}",
            last=f"{self.on_it.stop:,}",
            all=f"{self.rows:,}",
        )


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where an answer stands among the filtered: the names of those beside it, empty at an end."""

    place: str
    previous: str = ""
    next: str = ""

    @classmethod
    def of(cls, filtered: Filtered, place: int) -> "Neighbours":
        """The neighbours of the answer in this place of all."""
        places = filtered.selection.places
        at = np.flatnonzero(places == place)
        if not len(at):
            return cls(message("not among the {n} that the filter leaves", n=f"{len(places):,}"))
        here = int(at[0])
        beside = [i if 0 <= i < len(places) else None for i in (here - 1, here + 1)]
        keys = ["" if i is None else filtered.collection.keys(places[[i]])[0] for i in beside]
        of = message("{n} of {all}", n=f"{here + 1:,}", all=f"{len(places):,}")
        return cls(of, *keys)


def answers_page(shown: Shown, place: Place, language: Language) -> str:
    """The answer that the place names, or the page of the list; an error for what there is not."""
    filtered = shown.filtered(place.filter)
    if place.item:
        return _item_page(filtered, place, language)
    if not len(filtered.selection):
        none = notice("status", message("No answer meets the filter."), language)
        return framed(none, place, language)
    return _list_page(shown, filtered, place, language)


def framed(body: str, place: Place, language: Language, **parts: Any) -> str:
    """What the page's script finds its way in: the place, and around the body the ways to others.

    `body` is HTML of ours.
    """
    template = _environment(language).get_template("answers.html")
    given = {"item": None, "list": None, "summary": "", **parts}
    return template.render(body=Markup(body), state=place, **given)  # noqa: S704 - a writer's


def _list_page(shown: Shown, filtered: Filtered, place: Place, language: Language) -> str:
    pages = Pages.of(place.page, len(filtered.selection), len(shown.collection))
    rows = filtered.collection.rows(filtered.selection.places[pages.on_it])
    above = (*caveats_of(shown.collection), *summary_blocks(filtered.summary))
    return framed(
        html.fragment((answer_list(rows),), language),
        place,
        language,
        list=pages,
        summary=Markup(html.fragment(above, language)),  # noqa: S704 - a writer's
    )


def _item_page(filtered: Filtered, place: Place, language: Language) -> str:
    at = filtered.collection.place_of(place.item)
    if at is None:
        raise VisitorError(
            "There is no answer {item} in these runs. The link may be one of other runs.",
            item=place.item[:40],
        )
    blocks = answer_blocks(filtered.collection.detail(at))
    return framed(
        html.fragment(tuple(blocks), language),
        place,
        language,
        item=Neighbours.of(filtered, at),
    )


def plain(filtered: Filtered, page: int) -> dict[str, Any]:
    """A page of the list as JSON values, for the API."""
    pages = Pages.of(page, len(filtered.selection), len(filtered.collection))
    rows = filtered.collection.rows(filtered.selection.places[pages.on_it])
    summary = filtered.summary
    return {
        "filter": filtered.query.text(),
        "total": summary.total,
        "n": summary.n,
        "page": pages.page,
        "pages": pages.pages,
        "counts": [
            {**asdict(count), "labels": dict(count.labels), "reasons": dict(count.reasons)}
            for count in summary.counts
        ],
        "no_intervals": [str(why) for why in summary.why],
        "rows": [_plain_row(row) for row in rows],
    }


def _plain_row(row: Row) -> dict[str, Any]:
    """The row without its place, which means nothing outside."""
    return {name: value for name, value in asdict(row).items() if name != "place"}


@cache
def _environment(language: Language) -> Environment:
    return translated(_FOLDER, language)
