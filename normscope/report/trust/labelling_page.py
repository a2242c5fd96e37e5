"""What a rater gets: one HTML file that asks about one answer after the other, and no network."""

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

_SCRIPT = re.compile(r"<script>(.*)</script>", re.DOTALL)


def pages(sheets: Sequence[Sheet]) -> dict[str, str]:
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
            data=lambda texts, speakers: embedded(
                {
                    "texts": _translated(texts),
                    "speakers": _translated(speakers),
                    **_page_data(sheet),
                }
            ),
        )
    )


def _page_data(sheet: Sheet) -> dict[str, Any]:
    """What the page's script reads: the items, and the questions by language."""
    criteria = {row.guide.language: row.guide.criteria for row in sheet.rows}
    return {
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
    environment = templates(FOLDER)
    environment.globals["_"] = message
    return environment
