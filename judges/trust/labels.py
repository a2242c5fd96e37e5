"""Files of answers that people have labelled, as rows that a judge can be asked about."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...errors import DataError, UsageError
from ...records.answered import ROLES, answered, check_columns, columns_of, spelt
from ...records.item import Message
from ...rows import Row, Rows
from ..rubric import Rubric

COLUMNS = (*ROLES, "turns", "cluster", "benchmark")
"""What a file's columns are read as."""

EVERY = ""
"""The key of `judged_as` that holds for all values without one of their own."""

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class CriterionLabels:
    """Which column has people's labels for a criterion, and what its values are on its scale.

    An empty `mapping` takes the values as they are; a value mapped to nothing is left out.
    """

    column: str
    mapping: Mapping[str, str] = field(default_factory=dict)
    meaning: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the rows of a file are read.

    `columns` maps a name of `COLUMNS` to the file's own; `judged_as` the file's categories to the
    rubric's (key empty: all others; without it they are judged under the rubric's own fallback);
    `language` and `benchmark` are those of rows that name none.
    """

    criteria: Mapping[str, CriterionLabels]
    columns: Mapping[str, str] = field(default_factory=dict)
    judged_as: Mapping[str, str] = field(default_factory=dict)
    language: str | None = None
    benchmark: str = ""
    limit: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Labelled:
    """One answer with people's label for each criterion, and its cluster (not independent).

    `number` is its place in the file, from 1. `category` is the rubric's, under which it is judged;
    `groups` has what the agreement is broken down by, the file's own category among it.
    """

    number: int
    messages: tuple[Message, ...]
    response: str
    language: str
    category: str
    cluster: str
    groups: Mapping[str, str]
    human: Mapping[str, str]


def labelled(rows: Rows, used: Rubric, wanted: Wanted, *, name: str) -> list[Labelled]:
    """The rows with a label for some criterion, or one error that says what is wrong."""
    columns = columns_of(wanted.columns, COLUMNS)
    check_columns(rows, columns, name=name)
    _check_labels(rows, wanted, name)
    maps = {
        criterion: _map(rows, criterion, labels, used, name)
        for criterion, labels in wanted.criteria.items()
    }
    reader = _Reader(used, wanted, columns, name)
    found = []
    for number, row in enumerate(rows, start=1):
        human = {
            criterion: label
            for criterion, labels in wanted.criteria.items()
            if (label := maps[criterion].get(spelt(row.get(labels.column))))
        }
        if human:
            found.append(reader.read(number, row, human))
    if not found:
        raise DataError(f"{name}: no row has a label; is the label column empty?")
    if wanted.limit is not None and wanted.limit < len(found):
        kept = random.Random(wanted.seed).sample(range(len(found)), wanted.limit)  # noqa: S311
        found = [found[at] for at in sorted(kept)]
    return found


def _check_labels(rows: Rows, wanted: Wanted, name: str) -> None:
    have = list(dict.fromkeys(column for row in rows for column in row))
    for labels in wanted.criteria.values():
        if labels.column not in have:
            told = ", ".join(have) or "no column"
            raise DataError(
                f"{name} has no column {labels.column!r} (it has {told}): name it, "
                "--label-column NAME"
            )


def _map(
    rows: Rows, criterion: str, labels: CriterionLabels, used: Rubric, name: str
) -> Mapping[str, str]:
    """The criterion's label of each value in the column; a value that has none is an error."""
    scale = used.criteria[criterion].scale.labels
    for value, label in labels.mapping.items():
        if label and label not in scale:
            raise UsageError(
                f"{value!r} is mapped to {label!r}, which is no label of criterion {criterion!r}: "
                f"{', '.join(scale)}"
            )
    mapping = dict(labels.mapping) or {label: label for label in scale}
    counted = Counter(spelt(row.get(labels.column)) for row in rows)
    counted.pop("", None)
    strangers = [value for value in counted if value not in mapping]
    if strangers:
        shown = ", ".join(f"{value!r} ({counted[value]:,})" for value in strangers[:_SHOWN])
        more = f" and {len(strangers) - _SHOWN} more" if len(strangers) > _SHOWN else ""
        example = ",".join(f"{value}={scale[0]}" for value in strangers[:2])
        raise DataError(
            f"{name}, column {labels.column!r}: {shown}{more} stand "
            f"for no label of criterion {criterion!r} "
            f"({', '.join(scale)}). Say which, for example --map {example!r}; a value to be left "
            "out is mapped to nothing (unsure=)"
        )
    return mapping


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes a row of the file a row of ours."""

    used: Rubric
    wanted: Wanted
    columns: Mapping[str, str]
    name: str

    def read(self, number: int, row: Row, human: Mapping[str, str]) -> Labelled:
        place = f"{self.name}, row {number}"
        said = answered(row, self.columns, place=place)
        language = said.language or self.wanted.language
        if not language:
            told = "no language; add a column or name it for all rows: --language zh"
            raise DataError(f"{place}: {told}")
        asks = sum(message.role == "user" for message in said.messages)
        turns, cluster, benchmark = (
            spelt(row.get(self.columns[role])) for role in ("turns", "cluster", "benchmark")
        )
        return Labelled(
            number=number,
            messages=said.messages,
            response=said.response or "",
            language=language,
            category=self._judged_as(said.category, place),
            cluster=cluster or "\n".join(m.content for m in said.messages),
            groups={
                "language": language,
                "category": said.category,
                "turns": turns or ("multi" if asks > 1 else "single"),
                "benchmark": benchmark,
            },
            human=human,
        )

    def _judged_as(self, own: str, place: str) -> str:
        """The rubric's category for the file's own."""
        used, judged_as = self.used, self.wanted.judged_as
        if not used.categories:
            return own
        if own in judged_as or own not in used.categories:
            named = judged_as.get(own) or judged_as.get(EVERY) or used.fallback_category
        else:
            named = own
        if named is None:
            told = f"category {own!r} is none of rubric {used.name!r}'s" if own else "no category"
            raise DataError(
                f"{place}: {told}; say under which to judge, with --category SLUG for all rows or "
                f"--category {own or 'VALUE'}=SLUG for one value ({', '.join(used.categories)})"
            )
        used.refuse_category(named)
        return named
