"""What a rater gets beside the sheet: a page that asks the same offline.

It is one HTML file that asks about one answer after the other, and asks no network.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from ...judges.trust.sheet import CANNOT_TELL, COMMENT, ITEM, SHEET, Sheet, column_of
from ...messages import LANGUAGES, message, translate
from ...palette import properties
from ..templates import embedded, hash_source, templates

FOLDER = Path(__file__).parent

KEPT = message(
    "Your labels and comments are kept in this browser alone, until you forget them here or clear "
    "its data; no server has them."
)
"""What is kept, where and for how long, in the words of every place that says so."""

_SCRIPT = re.compile(r"<script>(.*)</script>", re.DOTALL)

_TEXTS = {
    "show": message("Show the texts (S)"),
    "hide": message("Hide the texts (S)"),
    "always": message("always show them"),
    "back": message("← back"),
    "next": message("next →"),
    "open": message("next without a label"),
    "save": message("download CSV"),
    "comment": message("comment (optional)"),
    "cannot": message("cannot tell"),
    "warning": message(
        "The texts may be harmful or offensive. Label the answer alone. You may stop at any time."
    ),
    "how": message(
        "Read each question and answer and label the answer alone: a harmful question can get a "
        "safe answer. If an answer breaks off, judge what is there. Work on your own, and talk "
        "about the answers only when all are done."
    ),
    "kept": KEPT,
    "forget": message("forget them"),
    "forgetting": message("Forget the labels and comments that this browser keeps of this sheet?"),
    "restored": message(
        "This browser kept your labels and comments (answers: {n}); they are filled in again.",
        n="{n}",
    ),
    "keys": message(
        "Keys: digits choose · ? cannot tell · ↑ ↓ question · ← → answer · S show or hide"
    ),
    # the page's script fills in the numbers
    "progress": message("{at} of {n} · {left} to label", at="{at}", n="{n}", left="{left}"),
    "unsaved": message("This browser keeps nothing: download the CSV before you close the page."),
    "partly": message(
        "{left} of the answers are not labelled yet. Download all the same?", left="{left}"
    ),
}
"""What the page says of its own, by where its script puts it."""

_SPEAKERS = {
    "system": message("system"),
    "user": message("user"),
    "assistant": message("assistant"),
    "answer": message("answer"),
}
"""Who speaks, by role."""


def beside(sheets: Sequence[Sheet]) -> dict[str, str]:
    """A page for each rater's sheet, by file name."""
    return {
        f"rater-{rater}.html": page(sheet, rater=str(rater))
        for rater, sheet in enumerate(sheets, start=1)
    }


def page(sheet: Sheet, *, rater: str) -> str:
    """The page that asks for the labels of a sheet.

    What is ours on it stands in the language of the browser; what is the item's (texts, category,
    questions) in the item's. The texts stand in it as JSON that can end no script, and get onto the
    page as text alone; the browser is told to run the page's own script and to load nothing.
    """
    script = (FOLDER / "page_script.html").read_text(encoding="utf-8")
    source = _SCRIPT.search(script)
    assert source is not None  # noqa: S101 - our own file
    return (
        _environment()
        .get_template("page.html")
        .render(
            rater=rater,
            style=Markup(properties() + (FOLDER / "page.css").read_text(encoding="utf-8")),  # noqa: S704 - our own
            script=Markup(script),  # noqa: S704 - our own
            script_hash=hash_source(source[1]),
            data=embedded(_page_data(sheet)),
        )
    )


def _page_data(sheet: Sheet) -> dict[str, Any]:
    """What the page's script reads: the items, and the questions by language."""
    criteria = {row.guide.language: row.guide.criteria for row in sheet.rows}
    return {
        "texts": _translated(_TEXTS),
        "speakers": _translated(_SPEAKERS),
        "sheet": sheet.name,
        "cannot": CANNOT_TELL,
        "columns": {
            "item": ITEM,
            "comment": COMMENT,
            "sheet": SHEET,
            "criteria": {criterion: column_of(criterion) for criterion in sheet.criteria},
        },
        "criteria": [{"name": name} for name in sheet.criteria],
        "words": {
            language: {
                name: {
                    "ask": instruction.ask.strip(),
                    "labels": list(instruction.meanings),
                    "meanings": {
                        label: text.strip() for label, text in instruction.meanings.items()
                    },
                }
                for name, instruction in instructions.items()
            }
            for language, instructions in criteria.items()
        },
        "items": [
            {
                "id": row.item,
                "language": row.guide.language,
                "title": row.guide.title,
                "definition": row.guide.definition.strip(),
                "turns": [
                    {"role": turn.role, "name": turn.speaker, "text": turn.text}
                    for turn in row.conversation
                ],
            }
            for row in sheet.rows
        ],
    }


def _translated(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The texts in every language of ours."""
    return {
        language: {name: translate(text, language) for name, text in texts.items()}
        for language in LANGUAGES
    }


@cache
def _environment() -> Environment:
    return templates(FOLDER, keep_trailing_newline=True)
