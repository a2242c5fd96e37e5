"""Questions and answers as people's libraries have them, as the rows that a judge is asked about.

One text or conversation, or a column of them: a list, or one of numpy, pandas, Arrow or `datasets`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import DataError
from ..judges.judge import Pair
from ..judges.rubric import Rubric
from ..messages import message
from ..metrics.columns import is_missing, listed, names
from ..pipeline.judged_rows import Defaults, defaults_of, pair_of
from ..records.answered import ROLES, Answered, answered

BENCHMARK = "answers"
"""What the rows are called where a benchmark's name stands."""

_ROLES = {role: role for role in ROLES}


def chats_of(questions: Any, answers: Any, *, categories: Any, languages: Any) -> list[Answered]:
    """A row per answer; one question, category or language holds for all of them.

    A conversation is its turns, `{"role": …, "content": …}` each, the last one the user's. An
    answer that is missing (None, NaN, pandas' NA) stays missing.

    >>> [chat.response for chat in chats_of("Why?", ["So.", None], categories=None, languages="en")]
    ['So.', None]
    """
    given = [answers] if isinstance(answers, str) or answers is None else listed(answers)
    columns = {
        "questions": _each(questions, len(given)),
        "categories": _named(categories, len(given)),
        "languages": _named(languages, len(given)),
    }
    for name, column in columns.items():
        if len(column) != len(given):
            raise DataError(
                f"{len(column):,} {name} for {len(given):,} answers: give one for each answer, or "
                "one for all"
            )
    rows = zip(*columns.values(), given, strict=True)
    return [_chat(number, *row) for number, row in enumerate(rows, start=1)]


def pairs_of(chats: Sequence[Answered], rubric: Rubric, ids: Any) -> tuple[list[Pair], Defaults]:
    """What a judge with the rubric is asked about, and what holds for rows that do not say it.

    `ids` name the rows, each once; without them they are numbered from 1.
    """
    defaults = defaults_of(rubric)
    known = [str(n + 1) for n in range(len(chats))] if ids is None else names(ids)
    if len(known) != len(chats):
        raise DataError(f"{len(known):,} ids for {len(chats):,} answers: give one for each")
    first: dict[str | None, int] = {}
    for number, name in enumerate(known, start=1):
        if name is None or first.setdefault(name, number) != number:
            raise DataError(
                f"row {number}: the id {name!r} is missing or that of row "
                f"{first.get(name, number)}, too: give each row an id of its own, or none at all"
            )
    pairs = [
        pair_of(
            chat,
            rubric,
            defaults,
            benchmark=BENCHMARK,
            item_id=name or "",
            place=_place(number),
        )
        for number, (chat, name) in enumerate(zip(chats, known, strict=True), start=1)
    ]
    return pairs, defaults


def _each(value: Any, count: int) -> list[Any]:
    """The values of a column, or one value for all rows."""
    if value is None or isinstance(value, str) or _is_conversation(value):
        return [value] * count
    if isinstance(value, Mapping | bytes):
        raise DataError(
            "a question is a text, or a conversation as a list of its turns, not a "
            f"{type(value).__name__}"
        )
    return listed(value)


def _named(value: Any, count: int) -> list[str | None]:
    """The names in a column (of a dataset's classes their words), or one name for all rows."""
    return [value] * count if value is None or isinstance(value, str) else names(value)


def _is_conversation(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) > 0
        and all(isinstance(turn, Mapping) and "role" in turn for turn in value)
    )


def _chat(
    number: int, question: Any, category: str | None, language: str | None, answer: Any
) -> Answered:
    response = None if is_missing(answer) else answer
    for name, value in (("answer", response), ("question", question)):
        is_text = value is None or isinstance(value, str | int | float)
        if not is_text and (name == "answer" or not isinstance(value, Sequence)):
            raise DataError(
                f"{_place(number)}: the {name} is of type {type(value).__name__}: give a text, or "
                "for a question the turns of a conversation"
            )
    row = {"response": response, "category": category, "language": language}
    if isinstance(question, Sequence) and not isinstance(question, str):
        row["messages"] = [*question]
    else:
        row["question"] = None if is_missing(question) else question
    return answered(row, _ROLES, place=_place(number))


def _place(number: int) -> str:
    return message("row {n}", n=number)
