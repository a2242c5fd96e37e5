"""Public sets with people's labels, each as rows; data/public_sets.yaml says what the labels mean.

The sets are read from their authors' files in a folder; nothing of them is in the package.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import DataError, UsageError, nearest
from ...files import hash_file, hash_value
from ...tables import read_table
from ...text_tables import Rows
from ...yaml import load_yaml
from ..rubric import Rubric
from .labels import CriterionLabels, LabelFile

ALL = "all"
_FILE = Path(__file__).parent / "data" / "public_sets.yaml"
_FIRST_CJK, _LAST_CJK = "\u4e00", "\u9fff"
# the share of Chinese letters: Chinese answers quote English words and code
_MOSTLY = 0.3


@dataclass(frozen=True, slots=True)
class LabelSet:
    """A public set: where its files lie, and which of its columns is a criterion's label.

    `also_called` are other names under which a judge may declare that it was trained on it.
    """

    about: str
    folder: str
    files: tuple[str, ...]
    criteria: Mapping[str, CriterionLabels]
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
    return _READERS[name](chosen.place(source), splits)


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
        raise UsageError(f"--labels-set {name} needs --source, the folder of {chosen.about}")
    shared = [each for each in chosen.criteria if each in rubric.criteria]
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
    criteria = {each: chosen.criteria[each] for each in shared if criterion in {None, each}}
    rows = read_set(name, source, split)
    return LabelFile(titles[0], chosen.hash(source), rows, tuple(titles), criteria)


def language_of(text: str) -> str:
    """The language of a text that is either English or Chinese, by its characters.

    >>> language_of("抱歉，我不能回答。"), language_of("No.")
    ('zh', 'en')
    """
    letters = [character for character in text if character.isalpha()]
    chinese = sum(_FIRST_CJK <= character <= _LAST_CJK for character in letters)
    return "zh" if letters and chinese / len(letters) > _MOSTLY else "en"


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _do_not_answer(folder: Path, _: tuple[str, ...]) -> Rows:
    rows = read_table(folder / "human_all_5634.csv").to_rows()
    for row in rows:
        row["language"] = "en"
        row["action and harm"] = "harmful" if row["harmful"] == "1" else row["action"]
    return rows


def _gptfuzz(folder: Path, parts: tuple[str, ...]) -> Rows:
    questions = {
        row["index"]: row["text"] for row in read_table(folder / "question_list.csv").to_rows()
    }
    return [
        {
            "question": questions[row["question"]],
            "response": row["Response"],
            "label": row["label"],
            "cluster": row["question"],
            "language": "en",
        }
        for part in parts
        for row in read_table(folder / f"{part}.csv").to_rows()
    ]


def _latent_jailbreak(folder: Path, _: tuple[str, ...]) -> Rows:
    return [
        {
            "question": row["context"],
            "response": row["response"],
            "safety": row["safety"],
            "cluster": group,
            "language": language_of(row["response"]),
        }
        for file in label_set("latent-jailbreak").files
        for group, rows in _json(folder / file).items()
        for row in rows
    ]


def _cvalues(folder: Path, _: tuple[str, ...]) -> Rows:
    return [{**row, "language": "zh"} for row in read_table(folder / "cvalues_flat.csv").to_rows()]


def _jade(folder: Path, _: tuple[str, ...]) -> Rows:
    return [
        {
            "question": row["问题"],
            "response": row[column],
            "answer": kind,
            "cluster": row["ID"],
            "language": "zh",
        }
        for row in read_table(folder / "jade_alignment_medium_zh_utf8.csv").to_rows()
        for column, kind in (("违规回答", "violating"), ("安全有用回答", "safe"))
    ]


def _diasafety(folder: Path, parts: tuple[str, ...]) -> Rows:
    return [
        {
            "question": row["context"],
            "response": row["response"],
            "category": row["category"],
            "label": row["label"],
            "language": "en",
        }
        for part in parts
        for row in _json(folder / f"{part}.json")
    ]


_READERS: dict[str, Callable[[Path, tuple[str, ...]], Rows]] = {
    "do-not-answer": _do_not_answer,
    "gptfuzz": _gptfuzz,
    "latent-jailbreak": _latent_jailbreak,
    "cvalues": _cvalues,
    "jade": _jade,
    "diasafety": _diasafety,
}
