"""Files of answers that people have labelled, as rows that a judge can be asked about."""

import os
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import DataError, UsageError, nearest
from ...files import hash_file, hash_value
from ...records.answered import ROLES, answered, columns_of, spelt
from ...records.item import Item
from ...tables import read_table
from ...text_tables import Rows
from ..rubric import Rubric

COLUMNS = (*ROLES, "turns", "cluster", "benchmark")
"""What a file's columns are read as."""

STAGE = "labels"
"""What the items of a file are called in the journal of judging it."""

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
class Labelled:
    """One answer to an item, with people's label for each criterion.

    `number` is its place, from 1. The item's category is the rubric's, under which it is judged,
    and its cluster what is not independent of it; `groups` has what the agreement is broken down
    by, the file's own category among it.
    """

    number: int
    item: Item
    response: str
    groups: Mapping[str, str]
    human: Mapping[str, str]


def read_labels(
    source: Any,
    rubric: Rubric,
    criterion: str | None = None,
    *,
    column: str = "label",
    mapping: Mapping[Any, Any] | None = None,
    name: str = "",
) -> LabelFile:
    """The labels of a criterion, the rubric's only one if none is named: of a file or a table.

    `name` is what a table is called that stands in no file.
    """
    present = list(rubric.criteria)
    if criterion is None and len(present) > 1:
        raise UsageError(
            f"rubric {rubric.name!r} has several criteria: --criterion={'|'.join(present)}"
        )
    chosen = criterion or present[0]
    if chosen not in present:
        raise UsageError(
            f"rubric {rubric.name!r} has no criterion {chosen!r}; {nearest(chosen, present)}"
        )
    spelled = {spelt(value): spelt(label) for value, label in (mapping or {}).items()}
    criteria = {chosen: CriterionLabels(column, spelled)}
    rows = read_table(source).to_rows()
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return LabelFile(path.name, hash_file(path), rows, (path.stem,), criteria)
    name = name or "labels"
    texts = [{key: str(value) for key, value in row.items()} for row in rows]
    return LabelFile(name, hash_value(texts), rows, (name,), criteria)


def labelled(
    labels: LabelFile,
    rubric: Rubric,
    *,
    columns: Mapping[str, str] | None = None,
    category: str = "",
    language: str | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[Labelled]:
    """The rows with a label for some criterion, or one error that says what is wrong.

    `columns` maps a name of `COLUMNS` to the file's own; `category` is the
    rubric's under which rows are judged that have none of its own (without it its fallback);
    `language` is that of rows that name none.
    """
    column_of = columns_of(columns or {}, labels.rows, name=labels.name, roles=COLUMNS)
    maps = {criterion: _map(labels, criterion, rubric) for criterion in labels.criteria}
    results = []
    for number, row in enumerate(labels.rows, start=1):
        human = {
            criterion: label
            for criterion, of_values in maps.items()
            if (label := of_values.get(spelt(row.get(labels.criteria[criterion].column))))
        }
        if not human:
            continue
        place = f"{labels.name}, row {number}"
        answer = answered(row, column_of, place=place)
        if not (spoken := answer.language or language):
            raise DataError(
                f"{place}: no language; add a column or name it for all rows: --language=zh"
            )
        turns, cluster, benchmark = (
            spelt(row.get(column_of[role])) for role in ("turns", "cluster", "benchmark")
        )
        item = Item(
            benchmark=STAGE,
            item_id=str(number),
            messages=answer.messages,
            language=spoken,
            category=_category(answer.category, category, rubric, place),
            cluster=cluster or "\n".join(turn.content for turn in answer.messages),
        )
        questions = sum(turn.role == "user" for turn in item.messages)
        groups = {
            "language": item.language,
            "category": answer.category,
            "turns": turns or ("multi" if questions > 1 else "single"),
            "benchmark": benchmark,
        }
        results.append(Labelled(number, item, answer.response or "", groups, human))
    if not results:
        raise DataError(f"{labels.name}: no row has a label; is the label column empty?")
    if limit is not None and limit < len(results):
        # drawn, since files are mostly sorted by something
        drawn = random.Random(seed).sample(range(len(results)), limit)  # noqa: S311
        results = [results[at] for at in sorted(drawn)]
    return results


def _map(labels: LabelFile, criterion: str, rubric: Rubric) -> Mapping[str, str]:
    """The criterion's label of each value in its column; a value that has none is an error."""
    labelling, name = labels.criteria[criterion], labels.name
    have = list(dict.fromkeys(column for row in labels.rows for column in row))
    if labelling.column not in have:
        raise DataError(
            f"{name} has no column {labelling.column!r} (it has {', '.join(have) or 'no column'}): "
            "name it, --column label=NAME"
        )
    scale = rubric.criteria[criterion].scale.labels
    for value, label in labelling.mapping.items():
        if label and label not in scale:
            raise UsageError(
                f"{value!r} is mapped to {label!r}, which is no label of criterion {criterion!r}: "
                f"{', '.join(scale)}"
            )
    mapping = dict(labelling.mapping) or {label: label for label in scale}
    counted = Counter(spelt(row.get(labelling.column)) for row in labels.rows)
    counted.pop("", None)
    strangers = [value for value in counted if value not in mapping]
    if strangers:
        visible = ", ".join(f"{value!r} ({counted[value]:,})" for value in strangers[:_SHOWN])
        more = f" and {len(strangers) - _SHOWN} more" if len(strangers) > _SHOWN else ""
        example = ",".join(f"{value}=LABEL" for value in strangers[:2])
        ordered = ", ".join(rubric.criteria[criterion].labels_by_value)
        raise DataError(
            f"{name}, column {labelling.column!r}: {visible}{more} stand "
            f"for no label of criterion {criterion!r} "
            f"({', '.join(scale)}). Say which, --map {example!r} (from the lowest value of the "
            f"scale to the highest the labels are {ordered}); a value to be left out is mapped to "
            "nothing (unsure=)"
        )
    return mapping


def _category(value: str, chosen: str, rubric: Rubric, place: str) -> str:
    """The rubric's category for the file's own: itself, the chosen one, or the fallback."""
    if not rubric.categories or value in rubric.categories:
        return value
    category = chosen or rubric.fallback_category
    if category is None:
        problem = f"category {value!r} is none of {rubric.name!r}'s" if value else "no category"
        raise DataError(
            f"{place}: {problem}; say under which to judge, --category SLUG "
            f"({', '.join(rubric.categories)})"
        )
    rubric.refuse_category(category)
    return category
