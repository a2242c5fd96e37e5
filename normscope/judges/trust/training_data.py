"""Whether people's labels are of a set that the judge was trained on, as far as that is declared.

A judge looks better on what it has learnt from than it is. What it has learnt from is declared in
its config (`normscope_trained_on`), in its model card (`datasets`), or by whoever makes its card.
A set under another name is told by its texts, where the judge's folder has hashes of those that it
learnt from (`TEXTS`).
"""

import re
import unicodedata
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from ...files import read_json, typed_of_file, write_json
from ...records.model_spec import ModelSpec
from ...yaml import front_matter
from ..model_folder import brought_file

Overlap = Literal["none", "other part", "same"]

ALL = "all"
"""The part of a set that is all of it."""

TEXTS = "training_texts.json"
"""The file in a judge's folder with hashes of the questions and answers that it learnt from."""

_BYTES = 5
_ONE_IN = 8
"""Of the hashes this share is kept: the same texts are compared on both sides, and the file is
100 kB for 135,000 texts."""

_CHANCE = 0.05
"""Of the labelled texts; of test parts of the bundled judge's own sets at most 1.2 % are learnt."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The judge's declared training data, and whether the labelled set is in it.

    `overlap` is `same` where rows of the labelled part of the set are declared, `other part` where
    another part of the set is; `matched` are the declared names that say so. Where the texts do,
    `text_share` is about how many of the labelled ones the judge learnt from.
    """

    declared: tuple[str, ...] = ()
    overlap: Overlap = "none"
    matched: tuple[str, ...] = ()
    text_share: float = 0.0


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """Hashes of the texts of each set, in base64: those that `one_in` divides."""

    one_in: int
    sets: Mapping[str, str]

    def sets_of(self) -> Mapping[int, str]:
        """The set of each hash."""
        return {
            int.from_bytes(raw[at : at + _BYTES]): name
            for name, raw in ((name, b64decode(text)) for name, text in self.sets.items())
            for at in range(0, len(raw), _BYTES)
        }


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


def with_texts(
    training: TrainingData, judge: ModelSpec, pairs: Iterable[tuple[str, str]]
) -> TrainingData:
    """The same, held against the texts that a local judge learnt from: each question and answer."""
    path = brought_file(judge, TEXTS)
    if path is None or training.overlap == "same":
        return training
    texts = typed_of_file(TrainingTexts, read_json(path), path=path, remedy="make it anew")
    compared = [each for each in (_hash(*pair) for pair in pairs) if each % texts.one_in == 0]
    set_of = texts.sets_of()
    learnt = Counter(set_of[each] for each in compared if each in set_of)
    share = learnt.total() / max(1, len(compared))
    if share <= _CHANCE:
        return training
    names = tuple(name for name, _ in learnt.most_common())
    return replace(training, overlap="same", matched=names, text_share=share)


def write_training_texts(path: Path, texts: Iterable[tuple[str, str, str]]) -> None:
    """Writes the hashes of set, question and answer, of every text that a judge learnt from."""
    hashes = defaultdict(set)
    for name, question, answer in texts:
        if (value := _hash(question, answer)) % _ONE_IN == 0:
            hashes[name].add(value.to_bytes(_BYTES))
    sets = {name: b64encode(b"".join(sorted(values))).decode() for name, values in hashes.items()}
    write_json(path, {"one_in": _ONE_IN, "sets": sets})


def _hash(question: str, answer: str) -> int:
    """Of letters and digits alone: spaces, signs and upper case differ between copies of a set."""
    plain_texts = (
        "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
        for text in (question, answer)
    )
    digest = sha256("\n".join(plain_texts).encode(errors="replace")).digest()
    return int.from_bytes(digest[:_BYTES])


def declared_sets(judge: ModelSpec, identity: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the sets in the judge's config and, for a local folder, in its model card."""
    return tuple(dict.fromkeys((*(identity.get("trained_on") or ()), *_of_model_card(judge))))


def _of_model_card(judge: ModelSpec) -> tuple[str, ...]:
    path = brought_file(judge, "README.md")
    if path is None:
        return ()
    names = front_matter(path)[0].get("datasets")
    return tuple(map(str, [names] if isinstance(names, str) else names or ()))


def _set_and_part(title: str) -> tuple[str, str]:
    name, _, split = title.casefold().partition(":")
    return re.sub(r"[\W_]", "", name.rpartition("/")[2]), split.strip()
