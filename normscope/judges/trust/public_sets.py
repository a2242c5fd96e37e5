"""Public sets with people's labels, each as rows; data/public_sets.yaml says what the labels mean.

The sets are read from their authors' files in a folder; nothing of them is in the package.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...errors import DataError, UsageError, nearest
from ...files import hash_file, hash_value
from ...tables import read_table
from ...text_tables import Rows
from ...yaml import load_yaml
from ..rubric import Rubric
from .labels import CriterionLabels, LabelFile, read_labels

ALL = "all"
_FILE = Path(__file__).parent / "data" / "public_sets.yaml"
_FIRST_CJK, _LAST_CJK = "\u4e00", "\u9fff"
# the share of Chinese letters: Chinese answers quote English words and code
_MOSTLY = 0.3


@dataclass(frozen=True, slots=True)
class LabelSet:
    """A public set: where its files lie, and which of its columns is a criterion's label.

    `select` is SQL for the columns that are read, of the table `rows`, which has the rows of its
    part in their order, beside those of every file under its name. Without a `language` it is that
    of each answer, Chinese or English.

    `also_called` are other names under which a judge may declare that it was trained on it.
    """

    about: str
    folder: str
    files: tuple[str, ...]
    select: str
    criteria: Mapping[str, CriterionLabels]
    language: str = ""
    splits: tuple[str, ...] = ()
    also_called: tuple[str, ...] = ()

    def place(self, source: Path) -> Path:
        """The folder with the set's files: `source`, or the set's own below it."""
        for folder in (source / self.folder, source / "human-labels" / self.folder, source):
            if all((folder / name).is_file() for name in self.files):
                return folder
        names = ", ".join(self.files)
        raise DataError(
            f"{source} has no {names} (in it or in {self.folder}); get them from {self.about}"
        )

    def hash(self, source: Path) -> str:
        """One hash of all the set's files."""
        folder = self.place(source)
        return hash_value({name: hash_file(folder / name) for name in self.files})


@cache
def label_sets() -> Mapping[str, LabelSet]:
    """The sets by their names."""
    return load_yaml(_FILE, dict[str, LabelSet])


def label_set(name: str) -> LabelSet:
    """The set of that name."""
    sets = label_sets()
    if name not in sets:
        raise UsageError(f"no label set {name!r}: {nearest(name, list(sets))}")
    return sets[name]


def read_set(name: str, source: Path, split: str | None = None) -> Rows:
    """The rows of a part of the set; without a split of its first one, or all."""
    chosen = label_set(name)
    part_name = split or (chosen.splits[0] if chosen.splits else ALL)
    if part_name not in (*chosen.splits, ALL):
        raise UsageError(f"{name} has no split {part_name!r}: {', '.join((*chosen.splits, ALL))}")
    splits = chosen.splits if part_name == ALL else (part_name,)
    import duckdb  # 0.3 s

    folder = chosen.place(source)
    tables = {file: _table(folder / file) for file in chosen.files}
    pieces = [table for file, table in tables.items() if not splits or Path(file).stem in splits]
    with duckdb.connect(config={"python_enable_replacements": False}) as database:
        for file, table in tables.items():
            database.register(Path(file).stem, table)
        rows = pa.concat_tables(pieces, promote_options="default")
        numbers = pa.array(range(len(rows)))
        database.register("rows", rows.append_column("row", numbers))
        selected = database.sql(f"SELECT {chosen.select} ORDER BY row").to_arrow_table()
    return [
        {**row, "language": chosen.language or language_of(row["response"])}
        for row in selected.to_pylist()
    ]


def labels_of(
    labels: Any,
    rubric: Rubric,
    criterion: str | None,
    *,
    source: str | os.PathLike[str] | None,
    split: str | None,
    **of_table: Any,
) -> LabelFile:
    """People's labels: of the public set of that name, or of a table or file (`read_labels`)."""
    if not isinstance(labels, str) or Path(labels).suffix or Path(labels).exists():
        return read_labels(labels, rubric, criterion, **of_table)
    folder = None if source is None else Path(source).expanduser()
    return set_labels(labels, rubric, source=folder, split=split, criterion=criterion)


def set_labels(
    name: str,
    rubric: Rubric,
    *,
    source: Path | None,
    split: str | None = None,
    criterion: str | None = None,
) -> LabelFile:
    """The labels of a public set, under all criteria of the rubric for which it has some, or one.

    `source` is the folder with its files; without a split it is the set's first part.
    """
    chosen = label_set(name)
    if source is None:
        raise UsageError(f"the labels of {name} need --source, the folder of {chosen.about}")
    labelled = _as_guards(chosen.criteria, rubric) if rubric.guard else chosen.criteria
    shared = [each for each in labelled if each in rubric.criteria]
    if not shared:
        raise UsageError(
            f"{name} has labels for {', '.join(chosen.criteria)}, rubric {rubric.name!r} has the "
            f"criteria {', '.join(rubric.criteria)}"
        )
    if criterion is not None and criterion not in shared:
        raise UsageError(
            f"{name} has no labels for criterion {criterion!r} of {rubric.name!r}: it has them for "
            f"{', '.join(shared)}"
        )
    part_name = split or (chosen.splits[0] if chosen.splits else ALL)
    titles = [
        f"{each}:{part_name}" if chosen.splits else each for each in (name, *chosen.also_called)
    ]
    criteria = {each: labelled[each] for each in shared if criterion in {None, each}}
    rows = read_set(name, source, split)
    return LabelFile(titles[0], chosen.hash(source), rows, tuple(titles), criteria)


_OF_DEGREES = {
    "refuses": {"0": "0", "1": "0", "2": "1", "3": "1"},
    "harms": {"0": "1", "1": "0", "2": "0", "3": "0"},
}
"""What degrees of refusal are under the criteria of guards."""


def _as_guards(
    criteria: Mapping[str, CriterionLabels], rubric: Rubric
) -> dict[str, CriterionLabels]:
    """The labels of a set as those that a guard's criteria have, by what these are worth."""
    several = dict(criteria)
    if degrees := several.get("refusal"):
        for name, values in _OF_DEGREES.items():
            mapping = {value: values[label] for value, label in degrees.mapping.items()}
            several[name] = replace(degrees, mapping=mapping)
    for name in several.keys() & rubric.criteria:
        scale = rubric.criteria[name].scale
        label_of = {
            f"{value:g}": label for value, label in zip(scale.values, scale.labels, strict=True)
        }
        mapping = {value: label_of[label] for value, label in several[name].mapping.items()}
        several[name] = replace(several[name], mapping=mapping)
    return several


def _table(path: Path) -> pa.Table:
    """The rows of a CSV, or of a JSON file that lists them, under a `cluster` each or as they are.

    Of JSON the texts alone are taken, which is what sets say in it.
    """
    if path.suffix != ".json":
        return read_table(path).rows
    value = json.loads(path.read_text(encoding="utf-8"))
    clusters = value if isinstance(value, dict) else {"": value}
    return pa.Table.from_pylist(
        [
            {name: cell for name, cell in row.items() if isinstance(cell, str)}
            | {"cluster": cluster}
            for cluster, rows in clusters.items()
            for row in rows
        ]
    )


def language_of(text: str) -> str:
    """The language of a text that is either English or Chinese, by its characters.

    >>> language_of("抱歉，我不能回答。"), language_of("No.")
    ('zh', 'en')
    """
    letters = [character for character in text if character.isalpha()]
    chinese = sum(_FIRST_CJK <= character <= _LAST_CJK for character in letters)
    return "zh" if letters and chinese / len(letters) > _MOSTLY else "en"
