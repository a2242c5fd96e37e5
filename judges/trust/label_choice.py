"""Which labels are meant, from the flags of `normscope validate`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import UsageError, nearest
from ...files import hash_file
from ...languages import language_code
from ...rows import read_rows
from ..rubric import Rubric
from .labels import CriterionLabels, Wanted
from .public_sets import ALL, label_set, read_set
from .validation import LabelFile


def from_file(flags: Mapping[str, Any], used: Rubric) -> tuple[LabelFile, Wanted]:
    """The file of the flags, and how it is read: a criterion, or several with a column each."""
    path: Path = flags["labels"]
    columns = flags["label_columns"]
    if not columns:
        columns = {_only_criterion(flags["criterion"], used): flags["label_column"]}
    criteria = {
        criterion: CriterionLabels(column, _mapping(flags["mapping"], criterion, list(columns)))
        for criterion, column in columns.items()
    }
    sha256 = hash_file(path) if path.is_file() else ""
    labels = LabelFile(path.name, sha256, read_rows(path), titles=(path.stem,))
    return labels, _wanted(flags, criteria, flags["benchmark"] or path.stem)


def from_set(flags: Mapping[str, Any], used: Rubric) -> tuple[LabelFile, Wanted]:
    """The public set of the flags, under the criteria for which it has labels."""
    name, source, split = flags["labels_set"], flags["source"], flags["split"]
    chosen = label_set(name)
    if source is None:
        raise UsageError(f"--labels-set {name} needs --source, the folder of {chosen.about}")
    known = [criterion for criterion in chosen.criteria if criterion in used.criteria]
    if not known:
        raise UsageError(
            f"{name} has labels for {', '.join(chosen.criteria)}, rubric {used.name!r} "
            f"has the criteria "
            f"{', '.join(used.criteria)}"
        )
    asked = [flags["criterion"]] if flags["criterion"] else known
    for criterion in asked:
        if criterion not in known:
            told = f"it has them for {', '.join(known)}"
            raise UsageError(
                f"{name} has no labels for criterion {criterion!r} of {used.name!r}: {told}"
            )
    part = split or (chosen.splits[0] if chosen.splits else ALL)
    rows = read_set(name, source, split)
    title = f"{name}:{part}" if chosen.splits else name
    names = (name, *chosen.also_called)
    titles = tuple(f"{each}:{part}" if chosen.splits else each for each in names)
    labels = LabelFile(title, chosen.hash(source), rows, titles)
    criteria = {criterion: chosen.criteria[criterion] for criterion in asked}
    return labels, _wanted(flags, criteria, flags["benchmark"] or title)


def _wanted(
    flags: Mapping[str, Any], criteria: Mapping[str, CriterionLabels], benchmark: str
) -> Wanted:
    return Wanted(
        criteria=criteria,
        columns=flags["columns"],
        judged_as=flags["category"],
        language=language_code(flags["language"] or "") or None,
        benchmark=benchmark,
        limit=flags["limit"],
        seed=flags["seed"],
    )


def _only_criterion(criterion: str | None, used: Rubric) -> str:
    criteria = list(used.criteria)
    if criterion is None and len(criteria) > 1:
        raise UsageError(
            f"rubric {used.name!r} has several criteria: --criterion {'|'.join(criteria)}"
        )
    if criterion is not None and criterion not in criteria:
        raise UsageError(
            f"rubric {used.name!r} has no criterion {criterion!r}; {nearest(criterion, criteria)}"
        )
    return criterion or criteria[0]


def _mapping(given: Mapping[str, str], criterion: str, criteria: list[str]) -> dict[str, str]:
    """The criterion's part of `--map`: its own values, and plain ones where it is the only one.

    >>> _mapping({"moral:yes": "0", "refusal:no": "2"}, "moral", ["moral", "refusal"])
    {'yes': '0'}
    """
    mine = {}
    for value, label in given.items():
        owner, colon, name = value.partition(":")
        if colon and owner in criteria:
            if owner == criterion:
                mine[name] = label
        elif len(criteria) == 1:
            mine[value] = label
        else:
            raise UsageError(
                f"--map {value}={label}: of which criterion? --map {criteria[0]}:{value}=…"
            )
    return mine
