"""The judges' cards, side by side: how far each agrees with people, and for what that holds."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import format as fmt
from ...judges.trust.card import Card, Slice
from ...judges.trust.cards import Known, known_cards
from ...metrics.estimate import Statistic
from ...report.trust.card_summary import over_keywords, summary
from .judge import Judges
from .views import named
from .words import Language, Words

SHOWN = ("agreement", "kappa", "auc_harmful", "bias")
"""The statistics of a card that stand on it; the others are in its file."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """One statistic on one slice: the judge's, and what two simple predictors have there."""

    name: str
    value: str
    interval: str
    constant: str
    keywords: str


@dataclass(frozen=True, slots=True)
class Part:
    """A slice of the card: its name, how many answers, and its lines."""

    title: str
    n: str
    lines: tuple[CardLine, ...]


@dataclass(frozen=True, slots=True)
class CardView:
    """A card as it is shown; `of` names the judges of this Space that it is about."""

    judge: str
    criterion: str
    rubric: str
    labels: str
    date: str
    standing: str
    of: tuple[str, ...]
    parts: tuple[Part, ...]
    told: tuple[str, ...]

    @property
    def here(self) -> bool:
        """Whether it is about a judge of this Space."""
        return bool(self.of)


def found_cards() -> Known:
    """The cards that come with Normscope and those in the folder that `NORMSCOPE_CARDS` names."""
    folder = os.environ.get("NORMSCOPE_CARDS", "").strip()
    return known_cards(*([Path(folder)] if folder else []))


def card_views(known: Known, judges: Judges, words: Words, language: Language) -> list[CardView]:
    """The cards, those of the judges of this Space first."""
    made = [_view(card, judges, words, language) for card in known.cards]
    return sorted(made, key=lambda view: (not view.here, view.judge, view.criterion))


def plain(card: Card) -> dict[str, Any]:
    """The card's gist as JSON values, for the API."""
    part = card.overall
    return {
        "judge": card.judge.model,
        "content": card.judge.content,
        "rubric": card.rubric.name,
        "rubric_hash": card.rubric.hash,
        "criterion": card.rubric.criterion,
        "labels_of": card.source.benchmark,
        "date": card.date,
        "n": part.n,
        "languages": list(card.languages),
        "told": list(summary(card)),
        "statistics": {
            each.name: {
                "value": each.estimate.value,
                "low": each.estimate.low,
                "high": each.estimate.high,
                "n": each.estimate.n,
            }
            for each in part.statistics
        },
    }


def _view(card: Card, judges: Judges, words: Words, language: Language) -> CardView:
    parts = [card.overall, *(part for part in card.slices if part.group == "language" and part.n)]
    standing, _ = over_keywords(card.overall)
    return CardView(
        judge=Path(card.judge.model).name or card.judge.model,
        criterion=named(words, language, "answer_criterion", card.rubric.criterion),
        rubric=f"{card.rubric.name} {card.rubric.version} ({card.rubric.hash[:12]})",
        labels=card.source.benchmark,
        date=card.date[:10],
        standing=words.say(f"judges_standing_{standing.replace(' ', '_')}", language),
        of=tuple(name for name in judges.names if _is_of(card, judges, name)),
        parts=tuple(_part(part, words, language) for part in parts),
        told=tuple(summary(card)),
    )


def _is_of(card: Card, judges: Judges, name: str) -> bool:
    judge = judges.get(name)
    content = judge.identity.get("content")
    if content and card.judge.content:
        return bool(content == card.judge.content)
    return card.judge.model == name and card.rubric.hash == judge.hash


def _part(part: Slice, words: Words, language: Language) -> Part:
    title = (
        words.say("judges_all", language)
        if not part.group
        else named(words, language, "answer_language", part.member)
    )
    return Part(title, fmt.count(part.n), tuple(_lines(part, words, language)))


def _lines(part: Slice, words: Words, language: Language) -> Iterator[CardLine]:
    simple = {
        name: {each.name: _shown(each) for each in part.baselines.get(name, ())}
        for name in ("constant", "keywords")
    }
    measured = {each.name: each for each in part.statistics}
    for name in SHOWN:
        if name in measured:
            estimate, rate = measured[name].estimate, measured[name].unit == "rate"
            yield CardLine(
                name=named(words, language, "judges_stat", name),
                value=_shown(measured[name]),
                interval=fmt.interval(estimate.low, estimate.high, rate=rate),
                constant=simple["constant"].get(name, fmt.MISSING),
                keywords=simple["keywords"].get(name, fmt.MISSING),
            )


def _shown(each: Statistic) -> str:
    value = each.estimate.value
    return fmt.percent(value) if each.unit == "rate" else fmt.number(value)
