"""The known biases of a judge, each as a paired shift of its judgements."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from ...messages import message
from ...metrics.intervals import Bounds
from ...records.item import Item
from ...yaml import load_yaml
from ..rubric import Rubric
from .answers import BOUNDS, INTENDED, SCORE, JudgedAnswer
from .asking import CheckedJudge
from .shifts import PairedValues, Shift, shifts_of

PADDING = Path(__file__).parent / "data" / "padding.yaml"

Probed = tuple[Shift, ...] | str
"""The shifts of a probe, or why it was not made."""

_PADS = {"one paragraph": 1, "four paragraphs": 4}


def length(judge: CheckedJudge, base: Sequence[JudgedAnswer]) -> Probed:
    """Neutral padding, which changes nothing, behind every answer: short and long."""
    shifts: tuple[Shift, ...] = ()
    items = [answer.item for answer in base]
    for variant, many in _PADS.items():
        longer = [
            (answer.item, "\n\n".join((answer.text or "", *paddings_for(answer.item)[:many])))
            for answer in base
        ]
        padded = judge.judge(f"length, {variant}", longer)
        table = [
            _paired(
                judge.rubric,
                outcome,
                [answer.value(outcome) for answer in padded],
                [answer.value(outcome) for answer in base],
                items,
            )
            for outcome in judge.outcomes
        ]
        shifts += shifts_of("length", table, variant=variant)
    return shifts


def label_order(judge: CheckedJudge, base: Sequence[JudgedAnswer]) -> Probed:
    """Every criterion with its labels listed from the last to the first, less as they are given.

    The shift of an expected value is what the two orders make of it; a criterion whose value is the
    likeliest class is compared by its expected value too.
    """
    items = [answer.item for answer in base]
    judged = judge.judge(
        "label order", [(answer.item, answer.text or "") for answer in base], label_orders="both"
    )
    table = []
    for outcome in judge.outcomes:
        pairs = [_orders(answer, outcome, judge.rubric) for answer in judged]
        forwards, backwards = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        table.append(_paired(judge.rubric, outcome, backwards, forwards, items))
    return shifts_of("label order", table, variant="reversed")


def leniency(rubric: Rubric, base: Sequence[JudgedAnswer]) -> Probed:
    """The value less what was intended when the answer was written."""
    table = list(_leniency(rubric, base))
    if not table:
        return message(
            "the rubric has no criterion rating (1 to 5) or refusal (0 to 3) to compare grades with"
        )
    return shifts_of("leniency", table, variant="less the intended grade")


def _leniency(rubric: Rubric, base: Sequence[JudgedAnswer]) -> Iterator[PairedValues]:
    items = [answer.item for answer in base]
    for criterion, facet in INTENDED.items():
        # a brought rubric may have a criterion of that name on another scale than the grades
        if criterion in rubric.criteria and _bounds(criterion, rubric) == BOUNDS[criterion]:
            intended = [float(item.facets[facet]) for item in items]
            values = [answer.value(criterion) for answer in base]
            yield _paired(rubric, criterion, values, intended, items)


@cache
def paddings() -> Mapping[str, tuple[str, ...]]:
    """Neutral paragraphs by language."""
    return load_yaml(PADDING, dict[str, tuple[str, ...]])


def paddings_for(item: Item) -> tuple[str, ...]:
    """Those in the item's language, else in English."""
    return paddings().get(item.language) or paddings()["en"]


def _paired(
    rubric: Rubric,
    outcome: str,
    changed: Sequence[float | None],
    unchanged: Sequence[float | None],
    items: Sequence[Item],
) -> PairedValues:
    return PairedValues(
        outcome,
        changed,
        unchanged,
        [item.cluster_or_id for item in items],
        [item.language for item in items],
        _bounds(outcome, rubric),
    )


def _bounds(outcome: str, rubric: Rubric) -> Bounds:
    """Between which values an outcome of the rubric lies."""
    if outcome == SCORE:
        return BOUNDS[SCORE]
    values = rubric.criteria[outcome].scale.values
    return min(values), max(values)


def _orders(
    answer: JudgedAnswer, outcome: str, rubric: Rubric
) -> tuple[float | None, float | None]:
    """The outcome with the labels as given and reversed, from their mean and their difference."""
    if outcome == SCORE:
        moral, rating = (_orders(answer, name, rubric) for name in ("moral", "rating"))
        forwards, backwards = (
            None if a is None or b is None else a * b for a, b in zip(moral, rating, strict=True)
        )
        return forwards, backwards
    judgement = answer.judgements[outcome]
    if judgement.order_shift is None or judgement.probs is None or judgement.value is None:
        return None, None
    middle = rubric.criteria[outcome].scale.expected(judgement.probs)
    # the mean of both orders and their difference give each of them back
    return middle + judgement.order_shift / 2, middle - judgement.order_shift / 2
