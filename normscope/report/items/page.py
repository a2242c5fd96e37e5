"""A run's answers, or two runs' side by side, as one page that asks nothing of any network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
from jinja2 import Environment
from markupsafe import Markup

from ...categorical import Categorical
from ...errors import UsageError
from ...files import write_text
from ...format import count
from ...messages import Language, message
from ...untrusted import visible
from ...viewer import Collection, Query, read_beside
from ..answers_summary import caveats_of, summary_blocks
from ..blocks import Block, Caveat, Code, Details, Facts, Text, content
from ..templates import embedded, policy, translated
from ..writers import html
from .data import page_data
from .words import HELP, KEYS

FOLDER = Path(__file__).parent
_SCRIPTS = ("start.js", "query.js", "blocks.js", "page.js")

MOST_ANSWERS = 5_000
MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which answers go onto the page: those that the filter leaves, of these the first `limit`."""

    filter: str = ""
    limit: int | None = None


def write_items(
    paths: Sequence[Path],
    out: Path,
    chosen: Chosen,
    labels: Sequence[Path] = (),
    *,
    language: Language = "en",
) -> Path:
    """Writes the page of the answers of a run, or of two, to `out`; the runs stay as they are.

    `labels` are folders of people's labels of them (`normscope annotate`).

    More answers or text than a browser takes are refused with the figure, and so is an unfinished
    or altered run.
    """
    collection = Collection.of(read_beside(paths, labels=labels))
    write_text(out, items_page(collection, chosen, language=language))
    return out


def items_page(collection: Collection, chosen: Chosen, *, language: Language = "en") -> str:
    """The page as one document; the same answers give the same bytes."""
    query = Query.parse(chosen.filter)
    selection = collection.select(query)
    places = selection.places[: chosen.limit]
    if not len(places):
        raise UsageError(
            message(
                "no answer meets the filter {filter}: take something out of it", filter=query.text()
            )
            if query.terms
            else message("there is no answer to show: the run has none")
        )
    if len(places) > MOST_ANSWERS:
        raise UsageError(
            _too_much(
                message("{n} answers", n=count(len(places))),
                message("{n} answers", n=count(MOST_ANSWERS)),
            )
        )
    data = embedded(page_data(collection, places, language))
    size = len(data.encode("utf-8"))
    if size > MOST_BYTES:
        raise UsageError(_too_much(f"{size / 1e6:.1f} MB", f"{MOST_BYTES / 1e6:g} MB"))
    style, script = _style(), _script()
    head = [
        *_head(collection, query, len(places)),
        Details(message("What the answers come to"), summary_blocks(collection.summary(selection))),
    ]
    names = ", ".join(run.name for run in collection.runs)
    return (
        _environment(language)
        .get_template("page.html")
        .render(
            title=visible(names),
            kind=message("Normscope answers"),
            head=_ours(html.fragment(content(head), language)),
            help=_ours(html.fragment(HELP, language)),
            keys=_ours(html.fragment(KEYS, language)),
            data=data,
            style=_ours(style),
            script=_ours(script),
            policy=policy(style, script),
        )
    )


def _too_much(size: str, most: str) -> str:
    return message(
        "{size} are more than one page can hold ({most}): choose some with --filter, as in "
        "--filter 'category:privacy refusal=risky', or the first with --limit N; normscope view "
        "shows all of them",
        size=size,
        most=most,
    )


def _head(collection: Collection, query: Query, n: int) -> Iterator[Block]:
    """Whose answers stand on the page, how many of them, and what is missing."""
    facts: list[tuple[Text, Text]] = []
    for run in collection.runs:
        about = (
            _names(run.responses, "model"),
            " · ",
            message("judge"),
            " ",
            _names(run.judged, "judge"),
        )
        facts.append(((message("run"), " ", run.name), about))
    of = message("{n} of {m}", n=count(n), m=count(len(collection)))
    facts.append((message("answers on this page"), of))
    if text := query.text():
        facts.append((message("chosen by"), Code(text)))
    yield Facts(tuple(facts))
    yield Caveat(
        message(
            "Texts of models and benchmarks may be harmful: they are hidden until you open them."
        ),
        warns=True,
    )
    yield from caveats_of(collection)


def _names(table: pa.Table, column: str) -> str:
    names = filter(None, Categorical.of(table[column]).seen().names)
    return ", ".join(names) or message("none recorded")


def _ours(markup: str) -> Markup:
    """Markup of a writer or a file of ours, which escapes what others wrote."""
    return Markup(markup)  # noqa: S704 - ours


@cache
def _script() -> str:
    """The page's script, as it stands between its tags."""
    parts = [(FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    return '\n"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


@cache
def _style() -> str:
    """The style of a report and what is this page's own."""
    return html.source("style") + (FOLDER / "style.css").read_text(encoding="utf-8")


@cache
def _environment(language: Language) -> Environment:
    return translated(FOLDER, language, keep_trailing_newline=True)
