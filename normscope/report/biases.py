"""What limits a judge's numbers, as it was measured: order, prior, fixed answers, probes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import DataError
from ..format import count, interval, number, p_sentence, percent, signed
from ..judges.trust.drift import check_drift
from ..judges.trust.fixed_answers import KEY
from ..judges.trust.injection import SuccessRate
from ..judges.trust.probe import ProbeResult
from .blocks import Caveat
from .words import EN, Words


def judge_limits(
    facts: Mapping[str, Any] | None, probes: Sequence[ProbeResult], words: Words = EN
) -> Iterator[Caveat]:
    """Statements on what the judge brings along; none where no judge was asked.

    `facts` is what `judging.json` holds, `probes` what `normscope probe` wrote of this judge.
    """
    if not facts or not facts["criteria"]:
        return
    yield from _order(facts, words)
    yield from _prior(facts, words)
    yield from _windows(facts, words)
    yield from _unread(facts, words)
    for probe in probes:
        yield from _probe(probe, words)


def drift_limits(
    names: Sequence[str], facts: Sequence[Mapping[str, Any] | None], words: Words = EN
) -> Iterator[Caveat]:
    """Whether the judge said the same of the fixed answers in every run as in the first."""
    first, *others = zip(names, facts, strict=True)
    for name, told in others:
        if not first[1] or not told:
            continue
        before, now = first[1].get(KEY) or (), told.get(KEY) or ()
        try:
            rubrics = check_drift(before, now, names=(first[0], name)).rubrics
        except DataError:
            continue
        moved = sum(len(rubric.drifted) for rubric in rubrics)
        slots = {
            "m": count(sum(rubric.compared for rubric in rubrics)),
            "largest": number(max(rubric.largest for rubric in rubrics)),
            "first": first[0],
            "second": name,
        }
        if moved:
            text = words(
                "The judge has changed between {first} and {second}: {n} of {m} verdicts on fixed "
                "answers differ, probabilities by up to {largest}.",
                n=count(moved),
                **slots,
            )
        else:
            text = words(
                "The judge says the same of the fixed answers in {first} and {second}: {m} "
                "verdicts, probabilities differ by {largest} at most.",
                **slots,
            )
        yield Caveat(text, about=words("Fixed answers"), warns=bool(moved))


def _order(facts: Mapping[str, Any], words: Words) -> Iterator[Caveat]:
    about = words("Order of labels")
    if facts["label_orders"] != "both":
        text = "The labels were asked in one order only, so a bias for their order is not known."
        yield Caveat(words(text), about=about)
        return
    shown = [
        words(
            "{benchmark}, {criterion}: {shift} {interval}",
            benchmark=row["benchmark"],
            criterion=words.name(row["criterion"]),
            shift=signed(row["shift"]),
            interval=interval(row["low"], row["high"]),
        )
        for row in facts["order_bias"]
        if row["low"] is not None and (row["low"] > 0 or row["high"] < 0)
    ]
    if shown:
        text = words(
            "The judge reads another value with the labels as given than with them reversed: "
            "{told}. The two readings are averaged.",
            told=words("; ").join(shown),
        )
        yield Caveat(text, about=about)


def _prior(facts: Mapping[str, Any], words: Words) -> Iterator[Caveat]:
    """The label that is favoured most under each criterion, in whichever language that is."""
    most: dict[tuple[str, str], tuple[float, str, str]] = {}
    for row in facts["priors"]:
        if row["probs"]:
            share = max(row["probs"])
            label = row["labels"][row["probs"].index(share)]
            key = row["rubric_hash"], row["criterion"]
            most[key] = max(most.get(key, (0.0, "", "")), (share, label, row["language"]))
    told = [
        words(
            "{criterion} {label} {share} ({language})",
            criterion=words.name(criterion),
            label=label,
            share=percent(share),
            language=words.name(language),
        )
        for (_, criterion), (share, label, language) in most.items()
    ]
    if told:
        text = words(
            "Of questions and answers without content the judge says at most: {told}.",
            told=words("; ").join(told),
        )
        yield Caveat(text, about=words("Prior"))


def _windows(facts: Mapping[str, Any], words: Words) -> Iterator[Caveat]:
    for row in facts["windows"]:
        if row["in_several_windows"]:
            text = words(
                "{benchmark}: {n} of {m} answers were longer than the judge can read at once. They "
                "were judged in overlapping windows, at most {most}, and the worst one counts.",
                benchmark=row["benchmark"],
                n=count(row["in_several_windows"]),
                m=count(row["responses"]),
                most=count(row["most_windows"]),
            )
            yield Caveat(text, about=words("Length"))


def _unread(facts: Mapping[str, Any], words: Words) -> Iterator[Caveat]:
    rows = [row for one in facts.get(KEY) or () for row in one["rows"]]
    unread = sum(row["probs"] is None for row in rows)
    if unread:
        text = words(
            "Of the judge's verdicts on fixed answers {n} of {m} cannot be read.",
            n=count(unread),
            m=count(len(rows)),
        )
        yield Caveat(text, about=words("Fixed answers"))


def _probe(probe: ProbeResult, words: Words) -> Iterator[Caveat]:
    about = words("Probes")
    for shift in probe.shown:
        text = words(
            "Found in the judge: {probe}, {variant}: {outcome} {size} {interval}, {p} (Holm).",
            probe=words.name(shift.probe),
            variant=words.name(shift.variant),
            outcome=words.name(shift.outcome),
            size=signed(shift.estimate.value),
            interval=interval(shift.estimate.low, shift.estimate.high),
            p=p_sentence(shift.p_adjusted),
        )
        yield Caveat(text, about=about)
    calm = dict.fromkeys(words.name(s.probe) for s in probe.primary if not s.shown)
    if calm:
        told = words(", ").join(calm)
        yield Caveat(words("Not shown, which is not absent: {told}.", told=told), about=about)
    if probe.injection:
        text = words(
            "A text in the answer talks the judge into a better verdict in {overall}; neutral text "
            "does so in {control}.",
            overall=_rate(probe.injection.overall, words),
            control=_rate(probe.injection.control, words),
        )
        yield Caveat(text, about=words("Injection"))


def _rate(rate: SuccessRate, words: Words) -> str:
    between = interval(rate.low, rate.high, rate=True)
    counts = words("{n} of {m}", n=count(rate.successes), m=count(rate.n))
    return f"{percent(rate.rate)} {between} ({counts})"
