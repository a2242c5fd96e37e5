"""The known biases of a judge, each as a paired shift of its judgements, tested."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Literal

import numpy as np

from ...metrics.cfsafety import SCALES
from ...metrics.estimate import Estimate
from ...metrics.inputs import Bools
from ...metrics.intervals import Bounds
from ...metrics.paired import paired_mean_difference
from ...metrics.significance import Test, clustered_t, holm
from ...records.item import Item
from ...yaml import load_yaml
from ..rubric import Rubric
from .answers import SCORE, CheckedJudge, JudgedAnswer

LEVEL = 0.05

Pair = tuple[float | None, float | None]
"""A value of a changed answer and of the unchanged one, null where unscored."""

Role = Literal["primary", "secondary"]
"""Primary shifts are corrected by Holm over all probes; of the others p stands as it is."""


@dataclass(frozen=True, slots=True)
class Shift:
    """One probe's shift of one outcome, changed less unchanged, in a language (empty: in all).

    `before` is the mean of what was not changed, `size` the mean of the shifts' absolute values:
    a judge may waver much and on the whole lean nowhere. The interval of `estimate` and `test` are
    of the pairs scored on both sides, its `lowest` and `highest` of all pairs.
    """

    probe: str
    variant: str
    outcome: str
    role: Role
    language: str
    estimate: Estimate
    before: float | None
    size: float | None
    test: Test
    p_adjusted: float | None = None

    @property
    def shown(self) -> bool:
        """Whether the shift is no chance, after the correction."""
        return self.p_adjusted is not None and self.p_adjusted < LEVEL


@dataclass(frozen=True, slots=True)
class PairedValues:
    """Paired values of one outcome, null where unscored, each pair's cluster and language."""

    outcome: str
    changed: Sequence[float | None]
    unchanged: Sequence[float | None]
    clusters: Sequence[str]
    languages: Sequence[str]
    bounds: Bounds


def shifts_of(probe: str, table: Iterable[PairedValues], *, variant: str = "") -> tuple[Shift, ...]:
    """The shift of each outcome overall (the first one primary), and of the first by language."""
    shifts: list[Shift] = []
    for at, values in enumerate(table):
        shift = partial(_shift, probe, variant, values)
        shifts.append(shift("secondary" if at else "primary"))
        spoken = np.array(values.languages, dtype=object)
        languages = list(dict.fromkeys(values.languages)) if at == 0 else []
        if len(languages) > 1:
            shifts += [shift("secondary", language=each, rows=spoken == each) for each in languages]
    return tuple(shifts)


def adjusted(shifts: Sequence[Shift]) -> tuple[Shift, ...]:
    """The shifts with the p of the primary ones corrected by Holm over all of them."""
    at = [place for place, shift in enumerate(shifts) if shift.role == "primary"]
    corrected = holm([shifts[place].test.p for place in at])
    p_of = {i: float(p) for i, p in zip(at, corrected, strict=True) if not np.isnan(p)}
    return tuple(replace(s, p_adjusted=p_of.get(place)) for place, s in enumerate(shifts))


def _shift(
    probe: str,
    variant: str,
    values: PairedValues,
    role: Role,
    *,
    language: str = "",
    rows: Bools | slice = slice(None),
) -> Shift:
    changed = np.array(values.changed, dtype=np.float64)[rows]
    unchanged = np.array(values.unchanged, dtype=np.float64)[rows]
    clusters = np.array(values.clusters, dtype=object)[rows]
    apart, bounds = changed - unchanged, values.bounds
    present = ~np.isnan(apart)
    width = bounds[1] - bounds[0]
    return Shift(
        probe=probe,
        variant=variant,
        outcome=values.outcome,
        role=role,
        language=language,
        estimate=paired_mean_difference(changed, unchanged, bounds=bounds, clusters=clusters),
        before=float(unchanged[present].mean()) if present.any() else None,
        size=float(np.abs(apart[present]).mean()) if present.any() else None,
        test=clustered_t(apart, clusters=clusters, bounds=(-width, width)),
    )


PADDING = Path(__file__).parent / "data" / "padding.yaml"

_PADS = {"one paragraph": 1, "four paragraphs": 4}


def length(judge: CheckedJudge, base: Sequence[JudgedAnswer]) -> tuple[Shift, ...]:
    """Neutral padding, which changes nothing, behind every answer: short and long."""
    shifts: tuple[Shift, ...] = ()
    for variant, many in _PADS.items():
        longer = [
            (answer.item, "\n\n".join((answer.text, *paddings_for(answer.item)[:many])))
            for answer in base
        ]
        padded = judge.judge(f"length, {variant}", longer)
        twins = list(zip(padded, base, strict=True))
        values = {
            outcome: [(after.value(outcome), before.value(outcome)) for after, before in twins]
            for outcome in judge.outcomes
        }
        shifts += shifts_of("length", _paired(judge.rubric, base, values), variant=variant)
    return shifts


def label_order(judge: CheckedJudge, base: Sequence[JudgedAnswer]) -> tuple[Shift, ...]:
    """Every criterion with its labels listed from the last to the first, less as they are given.

    The shift of an expected value is what the two orders make of it; a criterion whose value is the
    likeliest class is compared by its expected value too.
    """
    about = [(answer.item, answer.text) for answer in base]
    judged = judge.judge("label order", about, label_orders="both")
    values = {
        outcome: [_orders(answer, outcome, judge.rubric) for answer in judged]
        for outcome in judge.outcomes
    }
    return shifts_of("label order", _paired(judge.rubric, base, values), variant="reversed")


@cache
def paddings() -> Mapping[str, tuple[str, ...]]:
    """Neutral paragraphs by language."""
    return load_yaml(PADDING, dict[str, tuple[str, ...]])


def paddings_for(item: Item) -> tuple[str, ...]:
    """Those in the item's language, else in English."""
    return paddings().get(item.language) or paddings()["en"]


def _paired(
    rubric: Rubric, base: Sequence[JudgedAnswer], values: Mapping[str, Sequence[Pair]]
) -> Iterator[PairedValues]:
    """Per outcome what an answer got changed and unchanged, beside the answers' questions."""
    clusters = [answer.item.cluster_or_id for answer in base]
    languages = [answer.item.language for answer in base]
    for outcome, pairs in values.items():
        changed, unchanged = ([pair[side] for pair in pairs] for side in (0, 1))
        bounds = _bounds(outcome, rubric)
        yield PairedValues(outcome, changed, unchanged, clusters, languages, bounds)


def _bounds(outcome: str, rubric: Rubric) -> Bounds:
    """Between which values an outcome of the rubric lies."""
    if outcome == SCORE:
        return SCALES[SCORE]
    values = rubric.criteria[outcome].scale.values
    return min(values), max(values)


def _orders(answer: JudgedAnswer, outcome: str, rubric: Rubric) -> Pair:
    """The outcome with the labels reversed and as given, from their mean and their difference."""
    if outcome == SCORE:
        moral, rating = (_orders(answer, name, rubric) for name in ("moral", "rating"))
        backwards, forwards = (
            None if a is None or b is None else a * b for a, b in zip(moral, rating, strict=True)
        )
        return backwards, forwards
    judgement = answer.judgements[outcome]
    if judgement.order_shift is None or judgement.probs is None or judgement.value is None:
        return None, None
    middle = rubric.criteria[outcome].scale.expected(judgement.probs)
    # the mean of both orders and their difference give each of them back
    return middle - judgement.order_shift / 2, middle + judgement.order_shift / 2
