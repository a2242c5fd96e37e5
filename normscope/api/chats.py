"""Questions and answers as people's libraries have them, as the rows that a judge is asked about.

One text or conversation, or a column of them: a list, or one of numpy, pandas, Arrow or `datasets`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import DataError
from ..frames import is_missing
from ..judges.judge import Pair
from ..judges.rubric import Rubric
from ..messages import message
from ..metrics.columns import listed, names
from ..pipeline.judged_rows import Defaults, defaults_of, pair_of
from ..records.answered import ROLES, Answered, answered

BENCHMARK = "answers"
"""What the rows are called where a benchmark's name stands."""

_ROLES = {role: role for role in ROLES}


def pairs_of(
    rubric: Rubric, questions: Any, answers: Any, *, categories: Any, languages: Any, ids: Any
) -> tuple[list[Answered], list[Pair], Defaults]:
    """What a judge with the rubric is asked about, and what holds for rows that do not say it.

    A row per answer; one question, category or language holds for all of them. A conversation is
    its turns, `{"role": …, "content": …}` each, the last one the user's. An answer that is missing
    (None, NaN, pandas' NA) stays missing. `ids` name the rows, each once; without them they are
    numbered from 1.
    """
    given = [answers] if isinstance(answers, str) or answers is None else listed(answers)
    columns = {
        "questions": listed(_each(questions, len(given))),
        "categories": names(_each(categories, len(given))),
        "languages": names(_each(languages, len(given))),
        "ids": names([*range(1, len(given) + 1)] if ids is None else ids),
    }
    for name, column in columns.items():
        if len(column) != len(given):
            raise DataError(
                f"{len(column):,} {name} for {len(given):,} answers: give one for each answer, or "
                "one for all"
            )
    defaults, chats, pairs = defaults_of(rubric), [], []
    first: dict[str | None, int] = {None: 0}
    rows = zip(*columns.values(), given, strict=True)
    for number, (question, category, language, name, answer) in enumerate(rows, start=1):
        place = message("row {n}", n=number)
        if first.setdefault(name, number) != number:
            raise DataError(
                f"{place}: the id {name!r} is missing or that of row {first[name] or number}, too: "
                "give each row an id of its own, or none at all"
            )
        row = {
            "response": _text(answer, "answer", place),
            "category": category,
            "language": language,
        }
        if isinstance(question, Sequence) and not isinstance(question, str):
            row["messages"] = [*question]
        else:
            row["question"] = _text(question, "question", place)
        chats.append(answered(row, _ROLES, place=place))
        pairs.append(
            pair_of(
                chats[-1], rubric, defaults, benchmark=BENCHMARK, item_id=name or "", place=place
            )
        )
    return chats, pairs, defaults


def _each(value: Any, count: int) -> Any:
    """A column, or one value (a text, a conversation) for all rows."""
    is_one = value is None or isinstance(value, str) or _is_conversation(value)
    return [value] * count if is_one else value


def _is_conversation(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) > 0
        and all(isinstance(turn, Mapping) and "role" in turn for turn in value)
    )


def _text(value: Any, name: str, place: str) -> Any:
    """A cell as text or a number, null where it is missing; a `DataError` for anything else."""
    if is_missing(value) or isinstance(value, str | int | float):
        return None if is_missing(value) else value
    raise DataError(
        f"{place}: the {name} is of type {type(value).__name__}: give a text, or for a question "
        "the turns of a conversation"
    )
