"""Answers to the multiple-choice questions: the project's silver key, and a user's own.

The authors published none.
"""

import warnings
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import SourceError
from ...hub_folders import hub_folder
from ..sources import read_columns

FOLDER = hub_folder("datasets_builders") / "chisafetybench"
SILVER_KEY = FOLDER / "silver_key.csv"
"""A key made for this project, never official; its columns are explained on the card."""

ITEM_PREFIX = "chisafetybench-mcq-"
"""What an `item_id` has before the source's id."""

_SILVER_COLUMNS = ("id", "answer", "confidence")
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class SilverAnswer:
    """The project's own answer to an item and how sure it is: 3 sure, 2 likely, 1 doubtful."""

    letter: str
    confidence: int


def read_silver_key() -> dict[int, SilverAnswer]:
    """The silver answers by the source's id.

    >>> read_silver_key()[1]
    SilverAnswer(letter='A', confidence=3)
    """
    columns = read_columns(SILVER_KEY, _SILVER_COLUMNS)
    rows = zip(*(columns[name] for name in _SILVER_COLUMNS), strict=True)
    return {int(number): SilverAnswer(letter, int(sure)) for number, letter, sure in rows}


def number_of(item_id: str) -> int:
    """The source's id of an item.

    >>> number_of("chisafetybench-mcq-0030")
    30
    """
    return int(item_id.removeprefix(ITEM_PREFIX))


def read_user_key(
    path: Path, letters: Mapping[int, Collection[str]], *, part: bool = False
) -> dict[int, str]:
    """The answers of the user's key by the source's id: a CSV with the columns `id` and `answer`.

    An id is the source's number or an `item_id`; `letters` are those of each question's options.
    What cannot be meant is a `SourceError` that names the ids: an id that is no number, stands
    twice or belongs to no question, a letter that is none of its options. A question without an
    answer is warned of, and stays without one. With `part` the questions are some of the
    benchmark's, and the rows of others are passed over as long as one is of these.
    """
    columns = read_columns(path, ("id", "answer"))
    pairs = list(zip(columns["id"], columns["answer"], strict=True))
    answers = [(_number(number.strip()), letter.strip().upper()) for number, letter in pairs]
    numbers = {str(number): number for number in letters}
    of_these = [(number, letter) for number, letter in answers if number in numbers]
    if part and of_these:
        answers = of_these
    times = Counter(number for number, _ in answers)
    problems = {
        "belong to no question": [number for number in times if number not in numbers],
        "stand twice": [number for number, n in times.items() if n > 1],
        "have an answer that is none of their options": [
            f"{number} ({letter})"
            for number, letter in answers
            if number in numbers and letter and letter not in letters[numbers[number]]
        ],
    }
    texts = [f"ids that {what}: {_name(ids)}" for what, ids in problems.items() if ids]
    if texts:
        raise SourceError(f"{path}: {'; '.join(texts)}. Correct these rows, or remove the file")
    key = {numbers[number]: letter for number, letter in answers if letter}
    missing = [str(number) for number in letters if number not in key]
    if missing:
        warnings.warn(
            f"{path} has no answer to {len(missing):,} of {len(letters):,} questions, which stay "
            f"without one: {_name(missing)}",
            stacklevel=2,
        )
    return key


def _number(name: str) -> str:
    """The source's id of what may be an `item_id`."""
    return name.removeprefix(ITEM_PREFIX).lstrip("0") if name.startswith(ITEM_PREFIX) else name


def _name(ids: list[str]) -> str:
    more = len(ids) - _MOST_NAMED
    return ", ".join(ids[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
