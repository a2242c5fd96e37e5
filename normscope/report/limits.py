"""What limits the numbers of a run: its key, its variants, what could not be scored."""

from collections.abc import Iterator, Sequence

from ..format import count, percent
from ..messages import message
from ..metrics.estimate import Statistic
from ..metrics.options import named
from ..reasons import Origin
from ..records.item import Item
from ..records.judgements import Judgements
from .blocks import Caveat, Paragraph, Section
from .data import BenchmarkScores
from .judge_card import CardLine
from .scores import shown
from .variants import VariantSection
from .words import EN, Words

_CONSTANT = 0.9
_FEWEST = 20
"""From how many answers on, and from which share of one label, a model hardly chooses."""


def limits(
    scores: tuple[BenchmarkScores, ...],
    items: list[Item],
    verdicts: Judgements,
    variants: tuple[VariantSection, ...],
    words: Words = EN,
    *,
    slices: Sequence[str] = (),
) -> tuple[Caveat, ...]:
    """The statements, in the order in which a reader should know them.

    `slices` says of benchmarks that not all of their items were asked.
    """
    return (
        *(Caveat(about=words("Slice"), text=words.told(told)) for told in slices),
        *constant_answers(scores, words),
        *_unscored(verdicts, words),
        *_keys(scores, items, words),
        *_variants(scores, variants, items, words),
    )


def constant_answers(scores: tuple[BenchmarkScores, ...], words: Words = EN) -> Iterator[Caveat]:
    """Where nearly all answers of the model under test are one label, whatever was asked."""
    for of in scores:
        for one in of.statistics:
            share, n = one.estimate.value, one.estimate.n
            if (
                one.name != "most_frequent_label"
                or share is None
                or share < _CONSTANT
                or n < _FEWEST
            ):
                continue
            text = words(
                "{benchmark}: {share} of {n} answers are {label}, nearly whatever was asked.",
                benchmark=of.benchmark,
                share=percent(share),
                n=count(n),
                label=words.name(one.member),
            )
            yield Caveat(about=words("One label"), text=text)


def _unscored(verdicts: Judgements, words: Words) -> Iterator[Caveat]:
    told = []
    for (benchmark,), rows in verdicts.by("benchmark"):
        ours = int((rows.absent() & ~rows.absent(Origin.RESPONDENT, Origin.SOURCE)).sum())
        if ours:
            share, n, m = percent(ours / len(rows)), count(ours), count(len(rows))
            told.append(
                words(
                    "{benchmark} {share} ({n} of {m})", benchmark=benchmark, share=share, n=n, m=m
                )
            )
    if told:
        text = words(
            "Judgements that are absent through the judge or the engine are unscored, and widen "
            "worst – best: {told}.",
            told=words("; ").join(told),
        )
        yield Caveat(about=words("Unscored"), text=text)


def _keys(scores: tuple[BenchmarkScores, ...], items: list[Item], words: Words) -> Iterator[Caveat]:
    silver = {item.benchmark for item in items if item.answer_source == "silver"}
    for of in scores:
        if of.benchmark not in silver:
            continue
        told = words(
            "{benchmark}: the answer key was never published. Agreement is with a silver key.",
            benchmark=of.benchmark,
        )
        name = named("agreement", "silver")
        method = next((s.estimate.method for s in of.statistics if s.name == name), "")
        if "the key's own error" in method:
            told += words(" Its own error is in the interval.")
        yield Caveat(about=words("Key"), text=told)


def _variants(
    scores: tuple[BenchmarkScores, ...],
    variants: tuple[VariantSection, ...],
    items: list[Item],
    words: Words,
) -> Iterator[Caveat]:
    several = {section.benchmark: section for section in variants}
    once = []
    for of in scores:
        section, flips = several.get(of.benchmark), _overall(of, "flip_rate")
        if section is not None and flips is not None:
            value, between = shown(flips)
            told = words(
                "{benchmark}: of the pairs of prompt variants of one vignette, {value} {between} "
                "are answered with opposite signs; the mean of a prompt variant runs from {low} to "
                "{high}.",
                benchmark=of.benchmark,
                value=value,
                between=between,
                low=section.lowest,
                high=section.highest,
            )
            yield Caveat(about=words("Prompt variants"), text=told)
        elif any(item.benchmark == of.benchmark for item in items):
            once.append(of.benchmark)
    if once:
        told = words(
            "{benchmarks}: each question was put in one prompt variant, so it is not known how far "
            "the answers hang on it.",
            benchmarks=", ".join(once),
        )
        yield Caveat(about=words("Prompt variants"), text=told)


def _overall(scores: BenchmarkScores, name: str) -> Statistic | None:
    return next((s for s in scores.statistics if s.name == name and not s.group), None)


def limits_section(cards: Sequence[CardLine], limits: Sequence[Caveat]) -> Section:
    """What is known of the judge, then the other caveats."""
    judged = tuple(
        Caveat(line.text, about=message("Judge") if line.warns else "", warns=line.warns)
        for line in cards
    )
    blocks = (*judged, *limits) or (unlimited(),)
    return Section(message("What limits it"), blocks, id="limits")


def unlimited() -> Paragraph:
    """That no caveat is known."""
    return Paragraph(
        message("Nothing is known that limits these numbers beyond their intervals."), note=True
    )
