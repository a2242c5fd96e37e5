"""What a card says, in a few plain sentences that stand at its head."""

from collections.abc import Iterator
from typing import Literal

from ...format import count, interval, number, percent, signed
from ...judges.trust.card import Card, Slice
from ...messages import joined, known, marked, message
from ...metrics.estimate import Estimate

Standing = Literal["better", "not shown", "worse", "unknown", "no list", "reversed"]
"""Of the judge against the keyword list."""

_CHANCE = 0.5
"""AUC of a judge that knows nothing."""

SHORT = {
    "agreement": message("same label"),
    "kappa": message("κ"),
    "kappa_quadratic": message("κ quadratic"),
    "kendall": message("τ-b"),
    "auc_harmful": message("AUC"),
    "f1_harmful": message("F1"),
    "bias": message("bias"),
}
"""The statistics that are shown per language, category and kind of conversation."""


def summary(card: Card) -> Iterator[str]:
    """The sentences, the most important first."""
    group = card.overall
    if contamination := trained_on(card):
        yield contamination
    if card.judge.note:
        yield message("This judge is {note}.", note=known(card.judge.note))
    if not group.n:
        yield message(
            "Nothing was scored: the card says nothing of how the judge agrees with people."
        )
    else:
        values = measured(group)
        agreement = (
            message(
                "How it agrees with people is not known: {note}",
                note=group.statistic("kappa").estimate.method,
            )
            if values is None
            else message("Agrees with people at {measured}", measured=values)
        )
        yield message("{agreement} ({answers}).", agreement=agreement, answers=answers(card, group))
        yield over_keywords(group)[1]
    if missing := sum(group.unscored.values()):
        total = missing + group.n
        yield message(
            "Unscored, and in none of these numbers: {n} of {m} answers ({share}).",
            n=count(missing),
            m=count(total),
            share=percent(missing / total),
        )
    for language in card.rubric.languages:
        if language not in card.languages:
            yield message(
                "Language {language}: no evidence. Nothing here says how the judge does in it.",
                language=language,
            )


def trained_on(card: Card) -> str | None:
    """What is declared of the judge's training data and the labelled set, null if nothing is."""
    labels, matched = card.source.benchmark, ", ".join(card.training.matched)
    if card.training.text_share:
        return message(
            "Contaminated: about {share} of the answers of {labels}, with their questions, are "
            "texts that the judge learnt from ({matched}); a judge looks better on what it has "
            "learnt from.",
            share=percent(card.training.text_share),
            labels=labels,
            matched=matched,
        )
    if card.training.overlap == "same":
        return message(
            "Contaminated: {labels} is among the judge's declared training data ({matched}); "
            "a judge looks better on what it has learnt from.",
            labels=labels,
            matched=matched,
        )
    if card.training.overlap == "other part":
        return message(
            "Another part of the set {labels} is among the judge's declared training data "
            "({matched}): these answers are new to it, their kind is not.",
            labels=labels,
            matched=matched,
        )
    return None


def measured(group: Slice) -> str | None:
    """The κ and the AUC of the slice, each with its interval; null where neither is known."""
    kappa, auc = (group.statistic(name).estimate for name in ("kappa", "auc_harmful"))
    if kappa.value is None and auc.value is None:
        return None
    return joined([_value("κ", kappa), _value("AUC", auc)])


def answers(card: Card, group: Slice) -> str:
    """On what: the set, how many answers, how many questions."""
    return message(
        "{labels}, {n} answers to {m} questions",
        labels=card.source.benchmark,
        n=count(group.n),
        m=count(group.clusters),
    )


def over_keywords(group: Slice) -> tuple[Standing, str]:
    """Whether the judge is shown to be better than a list of keywords, and that in words.

    Against labels that are the wrong way round no comparison says anything.
    """
    auc = group.statistic("auc_harmful").estimate
    if auc.high is not None and auc.high < _CHANCE:
        return "reversed", message(
            "The judge and the labels go opposite ways: {auc}, where 0.5 is chance. The labels seem"
            " reversed: check which value stands for which label (`--map`) and which labels are "
            "harmful (`--harmful`).",
            auc=_value("AUC", auc),
        )
    gains = {gain.name: gain.estimate for gain in group.gains.get("keywords", ())}
    if not gains:
        return "no list", message("There is no keyword list for this criterion to compare with.")
    name = "auc_harmful" if gains["kappa"].value is None else "kappa"
    gain = gains[name]
    if gain.value is None or gain.low is None or gain.high is None:
        return "unknown", message(
            "Whether it is better than a keyword list is not known: {note}.", note=gain.method
        )
    # a standing is claimed only where the whole interval lies on one side of nothing
    standing: Standing = "better" if gain.low > 0 else "worse" if gain.high < 0 else "not shown"
    text = {
        "better": marked("Better than a list of keywords: {gain}."),
        "worse": marked("Worse than a list of keywords: {gain}."),
        "not shown": marked("Not shown to be better than a list of keywords: {gain}."),
    }[standing]
    difference = f"{SHORT[name]} {signed(gain.value)} {interval(gain.low, gain.high)}"
    return standing, message(text, gain=difference)


def _value(label: str, estimate: Estimate) -> str:
    if estimate.value is None:
        return message("{label} {value}", label=label, value=estimate.method)
    if estimate.low is None:
        text = f"{label} {number(estimate.value)}"
        return message("{value} ({method})", value=text, method=estimate.method)
    return f"{label} {number(estimate.value)} {interval(estimate.low, estimate.high)}"
