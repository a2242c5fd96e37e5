"""A rater's page: one HTML file that asks about one answer after the other, and asks no network."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from ...judges.trust.frame import Frame, FrameRow
from ...judges.trust.sheet import CANNOT_TELL, COMMENT, ITEM, SHEET, column_of, title
from ...untrusted import visible
from ..templates import hash_source, templates

FOLDER = Path(__file__).parent

_SCRIPT = re.compile(r"<script>(.*)</script>", re.DOTALL)


def page(frame: Frame, rows: Sequence[FrameRow], *, name: str, rater: int) -> str:
    """The page of one rater's sheet, with the rows in this order."""
    return page_of(_data(frame, rows, name), rater=str(rater))


def page_of(data: Mapping[str, Any], *, rater: str) -> str:
    """The page that asks for these labels; it goes on from `labels` and `comments` in the data.

    The texts stand in it as JSON that can end no script, and get onto the page as text alone; the
    browser is told to run the page's own script and to load nothing.
    """
    script = (FOLDER / "page_script.html").read_text(encoding="utf-8")
    found = _SCRIPT.search(script)
    assert found is not None  # noqa: S101 - our own file
    return (
        _environment()
        .get_template("page.html")
        .render(
            rater=rater,
            style=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),  # noqa: S704 - our own
            script=Markup(script),  # noqa: S704 - our own
            script_hash=hash_source(found[1]),
            data=embedded(data),
        )
    )


def embedded(value: Any) -> Markup:
    r"""JSON that can stand in a script element: no bracket or ampersand that HTML could read.

    >>> embedded({"a": "</script>"})
    Markup('{"a": "\\u003c/script\\u003e"}')
    """
    text = json.dumps(value, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - escaped above


def _data(frame: Frame, rows: Sequence[FrameRow], name: str) -> dict[str, Any]:
    used = frame.rubric
    spoken = dict.fromkeys(used.spoken(row.item.language) for row in rows)
    return {
        "sheet": name,
        "benchmark": frame.benchmark,
        "cannot": CANNOT_TELL,
        "columns": {
            "item": ITEM,
            "comment": COMMENT,
            "sheet": SHEET,
            "criteria": {criterion: column_of(criterion) for criterion in frame.names},
        },
        "criteria": [
            {"name": n, "labels": criterion.scale.labels} for n, criterion in frame.criteria.items()
        ],
        "words": {
            language: {
                name: {
                    "ask": criterion.instruction[language].ask.strip(),
                    "meanings": {
                        k: v.strip() for k, v in criterion.instruction[language].meanings.items()
                    },
                }
                for name, criterion in frame.criteria.items()
            }
            for language in spoken
        },
        "items": [_item(row, frame) for row in rows],
    }


def _item(row: FrameRow, frame: Frame) -> dict[str, Any]:
    used = frame.rubric
    spoken = used.spoken(row.item.language)
    names = used.languages[spoken].turns
    kind = used.categories.get(row.item.category)
    turns = [(t.role, names.get(t.role, t.role), visible(t.content)) for t in row.item.messages]
    answer = ("answer", names.get("answer", "answer"), visible(row.response.text or ""))
    return {
        "id": row.row_id,
        "language": spoken,
        "title": title(row, used),
        "definition": kind[spoken].definition.strip() if kind else "",
        "turns": [{"role": r, "name": n, "text": text} for r, n, text in (*turns, answer)],
    }


@cache
def _environment() -> Environment:
    return templates(FOLDER, keep_trailing_newline=True)
