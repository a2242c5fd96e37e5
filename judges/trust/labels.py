"""Files of answers that people have labelled, as rows that a judge can be asked about."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import DataError, UsageError, nearest
from ...files import hash_file
from ...records.answered import ROLES, answered, check_columns, columns_of, spelt
from ...records.item import Turn
from ...rows import Row, Rows, read_rows
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
class LabelFile:
    """The rows with people's labels, where they are from, and the criteria that they are of.

    `titles` are the names of the set (or of its part, `SET:PART`) by which training data is told,
    the first of them its own.
    """

    name: str
    sha256: str
    rows: Rows
    titles: tuple[str, ...]
    criteria: Mapping[str, CriterionLabels]


@dataclass(frozen=True, slots=True)
class LabelLayout:
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
    messages: tuple[Turn, ...]
    response: str
    language: str
    category: str
    cluster: str
    groups: Mapping[str, str]
    human: Mapping[str, str]


def file_labels(
    path: Path,
    rubric: Rubric,
    columns: Mapping[str, str],
    *,
    criterion: str | None = None,
    column: str = "label",
    mapping: Mapping[str, str] | None = None,
) -> LabelFile:
    """A file with a column of labels per criterion, or with one for `criterion`.

    `mapping` is from the file's values to labels, `criterion:value` where there are several.
    """
    columns = columns or {_only_criterion(criterion, rubric): column}
    criteria = {
        name: CriterionLabels(own, _mapping(mapping or {}, name, list(columns)))
        for name, own in columns.items()
    }
    sha256 = hash_file(path) if path.is_file() else ""
    return LabelFile(path.name, sha256, read_rows(path), (path.stem,), criteria)


def labelled(rows: Rows, used: Rubric, layout: LabelLayout, *, name: str) -> list[Labelled]:
    """The rows with a label for some criterion, or one error that says what is wrong."""
    columns = columns_of(layout.columns, COLUMNS)
    check_columns(rows, columns, name=name)
    _check_labels(rows, layout, name)
    maps = {
        criterion: _map(rows, criterion, labels, used, name)
        for criterion, labels in layout.criteria.items()
    }
    reader = _Reader(used, layout, columns, name)
    found = []
    for number, row in enumerate(rows, start=1):
        human = {
            criterion: label
            for criterion, labels in layout.criteria.items()
            if (label := maps[criterion].get(spelt(row.get(labels.column))))
        }
        if human:
            found.append(reader.read(number, row, human))
    if not found:
        raise DataError(f"{name}: no row has a label; is the label column empty?")
    if layout.limit is not None and layout.limit < len(found):
        kept = random.Random(layout.seed).sample(range(len(found)), layout.limit)  # noqa: S311
        found = [found[at] for at in sorted(kept)]
    return found


def _check_labels(rows: Rows, layout: LabelLayout, name: str) -> None:
    have = list(dict.fromkeys(column for row in rows for column in row))
    for labels in layout.criteria.values():
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


def _only_criterion(criterion: str | None, rubric: Rubric) -> str:
    criteria = list(rubric.criteria)
    if criterion is None and len(criteria) > 1:
        raise UsageError(
            f"rubric {rubric.name!r} has several criteria: --criterion {'|'.join(criteria)}"
        )
    if criterion is not None and criterion not in criteria:
        raise UsageError(
            f"rubric {rubric.name!r} has no criterion {criterion!r}; {nearest(criterion, criteria)}"
        )
    return criterion or criteria[0]


def _mapping(given: Mapping[str, str], criterion: str, criteria: list[str]) -> dict[str, str]:
    """The criterion's part of `--map`: its own values, and plain ones where it is the only one.

    >>> _mapping({"moral:yes": "0", "refusal:no": "2"}, "moral", ["moral", "refusal"])
    {'yes': '0'}
    """
    found = {}
    for value, label in given.items():
        owner, colon, name = value.partition(":")
        if colon and owner in criteria:
            if owner == criterion:
                found[name] = label
        elif len(criteria) == 1:
            found[value] = label
        else:
            raise UsageError(
                f"--map {value}={label}: of which criterion? --map {criteria[0]}:{value}=…"
            )
    return found


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes a row of the file a row of ours."""

    used: Rubric
    layout: LabelLayout
    columns: Mapping[str, str]
    name: str

    def read(self, number: int, row: Row, human: Mapping[str, str]) -> Labelled:
        place = f"{self.name}, row {number}"
        said = answered(row, self.columns, place=place)
        language = said.language or self.layout.language
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
        used, judged_as = self.used, self.layout.judged_as
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
