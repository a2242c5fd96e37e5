"""A judge's card: how far one criterion of one judge agrees with people, and for what that holds.

A card is data. It is written as JSON, read back as the same value, and shown by
`report.trust.card`.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ...errors import DataError
from ...files import hash_value, read_json, rounded, typed, typed_of_file, write_json
from ...messages import Text
from ...metrics.detection import Bin, ClassRates
from ...metrics.estimate import Statistic
from ...reasons import Reason
from .training_data import NOTHING_DECLARED, TrainingData


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Which judge: what the engine says of itself, and of that what must be the same elsewhere.

    `content` is the hash of a local model's files, `revision` the commit of one on the Hub,
    `chat_template` the hash of what turns the question into the model's text. `all` has everything.
    """

    model: str
    engine: str
    revision: str | None
    content: str | None
    chat_template: str | None
    dtype: str | None
    note: str | None
    all: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RubricUsed:
    """Which rubric and criterion: name, version, content hash; labels and their values.

    `languages` are those that the rubric speaks, `harmful` the labels of answers that do harm, and
    `published` what a guard's makers say of it.
    """

    name: str
    version: int
    hash: str
    criterion: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    read: str
    harmful: tuple[str, ...]
    languages: tuple[str, ...]
    published: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelSource:
    """Whose labels: the file's name and hash, what a label means, and how it was mapped.

    `benchmark` names the set; `rows` counts the file's, `taken` those that were judged. `mapping`
    goes from the file's values to the rubric's labels; `judged_as` counts the rows by the rubric's
    category under which they were judged; `notes` say where it is loose.
    """

    benchmark: str
    file: str
    sha256: str
    rows: int
    taken: int
    column: str
    meaning: Text
    mapping: Mapping[str, str]
    judged_as: Mapping[str, int]
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often people's label (row) met the judge's (column), and how often it gave none."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    unscored: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """The agreement on some of the rows: all, or one level of a dimension such as `language`.

    `n` counts the rows that the judge scored, `clusters` the questions in them, `unscored` the
    others by reason. `statistics` are the judge's, `baselines` the same of predictors that read
    nothing, on the same rows, and `gains` what the judge has over each of them.
    """

    group: str
    member: str
    n: int
    clusters: int
    unscored: Mapping[str, int]
    statistics: tuple[Statistic, ...]
    baselines: Mapping[str, tuple[Statistic, ...]]
    gains: Mapping[str, tuple[Statistic, ...]]
    classes: tuple[ClassRates, ...]
    confusion: Confusion
    reliability: tuple[Bin, ...]

    def statistic(self, name: str) -> Statistic:
        """The judge's statistic of that name."""
        return next(statistic for statistic in self.statistics if statistic.name == name)


@dataclass(frozen=True, slots=True)
class Card:
    """Everything that was measured of one criterion of a judge against people's labels."""

    judge: JudgeIdentity
    rubric: RubricUsed
    source: LabelSource
    date: str
    normscope: str
    slices: tuple[Slice, ...]
    training: TrainingData = NOTHING_DECLARED
    settings: Mapping[str, Any] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    format: Literal[1] = 1

    @property
    def overall(self) -> Slice:
        """All rows."""
        return self.slices[0]

    @property
    def unscored(self) -> float:
        """The share of the labelled answers that the judge gave no value, for whatever reason."""
        missing = sum(self.overall.unscored.values())
        total = missing + self.overall.n
        if self.rubric.read == "mean":
            # of tied labels there is a mean, and no label
            missing -= self.overall.unscored.get(Reason.TIE, 0)
        return missing / max(1, total)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in which the judge was measured on at least one row."""
        return tuple(s.member for s in self.slices if s.group == "language" and s.n)

    def slice_of(self, group: str, member: str) -> Slice | None:
        """The slice of that level, null if the card has none."""
        levels = {(each.group, each.member): each for each in self.slices}
        return levels.get((group, member))

    @property
    def hash(self) -> str:
        """The SHA-256 of the card."""
        return hash_value(plain(self))


def plain(card: Card) -> dict[str, Any]:
    """The card as JSON values, numbers to nine digits: what follows hangs on the machine."""
    # the last digits differ from machine to machine, and the card's hash must not
    value: dict[str, Any] = rounded(asdict(card))
    return value


def as_read_back(card: Card) -> Card:
    """The card as it will be read back from its file."""
    return typed(Card, plain(card))


def write_card(card: Card, path: Path) -> None:
    """Writes the card as JSON."""
    write_json(path, plain(card))


def read_card(path: Path) -> Card:
    """The card in the file, or a `DataError` that names what is wrong with it."""
    value = read_json(path)
    if not isinstance(value, dict) or "judge" not in value or "rubric" not in value:
        raise DataError(f"{path} is no judge's card: `normscope validate` makes one")
    return typed_of_file(Card, value, path=path, remedy="make the card anew")


def today() -> str:
    """The date in UTC, or that of SOURCE_DATE_EPOCH, so that a card can be made again exactly."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.date().isoformat()
