"""CHiSafetyBench's JSON files: their shapes, their category labels, and a check of the ids."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...errors import SourceError, nearest
from ..taxonomy import CHISAFETYBENCH, Category, by_label

_LABELS = by_label(CHISAFETYBENCH)


@dataclass(frozen=True, slots=True)
class Question:
    """A risky question, or a multiple-choice one with its options in its text."""

    id: int
    question: str
    category: str


@dataclass(frozen=True, slots=True)
class Group:
    """The questions under one heading."""

    category: str
    infos: list[Question]


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """One turn of a dialogue before its last question."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A risky question, `input`, at the end of a dialogue."""

    category: str
    sub_category: str
    input: str
    history: list[SourceTurn]


def find_category(label: str, *, path: Path) -> Category:
    """The label's category, or a `SourceError` that names the file and the nearest label.

    >>> find_category("信仰歧视内容", path=Path("mcq.json")).slug
    'religious_discrimination'
    """
    if label not in _LABELS:
        hint = nearest(label, list(_LABELS))
        raise SourceError(f"{path}: {label!r} is no category of CHiSafetyBench; {hint}")
    return _LABELS[label]


def check_unique(ids: Iterable[int], *, path: Path) -> None:
    """A `SourceError` if an id stands twice, since it would no longer name an item."""
    twice = [str(number) for number, times in Counter(ids).items() if times > 1]
    if twice:
        raise SourceError(f"{path}: each id must stand once; more often: {', '.join(twice)}")
