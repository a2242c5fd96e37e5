"""Which labels are meant, from the flags of `normscope validate`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....errors import UsageError, nearest
from ....files import hash_file
from ....languages import language_code
from ....rows import read_rows
from ...rubric import Rubric
from .labels import HeadLabels, Wanted
from .make import LabelFile
from .sets import ALL, label_set, read_set


def from_file(flags: Mapping[str, Any], used: Rubric) -> tuple[LabelFile, Wanted]:
    """The file of the flags, and how it is read: a head, or several with a column each."""
    path: Path = flags["labels"]
    columns = flags["label_columns"]
    if not columns:
        columns = {_only_head(flags["head"], used): flags["label_column"]}
    heads = {
        head: HeadLabels(column, _mapping(flags["mapping"], head, list(columns)))
        for head, column in columns.items()
    }
    sha256 = hash_file(path) if path.is_file() else ""
    labels = LabelFile(path.name, sha256, read_rows(path), titles=(path.stem,))
    return labels, _wanted(flags, heads, flags["benchmark"] or path.stem)


def from_set(flags: Mapping[str, Any], used: Rubric) -> tuple[LabelFile, Wanted]:
    """The public set of the flags, under the heads for which it has labels."""
    name, source, split = flags["labels_set"], flags["source"], flags["split"]
    chosen = label_set(name)
    if source is None:
        raise UsageError(f"--labels-set {name} needs --source, the folder of {chosen.about}")
    known = [head for head in chosen.heads if head in used.heads]
    if not known:
        raise UsageError(
            f"{name} has labels for {', '.join(chosen.heads)}, rubric {used.name!r} has the heads "
            f"{', '.join(used.heads)}"
        )
    asked = [flags["head"]] if flags["head"] else known
    for head in asked:
        if head not in known:
            told = f"it has them for {', '.join(known)}"
            raise UsageError(f"{name} has no labels for head {head!r} of {used.name!r}: {told}")
    part = split or (chosen.splits[0] if chosen.splits else ALL)
    rows = read_set(name, source, split)
    title = f"{name}:{part}" if chosen.splits else name
    names = (name, *chosen.also_called)
    titles = tuple(f"{each}:{part}" if chosen.splits else each for each in names)
    labels = LabelFile(title, chosen.hash(source), rows, titles)
    heads = {head: chosen.heads[head] for head in asked}
    return labels, _wanted(flags, heads, flags["benchmark"] or title)


def _wanted(flags: Mapping[str, Any], heads: Mapping[str, HeadLabels], benchmark: str) -> Wanted:
    return Wanted(
        heads=heads,
        columns=flags["columns"],
        judged_as=flags["category"],
        language=language_code(flags["language"] or "") or None,
        benchmark=benchmark,
        limit=flags["limit"],
        seed=flags["seed"],
    )


def _only_head(head: str | None, used: Rubric) -> str:
    heads = list(used.heads)
    if head is None and len(heads) > 1:
        raise UsageError(f"rubric {used.name!r} has several heads: --head {'|'.join(heads)}")
    if head is not None and head not in heads:
        raise UsageError(f"rubric {used.name!r} has no head {head!r}; {nearest(head, heads)}")
    return head or heads[0]


def _mapping(given: Mapping[str, str], head: str, heads: list[str]) -> dict[str, str]:
    """The head's part of `--map`: its own values, and where it is the only head, plain ones.

    >>> _mapping({"moral:yes": "0", "refusal:no": "2"}, "moral", ["moral", "refusal"])
    {'yes': '0'}
    """
    mine = {}
    for value, label in given.items():
        owner, colon, name = value.partition(":")
        if colon and owner in heads:
            if owner == head:
                mine[name] = label
        elif len(heads) == 1:
            mine[value] = label
        else:
            raise UsageError(f"--map {value}={label}: of which head? --map {heads[0]}:{value}=…")
    return mine
