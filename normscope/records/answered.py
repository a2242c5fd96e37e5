"""Files of questions and answers: which column holds what, and its rows as conversations.

`normscope judge FILE` and `normscope validate` read their files here. A row has a question and a
response; or `messages`, the turns of a chat as `{"role", "content"}` (in a CSV as JSON), of which
the last one is the answer if it is the assistant's, and the question if it is the user's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import DataError, UsageError, nearest
from ..files import typed, typed_json
from ..languages import language_code
from ..text_tables import Row, Rows
from .item import Turn

ROLES = ("question", "response", "messages", "language", "category")
"""What a column can be; a column has its role's name unless another is given."""

FAILED = "failed"
"""The role of a column that says why a call brought no answer; empty, false or 0 where it did."""

_CAME = {"", "false", "0"}


@dataclass(frozen=True, slots=True)
class Answered:
    """A conversation that ends with the user's turn, and the answer to it; null for none.

    `language` is a code; it and `category` are empty where the row names none. Of a call that
    `failed` there is no response.
    """

    messages: tuple[Turn, ...]
    response: str | None
    language: str
    category: str
    failed: bool = False


def columns_of(
    columns: Mapping[str, str], rows: Rows, *, name: str, roles: Sequence[str] = ROLES
) -> dict[str, str]:
    """The file's column of every role, empty for none, where others than the role's name are named.

    An error for a role that there is not, and where a column that is needed, or named for a role,
    is not in the file.

    >>> columns_of({"response": "output"}, [{"question": "?", "output": "!"}], name="a.csv")
    {'question': 'question', 'response': 'output', 'messages': 'messages', ...}
    """
    for role in columns:
        if role not in roles:
            raise UsageError(f"--column {role}=…: there is no {role!r}; {nearest(role, [*roles])}")
    result = {role: columns.get(role, role) for role in roles}
    have = list(dict.fromkeys(column for row in rows for column in row))
    needed = [role for role, column in result.items() if column not in {"", role}]
    if result["messages"] not in have:
        needed += ["question", "response"]
    for role in needed:
        if result[role] not in have:
            text = ", ".join(have) or "no column"
            raise DataError(
                f"{name} has no column {result[role]!r} (it has {text}): name it, "
                f"--column {role}=NAME"
            )
    return result


def answered(row: Row, columns: Mapping[str, str], *, place: str) -> Answered:
    """What the row says; `place` names it in an error."""
    cells = {role: row.get(column) if column else None for role, column in columns.items()}
    messages = _turns(cells["messages"], place)
    failed = spelt(cells.get(FAILED)).casefold() not in _CAME
    response = None if cells["response"] is None else str(cells["response"])
    if not messages:
        if columns["question"] not in row:
            raise DataError(f"{place}: messages is empty, and there is no column for the question")
        messages = (Turn("user", str(cells["question"] or "")),)
    elif messages[-1].role == "assistant":
        answer, messages = messages[-1].content, messages[:-1]
        # the same answer in both columns contradicts nothing
        if response not in {None, "", answer}:
            raise DataError(
                f"{place}: messages ends with an answer, and column {columns['response']!r} holds "
                "another: leave one of them out"
            )
        response = answer
    elif columns["response"] not in row:
        raise DataError(
            f"{place}: messages ends with the {messages[-1].role}'s turn, and there is no column "
            "for the response: add the assistant's turn, or --column response=NAME"
        )
    if not messages or messages[-1].role != "user":
        raise DataError(f"{place}: before the answer, messages is to end with the user's turn")
    language = language_code(spelt(cells["language"]))
    if language.isdigit():
        # the number of a class label: any code with letters may be a language
        raise DataError(
            f"{place}: {language!r} is no language: give its code or name, such as zh or English"
        )
    return Answered(
        messages=messages,
        response=None if failed else response,
        language=language,
        category=spelt(cells["category"]),
        failed=failed,
    )


def spelt(value: Any) -> str:
    """The value of a cell as text, whatever the file's format: 1, 1.0 and "1" are one.

    >>> spelt(1.0), spelt(" safe "), spelt(True), spelt(None)
    ('1', 'safe', 'true', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return "" if value != value else f"{value:g}"  # noqa: PLR0124 - NaN
    return str(value).strip()


@dataclass(frozen=True, slots=True)
class _Turn:
    role: Literal["system", "user", "assistant"]
    content: str


def _turns(cell: Any, place: str) -> tuple[Turn, ...]:
    """The turns of a chat; none where the cell is empty."""
    if cell in (None, "", []):
        return ()
    try:
        turns = (typed_json if isinstance(cell, str) else typed)(list[_Turn], cell)
    except ValueError:
        turns = []
    if not turns:
        raise DataError(
            f"{place}: messages is a list of turns "
            '[{"role": "user", "content": "…"}, …], in a CSV as JSON; the roles are '
            "system, user, assistant, and the content is text"
        )
    return tuple(Turn(turn.role, turn.content) for turn in turns)
