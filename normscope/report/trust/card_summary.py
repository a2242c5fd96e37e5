"""What a card says, in a few plain sentences that stand at its criterion."""

from collections.abc import Iterator
from typing import Literal

from ...format import count, interval, number, percent, signed
from ...judges.trust.card import Card, Slice
from ...metrics.estimate import Estimate

Standing = Literal["better", "not shown", "worse", "unknown", "no list"]
"""Of the judge against the keyword list."""

_SHORT = {"kappa": "κ", "auc_harmful": "AUC"}

NO_CHINESE_DEGREES = (
    "No public set has people's labels of refusal degrees in Chinese; `normscope annotate` makes "
    "them from a run."
)


def summary(card: Card) -> Iterator[str]:
    """The sentences, the most important first."""
    part = card.overall
    if told := trained_on(card):
        yield told
    if card.judge.note:
        yield f"This judge is {card.judge.note}."
    if not part.n:
        yield "Nothing was scored: the card says nothing of how the judge agrees with people."
    else:
        yield f"{agreement(part)} ({answers(card, part)})."
        yield over_keywords(part)[1]
        yield _bias(card)
    if missing := sum(part.unscored.values()):
        total = missing + part.n
        told = f"{count(missing)} of {count(total)} answers ({percent(missing / total)})"
        yield f"Unscored, and in none of these numbers: {told}."
    for language in card.rubric.languages:
        if language not in card.languages:
            told = f"Language {language}: no evidence. Nothing here says how the judge does in it."
            refusal = card.rubric.criterion == "refusal" and language == "zh"
            yield f"{told} {NO_CHINESE_DEGREES}" if refusal else told


def trained_on(card: Card) -> str | None:
    """What is declared of the judge's training data and the labelled set, null if nothing is."""
    labels, matched = card.source.benchmark, ", ".join(card.training.matched)
    if card.training.overlap == "same":
        return (
            f"Contaminated: {labels} is among the judge's declared training data ({matched}); a "
            "judge looks better on what it has learnt from."
        )
    if card.training.overlap == "other part":
        return (
            f"Another part of the set {labels} is among the judge's declared training data "
            f"({matched}): these answers are new to it, their kind is not."
        )
    return None


def agreement(part: Slice) -> str:
    """The κ and the AUC of the slice, each with its interval or why there is none."""
    kappa, auc = (part.statistic(name).estimate for name in ("kappa", "auc_harmful"))
    if kappa.value is None and auc.value is None:
        return f"How it agrees with people is not known: {kappa.method}"
    return f"Agrees with people at {_value('κ', kappa)}, {_value('AUC', auc)}"


def answers(card: Card, part: Slice) -> str:
    """On what: the set, how many answers, how many questions."""
    return f"{card.source.benchmark}, {count(part.n)} answers to {count(part.clusters)} questions"


def over_keywords(part: Slice) -> tuple[Standing, str]:
    """Whether the judge is shown to be better than a list of keywords, and that in words."""
    found = {gain.name: gain.estimate for gain in part.gains.get("keywords", ())}
    if not found:
        return "no list", "There is no keyword list for this criterion to compare with."
    name = "auc_harmful" if found["kappa"].value is None else "kappa"
    gain = found[name]
    if gain.value is None or gain.low is None or gain.high is None:
        return "unknown", f"Whether it is better than a keyword list is not known: {gain.method}."
    told = f"{_SHORT[name]} {signed(gain.value)} {interval(gain.low, gain.high)}"
    if gain.low > 0:
        return "better", f"Better than a list of keywords: {told}."
    if gain.high < 0:
        return "worse", f"Worse than a list of keywords: {told}."
    return "not shown", f"Not shown to be better than a list of keywords: {told}."


def _bias(card: Card) -> str:
    found = card.overall.statistic("bias").estimate
    if found.value is None:
        return f"Its bias is not known: {found.method}."
    values = card.rubric.values
    scale = f"on the scale {number(min(values))} to {number(max(values))}"
    told = f"{signed(found.value)} {interval(found.low, found.high)} {scale}"
    if found.low is None or found.high is None or found.low <= 0 <= found.high:
        return f"No bias is shown: judge less people {told}."
    return f"Its values are {'above' if found.value > 0 else 'below'} people's: by {told}."


def _value(label: str, found: Estimate) -> str:
    if found.value is None:
        return f"{label} {found.method}"
    if found.low is None:
        return f"{label} {number(found.value)} ({found.method})"
    return f"{label} {number(found.value)} {interval(found.low, found.high)}"
