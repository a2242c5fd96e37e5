"""The shapes of CHiSafetyBench's JSON files; an unknown or missing key is an error."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import ConfigDict

_STRICT = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class Question:
    """A risky question, or a multiple-choice one with its options in its text."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    id: int
    question: str
    category: str


@dataclass(frozen=True, slots=True)
class Group:
    """The questions under one heading."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    category: str
    infos: list[Question]


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """One turn of a dialogue before its last question."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A risky question, `input`, at the end of a dialogue."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT
    category: str
    sub_category: str
    input: str
    history: list[SourceTurn]
