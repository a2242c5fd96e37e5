"""The judges' cards, side by side: how far each agrees with people, and for what that holds."""

import os
from pathlib import Path
from typing import Any

from ... import format as fmt
from ...judges.trust.card import Card, Slice
from ...judges.trust.cards import Known, known_cards
from ...metrics.estimate import Statistic
from ...report.blocks import Bullets, Column, Details, Paragraph, Section, Table
from ...report.trust.card_summary import over_keywords, summary
from .judge import Judges
from .views import named
from .words import Language, Words

SHOWN = ("agreement", "kappa", "auc_harmful", "bias")
"""The statistics of a card that stand on it; the others are in its file."""


def found_cards() -> Known:
    """The cards that come with Normscope and those in the folder that `NORMSCOPE_CARDS` names."""
    folder = os.environ.get("NORMSCOPE_CARDS", "").strip()
    return known_cards(*([Path(folder)] if folder else []))


def cards_here(known: Known, judges: Judges) -> list[tuple[Card, tuple[str, ...]]]:
    """The cards with the judges of this Space that each is about, those of its judges first."""
    cards = [
        (card, tuple(name for name in judges.names if _is_of(card, judges, name)))
        for card in known.cards
    ]
    return sorted(cards, key=lambda one: (not one[1], _judge_name(one[0]), one[0].rubric.criterion))


def card_section(card: Card, words: Words, language: Language, *, here: bool) -> Section:
    """How far the judge agrees with people over all answers and in each language."""

    def say(key: str, /, **slots: object) -> str:
        return words.say(f"judges_{key}", language, **slots)

    slices = [card.overall, *(part for part in card.slices if part.group == "language" and part.n)]
    standing, _ = over_keywords(card.overall)
    rubric = f"{card.rubric.name} {card.rubric.version} ({card.rubric.hash[:12]})"
    measured = say("measured", labels=card.source.benchmark, date=card.date[:10])
    criterion = named(words, language, "answer_criterion", card.rubric.criterion)
    return Section(
        f"{_judge_name(card)} · {criterion}",
        (
            Paragraph(say(f"standing_{standing.replace(' ', '_')}")),
            *([Paragraph(say("here"))] if here else []),
            Paragraph(f"{measured} · {say('rubric')}: {rubric}", note=True),
            *(slice_table(part, words, language) for part in slices),
            Details(say("more"), (Bullets(tuple(summary(card))),)),
        ),
    )


def slice_table(part: Slice, words: Words, language: Language) -> Table:
    """The statistics of a slice: the judge's, and what two simple predictors have there."""
    name = named(words, language, "answer_language", part.member)
    title = name if part.group else words.say("judges_all", language)
    titles = [
        words.say(key, language)
        for key in ("judges_judge", "file_interval", "judges_constant", "judges_keywords")
    ]
    simple = [
        {statistic.name: _shown(statistic) for statistic in part.baselines.get(predictor, ())}
        for predictor in ("constant", "keywords")
    ]
    measured = {statistic.name: statistic for statistic in part.statistics}
    return Table(
        (
            Column(words.say("judges_statistic", language)),
            Column(titles[0], "number", tone="strong"),
            *(Column(title, "number") for title in titles[1:]),
        ),
        tuple(
            (
                named(words, language, "judges_stat", name),
                _shown(measured[name]),
                fmt.estimate(measured[name].estimate, measured[name].unit).interval,
                *(values.get(name, fmt.MISSING) for values in simple),
            )
            for name in SHOWN
            if name in measured
        ),
        title=f"{title} · {words.say('judges_answers', language, n=fmt.count(part.n))}",
        look="numbers",
    )


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


def _judge_name(card: Card) -> str:
    return Path(card.judge.model).name or card.judge.model


def _is_of(card: Card, judges: Judges, name: str) -> bool:
    judge = judges.get(name)
    content = judge.identity.get("content")
    if content and card.judge.content:
        return bool(content == card.judge.content)
    return card.judge.model == name and card.rubric.hash == judge.hash


def _shown(each: Statistic) -> str:
    value = each.estimate.value
    return fmt.percent(value) if each.unit == "rate" else fmt.number(value)
