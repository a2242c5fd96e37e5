"""Whether the judge of a run can be believed: the cards that hold for it, or why none does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pyarrow as pa

from ..judges.trust.card import Card
from ..judges.trust.cards import Found, Known, Use, find_cards, tell
from ..messages import message
from ..records.item import Item
from ..records.judgement import Source
from .provenance import distinct_rows
from .trust.card_summary import NO_CHINESE_DEGREES, answers, measured, over_keywords, trained_on
from .words import EN, Words

Kind = Literal["holds", "weak", "differs", "none", "problem"]


@dataclass(frozen=True, slots=True)
class CardLine:
    """One plain statement: about criteria and languages, or about a card that cannot be read.

    `kind` is `holds` (a card says how far the judge agrees), `weak` (it holds, and the judge is not
    shown to be better than a list of keywords, or was trained on the card's labels), `differs` (the
    only card is of another rubric, judge or template), `none` (no card at all, or in other
    languages only), or `problem`.
    """

    kind: Kind
    text: str

    @property
    def warns(self) -> bool:
        """Whether a reader must not take the judge at its word."""
        return self.kind != "holds"


def card_lines(
    config: dict[str, Any],
    judgements: pa.Table,
    items: Sequence[Item],
    known: Known,
    words: Words = EN,
) -> tuple[CardLine, ...]:
    """What is known of the run's judge; what warns a reader comes first.

    `config` is the run's configuration. Criteria and languages of which the same is to be
    said share a statement; criteria that the model under test answers itself have none.
    """
    provenance = config.get("provenance") or {}
    identity = (provenance.get("judgements") or {}).get("judge")
    if not identity:
        return ()
    lines = [
        CardLine(
            "problem", words.told(message("A judge's card was passed by: {note}", note=problem))
        )
        for problem in known.problems
    ]
    same: dict[tuple[Kind, tuple[str, ...], tuple[str, ...]], dict[str, list[str]]] = {}
    for use, benchmarks in _uses(config, identity, judgements, items):
        for kind, told in _said(use, known.cards):
            criteria = same.setdefault((kind, benchmarks, told), {})
            criteria.setdefault(use.criterion, []).append(use.language)
    between = "" if words.language == "zh" else " "
    for (kind, benchmarks, told), criteria in same.items():
        where = [
            words(
                "criterion {criterion} in {languages}",
                criterion=criterion,
                languages=", ".join(every),
            )
            for criterion, every in criteria.items()
        ]
        who = words(
            "Judge {model}, {criteria}, on {benchmarks}: ",
            model=identity.get("model", "?"),
            criteria=words("; ").join(where),
            benchmarks=", ".join(benchmarks),
        )
        lines.append(CardLine(kind, who + between.join(map(words.told, told))))
    return tuple(sorted(lines, key=lambda line: not line.warns))


def _uses(
    config: dict[str, Any], identity: dict[str, Any], judgements: pa.Table, items: Sequence[Item]
) -> Iterator[tuple[Use, tuple[str, ...]]]:
    """Each use of the judge, with the benchmarks in which it is used so."""
    language = {(item.benchmark, item.item_id): item.language for item in items}
    names = ("benchmark", "item_id", "criterion", "rubric_hash", "source")
    seen: dict[tuple[str, str, str], dict[str, None]] = {}
    for benchmark, item_id, criterion, rubric_hash, source in distinct_rows(judgements, *names):
        if source == Source.JUDGE_LOGITS and rubric_hash:
            spoken = language.get((benchmark or "", item_id or ""), "")
            seen.setdefault((criterion or "", rubric_hash, spoken), {})[benchmark or ""] = None
    for (criterion, rubric_hash, spoken), benchmarks in seen.items():
        use = Use(
            identity=identity,
            rubric_hash=rubric_hash,
            criterion=criterion,
            language=spoken,
            label_orders=str(config.get("label_orders") or "given"),
            min_coverage=float(config.get("min_coverage", 0.5)),
        )
        yield use, tuple(benchmarks)


def _said(use: Use, cards: Sequence[Card]) -> Iterator[tuple[Kind, tuple[str, ...]]]:
    """What each card in question says of the use, as sentences."""
    found = find_cards(cards, use)
    no_set = (use.criterion, use.language) == ("refusal", "zh")
    remedy = (NO_CHINESE_DEGREES,) if no_set else ()
    if not found:
        yield "none", (message("no card, agreement with people is unknown."), *remedy)
    for one in found:
        if not one.differences:
            yield _holds(one, use)
        elif all(each.field == "language" for each in one.differences):
            told = message(
                "no card in this language (there is one in {languages}), agreement with people is "
                "unknown.",
                languages=", ".join(one.card.languages) or message("none"),
            )
            yield "none", (told, *remedy)
        else:
            yield "differs", (_differs(one),)


def _differs(found: Found) -> str:
    told = [
        replace(each, used="another") if each.field == "language" else each
        for each in found.differences
    ]
    return message(
        "the card does not hold here ({each}), agreement with people is unknown.", each=tell(told)
    )


def _holds(found: Found, use: Use) -> tuple[Kind, tuple[str, ...]]:
    part = found.card.part("language", use.language) or found.card.overall
    standing, beyond = over_keywords(part)
    contaminated = found.card.training.overlap == "same"
    slots = {"answers": answers(found.card, part), "date": found.card.date}
    if known := measured(part):
        told = message(
            "agrees with people at {measured}, measured on {answers}, {date}.",
            measured=known,
            **slots,
        )
    else:
        told = message(
            "how it agrees with people is not known: {note}, measured on {answers}, {date}.",
            note=part.statistic("kappa").estimate.method,
            **slots,
        )
    good = standing in {"better", "no list"} and not contaminated
    seen = trained_on(found.card)
    said = (told, *([seen] if seen else []), beyond)
    return "holds" if good else "weak", said
