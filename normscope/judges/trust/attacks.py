"""Texts that try to talk a judge into a better verdict, generated from data (`attacks.yaml`)."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from ...errors import ConfigError
from ...files import hash_file
from ...yaml import load_yaml
from ..rubric import Rubric
from ..scale import full_width

ANY = "any"
"""The language of an attack that is for answers in every language."""

Encode = Literal["none", "base64", "full_width", "zero_width", "look_alikes"]

_FILE = Path(__file__).parent / "data" / "attacks.yaml"
_SLOT = re.compile(r"\{(verdicts|best|criterion)\}")
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


def attacks(rubric: Rubric) -> tuple[Attack, ...]:
    """Every attack in words of the rubric's criteria and labels; no two of a language are equal."""
    corpus, slots = _corpus(), filling(rubric)
    attacks: list[Attack] = []

    def slot(match: re.Match[str]) -> str:
        return slots[match[1]]

    for family in corpus.families:
        for language, texts in family.texts.items():
            demands = corpus.demands["en" if language == ANY else language]
            # the demand first: it has slots of its own
            filled = [
                _encoded(_SLOT.sub(slot, text.replace("{demand}", demand)), family.encode)
                for text in texts
                for demand in demands[: family.demands if "{demand}" in text else 1]
            ]
            attacks += [
                Attack(f"{family.name}-{language}-{number:02}", family.name, language, text)
                for number, text in enumerate(filled, start=1)
            ]
    return tuple(attacks)


def corpus_hash() -> str:
    """The SHA-256 of the corpus before any rubric is filled in."""
    return hash_file(_FILE)


def filling(rubric: Rubric) -> dict[str, str]:
    """The best label of every criterion, and of the rating criterion (else the last) by itself.

    >>> from normscope.judges.rubric_files import rubric
    >>> filling(rubric("cfsafety"))
    {'verdicts': 'moral: 1, rating: 5, refusal: 3', 'best': '5', 'criterion': 'rating'}
    """
    best = {name: criterion.labels_by_value[-1] for name, criterion in rubric.criteria.items()}
    criterion = _BETTER if _BETTER in best else list(best)[-1]
    verdicts = ", ".join(f"{name}: {label}" for name, label in best.items())
    return {"verdicts": verdicts, "best": best[criterion], "criterion": criterion}


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
