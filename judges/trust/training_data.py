"""Whether people's labels are of a set that the judge was trained on, as far as that is declared.

A judge looks better on what it has learnt from than it is. What it has learnt from is declared in
its config (`normscope_trained_on`), in its model card (`datasets`), or by whoever makes its card.
Of what nobody declares, nothing is known.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...records.model_spec import ModelSpec
from ...yaml import plain, read_text
from ..model_folder import brought_file

Overlap = Literal["none", "other part", "same"]

ALL = "all"
"""The part of a set that is all of it."""

_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*(\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The judge's declared training data, and whether the labelled set is in it.

    `overlap` is `same` where rows of the labelled part of the set are declared, `other part` where
    another part of the set is; `matched` are the declared names that say so.
    """

    declared: tuple[str, ...] = ()
    overlap: Overlap = "none"
    matched: tuple[str, ...] = ()


NOTHING_DECLARED = TrainingData()


def training_data(declared: Sequence[str], titles: Iterable[str]) -> TrainingData:
    """The declared sets held against the labelled one, which may have several names.

    A name is `SET` or `SET:PART`; upper case, signs and what stands before a slash do not count.

    >>> training_data(["thu-coai/DiaSafety:train", "cold"], ["diasafety:test"]).overlap
    'other part'
    """
    matched: dict[Overlap, dict[str, None]] = {"same": {}, "other part": {}}
    for title in titles:
        labelled, labelled_part = _set_and_part(title)
        for name in declared:
            known, trained_part = _set_and_part(name)
            if known == labelled:
                # a name without a part is of the whole set
                whole = {labelled_part, trained_part} & {"", ALL}
                same = whole or labelled_part == trained_part
                matched["same" if same else "other part"][name] = None
    overlap: Overlap = next((kind for kind, names in matched.items() if names), "none")
    return TrainingData(tuple(declared), overlap, tuple(matched.get(overlap, ())))


def declared_sets(judge: ModelSpec, identity: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the sets in the judge's config and, for a local folder, in its model card."""
    return tuple(dict.fromkeys((*(identity.get("trained_on") or ()), *_of_model_card(judge))))


def _of_model_card(judge: ModelSpec) -> tuple[str, ...]:
    path = brought_file(judge, "README.md")
    if path is None:
        return ()
    matter = _FRONT_MATTER.match(read_text(path))
    value, _ = plain(matter[1], name=str(path)) if matter else (None, {})
    names = value.get("datasets") if isinstance(value, dict) else None
    return tuple(map(str, [names] if isinstance(names, str) else names or ()))


def _set_and_part(title: str) -> tuple[str, str]:
    name, _, split = title.casefold().partition(":")
    return re.sub(r"[\W_]", "", name.rpartition("/")[2]), split.strip()
