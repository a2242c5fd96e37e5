"""What a judge's card says in sentences, whether it holds for a run, and drift between runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ..categorical import Categorical, combined, first_rows
from ..errors import DataError
from ..format import count, interval, number, percent, signed
from ..judges.judge import SOURCES
from ..judges.trust.card import Card, Slice
from ..judges.trust.cards import CardMatch, KnownCards, Use, find_cards, in_words
from ..judges.trust.drift import check_drift
from ..messages import joined, known, marked, message
from ..metrics.estimate import Estimate
from ..records.items import Items
from ..records.judging import Judging
from ..records.settings import Channel, Settings
from .blocks import Caveat
from .names import name_of

_CHANCE = 0.5
"""AUC of a judge that knows nothing."""

_LABELS = {"kappa": "κ", "auc_harmful": "AUC"}
_CHANNELS: dict[str, Channel] = {str(source): channel for channel, source in SOURCES.items()}


def card_caveats(
    config: Settings, judgements: pa.Table, items: Items, known: KnownCards
) -> list[Caveat]:
    """What is known of the run's judge; what a reader must not pass by comes first.

    The same is said once of all that it holds for. Those that the model under test answers
    have none. A card that holds is no warning if it shows the judge to be better than a list of
    keywords on answers that it was not trained on.
    """
    identity = config.provenance.judge
    if not identity:
        return []
    problems = (
        _of_judge(message("A judge's card was passed by: {note}", note=problem), warns=True)
        for problem in known.problems
    )
    # whether it warns, its pattern and text, and all that it holds for
    same: dict[tuple[bool, str, str], dict[str, None]] = {}
    for use in _uses(config, identity, judgements, items):
        for warns, pattern, text, of in _statements(find_cards(known.cards, use), use):
            same.setdefault((warns, pattern, text), {})[of] = None
    judge = identity.get("model", "?")
    caveats = (
        _of_judge(message(pattern, model=judge, of=joined(of), text=text), warns=warns)
        for (warns, pattern, text), of in same.items()
    )
    # False sorts first: what warns stands above what reassures
    return sorted((*problems, *caveats), key=lambda caveat: not caveat.warns)


def _of_judge(text: str, *, warns: bool) -> Caveat:
    return Caveat(text, about=message("Judge"), warns=warns)


def _uses(
    config: Settings, identity: Mapping[str, Any], judgements: pa.Table, items: Items
) -> Iterator[Use]:
    """Each use of the judge."""
    spoken_in = _distinct_rows(items.table, "benchmark", "item_id", "language")
    language = {(benchmark, item_id): name for benchmark, item_id, name in spoken_in}
    names = ("benchmark", "item_id", "criterion", "rubric_hash", "source")
    uses = dict.fromkeys(
        (criterion or "", rubric_hash, language.get((benchmark, item_id)) or "", _CHANNELS[source])
        for benchmark, item_id, criterion, rubric_hash, source in _distinct_rows(judgements, *names)
        if source in _CHANNELS and rubric_hash
    )
    for criterion, rubric_hash, spoken, channel in uses:
        yield Use.of(
            config,
            identity,
            rubric_hash=rubric_hash,
            criterion=criterion,
            language=spoken,
            channel=channel,
        )


def _distinct_rows(table: pa.Table, *names: str) -> Iterator[tuple[str | None, ...]]:
    """The rows of text columns without repeats, in their first order."""
    named = [Categorical.of(table.column(name)) for name in names]
    first = first_rows(combined(*named))
    return zip(*(column[first] for column in named), strict=True)


def _statements(matches: Sequence[CardMatch], use: Use) -> Iterator[tuple[bool, str, str, str]]:
    """Whether a reader is warned, a pattern and its text, and what of the use that holds for."""
    criterion = name_of(use.criterion)
    if not matches:
        yield True, _NO_CARD, "", criterion
        return
    if [each.field for each in matches[0].differences] == ["language"]:
        yield True, _NO_CARD_IN, "", use.language
        return
    place = message("{criterion} in {language}", criterion=criterion, language=use.language)
    for each in matches:
        if not each.differences:
            warns, text = _holds(each, use)
        else:
            # which language the run is in is said before
            differences = [
                replace(of, used="another") if of.field == "language" else of
                for of in each.differences
            ]
            warns, text = (
                True,
                message(
                    "the card does not hold here ({each}), agreement with people is unknown.",
                    each=in_words(differences),
                ),
            )
        yield warns, _STATED, text, place


_NO_CARD = marked("No card says how the judge {model} agrees with people on {of}.")
_NO_CARD_IN = marked(
    "No card says how the judge {model} agrees with people in these languages: {of}."
)
_STATED = marked("Judge {model}, {of}: {text}")


def _holds(match: CardMatch, use: Use) -> tuple[bool, str]:
    """Whether the judge is not shown to be better than a list of keywords, and how it agrees."""
    card = match.card
    shown = card.slice_of("language", use.language) or card.overall
    is_shown, over_list = over_keywords(shown)
    note = shown.statistic("kappa").estimate.method
    text = message(
        "on {answers} ({date}) it agrees with people at {measured}.",
        answers=answers(card, shown),
        date=card.date,
        measured=measured(shown) or message("nothing known: {note}", note=note),
    )
    is_shown = is_shown and card.training.overlap != "same"
    return not is_shown, joined((text, trained_on(card) or over_list), " ")


def drift_caveats(names: Sequence[str], judgings: Sequence[Judging | None]) -> Iterator[Caveat]:
    """Between which runs the judge has changed what it says of the fixed answers."""
    before, *others = ((each or Judging()).fixed_answers for each in judgings)
    for name, after in zip(names[1:], others, strict=True):
        try:
            rubrics = check_drift(before, after, names=(names[0], name)).rubrics
        except DataError:
            # there are none that were judged alike, which the comparison says in its own words
            continue
        if moved := sum(len(rubric.drifted) for rubric in rubrics):
            text = message(
                "The judge has changed between {first} and {second}: {n} of {m} verdicts on fixed "
                "answers differ, probabilities by up to {largest}.",
                n=count(moved),
                m=count(sum(rubric.compared for rubric in rubrics)),
                largest=number(max(rubric.largest for rubric in rubrics)),
                first=names[0],
                second=name,
            )
            yield Caveat(text, about=message("Fixed answers"), warns=True)


def summary(card: Card) -> Iterator[str]:
    """The sentences, the most important first."""
    group = card.overall
    if contamination := trained_on(card):
        yield contamination
    if card.judge.note:
        yield message("This judge is {note}.", note=known(card.judge.note))
    agreement = message(
        "How it agrees with people is not known: {note}",
        note=group.statistic("kappa").estimate.method,
    )
    if values := measured(group):
        agreement = message("Agrees with people at {measured}", measured=values)
    yield message("{agreement} ({answers}).", agreement=agreement, answers=answers(card, group))
    if group.n:
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


def over_keywords(group: Slice) -> tuple[bool, str]:
    """Whether nothing says that a list of keywords does as well, and that in words.

    Against labels that are the wrong way round no comparison says anything.
    """
    auc = group.statistic("auc_harmful").estimate
    if auc.high is not None and auc.high < _CHANCE:
        return False, message(
            "The judge and the labels go opposite ways: {auc}, where 0.5 is chance. The labels seem"
            " reversed: check which value stands for which label (`--map`) and which labels are "
            "harmful (`--harmful`).",
            auc=_value("AUC", auc),
        )
    gains = {gain.name: gain.estimate for gain in group.gains.get("keywords", ())}
    if not gains:
        return True, message("There is no keyword list for this criterion to compare with.")
    name = "auc_harmful" if gains["kappa"].value is None else "kappa"
    gain = gains[name]
    if gain.value is None or gain.low is None or gain.high is None:
        return False, message(
            "Whether it is better than a keyword list is not known: {note}.", note=gain.method
        )
    # it is claimed only where the whole interval lies on one side of nothing
    pattern = marked("Not shown to be better than a list of keywords: {gain}.")
    if gain.low > 0:
        pattern = marked("Better than a list of keywords: {gain}.")
    elif gain.high < 0:
        pattern = marked("Worse than a list of keywords: {gain}.")
    difference = f"{_LABELS[name]} {signed(gain.value)} {interval(gain.low, gain.high)}"
    return gain.low > 0, message(pattern, gain=difference)


def _value(label: str, result: Estimate) -> str:
    """The value with its interval, or why there is none."""
    if result.value is None:
        return message("{label} {value}", label=label, value=result.method)
    text = f"{label} {number(result.value)}"
    if result.low is None:
        return message("{value} ({method})", value=text, method=result.method)
    return f"{text} {interval(result.low, result.high)}"
