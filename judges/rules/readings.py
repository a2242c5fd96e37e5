"""What a rule reads in the texts of a file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError, UsageError
from ...rows import Rows
from . import RuleResult, read_likert, read_option, read_refusal

TEXT_COLUMNS = ("response", "text")
LETTERS = ("A", "B", "C", "D")


def readings(
    rows: Rows, rule: str, *, path: Path, letters: Sequence[str] | None = None
) -> list[RuleResult]:
    """The reading of each row's column `response` or `text`; an absent text is an empty one.

    A multiple-choice row's letters are those of its column `options` where it has one (a list of
    letters and texts, as in our datasets), else `letters`, else A to D.
    """
    if letters is not None and rule != "option":
        raise UsageError(f"letters belong to the rule 'option', not to {rule!r}")
    column = next((name for name in TEXT_COLUMNS if rows and name in rows[0]), None)
    if column is None:
        have = ", ".join(rows[0]) if rows else "no row"
        raise DataError(f"{path} has no column 'response' or 'text': rename one (it has {have})")
    results = []
    for number, row in enumerate(rows, start=1):
        place = f"{path}, row {number}"
        text = "" if row[column] is None else row[column]
        if not isinstance(text, str):
            raise DataError(f"{place}: {column} is {text!r}, not a text")
        if rule == "option":
            options = _options(row.get("options"), place)
            known = tuple(options) or tuple(letters or LETTERS)
            results.append(read_option(text, known, tuple(options.values())))
        else:
            results.append(read_likert(text) if rule == "likert" else read_refusal(text))
    return results


def _options(value: Any, place: str) -> dict[str, str]:
    """The texts of a row's options by letter, none where it has none."""
    if value is None or value == "":
        return {}
    try:
        options = json.loads(value) if isinstance(value, str) else value
        return {str(each["letter"]): str(each["text"]) for each in options}
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{place}: options is {str(value)[:60]!r}, not a list like "
            '[{"letter": "A", "text": "…"}]'
        ) from error
