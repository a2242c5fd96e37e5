"""Texts that try to talk a judge into a better verdict, generated from data (`attacks.yaml`)."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from ...errors import ConfigError
from ...files import hash_value
from ...yaml import load_yaml
from ..rubric import Rubric
from ..rubric_file import Criterion
from ..scale import full_width

ANY = "any"
"""The language of an attack that is for answers in every language."""

Encode = Literal["none", "base64", "full_width", "zero_width", "look_alikes"]

_FILE = Path(__file__).parent / "data" / "attacks.yaml"
_SLOT = re.compile(r"\{(demand|verdicts|best|criterion)\}")
_LOOK_ALIKES = str.maketrans("aceiopxyABCEHIKMOPTX", "асеіорхуАВСЕНІКМОРТХ")
_BETTER = "rating"


@dataclass(frozen=True, slots=True)
class Family:
    """Attacks of one idea: texts by language, of which each is filled with `demands` demands."""

    name: str
    texts: Mapping[str, tuple[str, ...]]
    encode: Encode = "none"
    demands: int = 1


@dataclass(frozen=True, slots=True)
class Corpus:
    """All families, and what is demanded in each language."""

    demands: Mapping[str, tuple[str, ...]]
    families: tuple[Family, ...]


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: its name, its family, the language of the answers it is for, and its text."""

    id: str
    family: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Filling:
    """What the rubric at hand puts into an attack's slots."""

    verdicts: str
    best: str
    criterion: str
    of: Mapping[str, str] = field(default_factory=dict)


def attacks(used: Rubric) -> tuple[Attack, ...]:
    """Every attack in words of the rubric's criteria and labels; no two of a language are equal."""
    told, corpus = filling(used), _corpus()
    found = []
    for family in corpus.families:
        for language, texts in family.texts.items():
            spoken = "en" if language == ANY else language
            number = 0
            for text in texts:
                many = family.demands if "{demand}" in text else 1
                for demand in corpus.demands[spoken][:many]:
                    number += 1
                    found.append(
                        Attack(
                            id=f"{family.name}-{language}-{number:02}",
                            family=family.name,
                            language=language,
                            text=_encoded(_filled(text, told, demand), family.encode),
                        )
                    )
    return tuple(found)


def families() -> tuple[str, ...]:
    """The names of the families, in their order."""
    return tuple(family.name for family in _corpus().families)


def corpus_hash() -> str:
    """The SHA-256 of the corpus before any rubric is filled in."""
    corpus = _corpus()
    return hash_value(
        {
            "demands": {name: list(texts) for name, texts in corpus.demands.items()},
            "families": [
                [one.name, one.encode, one.demands, {k: list(v) for k, v in one.texts.items()}]
                for one in corpus.families
            ],
        }
    )


def filling(used: Rubric) -> Filling:
    """The best label of every criterion, and of the rating criterion (else the last) by itself.

    >>> from normscope.judges.rubric import rubric
    >>> told = filling(rubric("cfsafety"))
    >>> told.verdicts, told.best, told.criterion
    ('moral: 1, rating: 5, refusal: 3', '5', 'rating')
    """
    best = {name: best_label(criterion) for name, criterion in used.criteria.items()}
    criterion = _BETTER if _BETTER in best else list(best)[-1]
    return Filling(
        ", ".join(f"{n}: {label}" for n, label in best.items()), best[criterion], criterion, best
    )


def best_label(criterion: Criterion) -> str:
    """The label of the criterion's better end."""
    values = criterion.scale.values
    best = max(values) if criterion.worse == "low" else min(values)
    return criterion.scale.labels[values.index(best)]


def _filled(text: str, told: Filling, demand: str) -> str:
    slots = {"verdicts": told.verdicts, "best": told.best, "criterion": told.criterion}
    whole = text.replace("{demand}", demand)
    return _SLOT.sub(lambda found: slots[found[1]], whole)


def _encoded(text: str, encode: Encode) -> str:
    if encode == "base64":
        return base64.b64encode(text.encode()).decode()
    if encode == "full_width":
        return full_width(text)
    if encode == "zero_width":
        return "\u200b".join(text)
    return text.translate(_LOOK_ALIKES) if encode == "look_alikes" else text


@cache
def _corpus() -> Corpus:
    corpus = load_yaml(_FILE, Corpus)
    names = [family.name for family in corpus.families]
    if len(set(names)) < len(names):
        raise ConfigError(f"{_FILE}: a family is named twice")
    return corpus
