"""The known biases of a judge, each as a paired shift of its judgements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ...errors import DataError
from ...messages import message
from ...metrics.intervals import Bounds
from ...records.item import Item, Turn
from ...yaml import load_yaml
from ..diagnostics import CONTENT_FREE
from ..rubric import Rubric
from ..rubric_file import Instruction
from .answers import BOUNDS, INTENDED, SCORE, JudgedAnswer, outcomes_of
from .asking import CheckedJudge, GivenAnswer
from .shifts import PairedValues, Shift, shifts_of

DATA = Path(__file__).parent / "data"
QUOTING, PADDING = DATA / "quoting.yaml", DATA / "padding.yaml"

Probed = tuple[Shift, ...] | str
"""The shifts of a probe, or why it was not made."""

_PADS = {"one paragraph": 1, "four paragraphs": 4}


@dataclass(frozen=True, slots=True)
class Twin:
    """A refusal that quotes what was asked of it, and the same without the quotation."""

    language: str
    category: str
    question: str
    quoted: str
    plain: str


@dataclass(frozen=True, slots=True)
class Lead:
    """What is worded anew in one language around the criteria: template and reply's beginning."""

    template: str
    lead: str


@dataclass(frozen=True, slots=True)
class Rewording:
    """What a second wording of a rubric says anew; the rest stays as it is."""

    rubric: str
    criteria: Mapping[str, Mapping[str, Instruction]]
    languages: Mapping[str, Lead]


def length(judge: CheckedJudge, base: Sequence[JudgedAnswer]) -> Probed:
    """Neutral padding, which changes nothing, behind every answer: short and long."""
    shifts: tuple[Shift, ...] = ()
    for variant, many in _PADS.items():
        longer = [
            (answer.item, "\n\n".join((answer.text or "", *paddings_for(answer.item)[:many])))
            for answer in base
        ]
        padded = judge.judge(f"length, {variant}", longer)
        shifts += shifts_of("length", paired(judge.rubric, padded, base), variant=variant)
    return shifts


def label_order(judge: CheckedJudge, answers: Sequence[GivenAnswer]) -> Probed:
    """Every criterion with its labels listed from the last to the first, less as they are given.

    The shift of an expected value is what the two orders make of it; a criterion whose value is the
    likeliest class is compared by its expected value too.
    """
    judged = judge.judge("label order", answers, label_orders="both")
    table = []
    for outcome in judge.outcomes:
        pairs = [_orders(answer, outcome, judge.rubric) for answer in judged]
        backwards, forwards = [pair[1] for pair in pairs], [pair[0] for pair in pairs]
        table.append(_values(judge.rubric, outcome, backwards, forwards, [i for i, _ in answers]))
    return shifts_of("label order", table, variant="reversed")


def prior(judge: CheckedJudge, answers: Sequence[GivenAnswer]) -> Probed:
    """What the judge says with nothing to judge, less the middle of the scale.

    It is described and not tested: that nothing harms nobody is a good reason to lean.
    """
    kinds: dict[tuple[str, str], Item] = {}
    for item, _ in answers:
        kinds.setdefault((item.category, item.language), item)
    blank = [
        (replace(item, messages=(Turn("user", nothing),), cluster=item.category), nothing)
        for item in kinds.values()
        for nothing in CONTENT_FREE
    ]
    distributions = judge.ask("content-free prior", blank)
    table = []
    for at, (name, criterion) in enumerate(judge.rubric.criteria.items()):
        probs = [of_item[at].probs for of_item in distributions]
        values = [None if each is None else criterion.scale.expected(each) for each in probs]
        middle = [sum(criterion.scale.values) / len(criterion.scale.values)] * len(values)
        table.append(_values(judge.rubric, name, values, middle, [item for item, _ in blank]))
    return shifts_of("content-free prior", table, variant="less the middle", described=True)


def leniency(rubric: Rubric, base: Sequence[JudgedAnswer]) -> Probed:
    """The value less what was intended when the answer was written."""
    table = []
    for criterion, facet in INTENDED.items():
        # a brought rubric may have a criterion of that name on another scale than the grades
        if criterion in rubric.criteria and bounds_of(criterion, rubric) == BOUNDS[criterion]:
            intended = [float(answer.item.facets[facet]) for answer in base]
            values = [answer.value(criterion) for answer in base]
            items = [answer.item for answer in base]
            table.append(_values(rubric, criterion, values, intended, items))
    if not table:
        return message(
            "the rubric has no criterion rating (1 to 5) or refusal (0 to 3) to compare grades with"
        )
    return shifts_of("leniency", table, variant="less the intended grade")


def paraphrase(judge: CheckedJudge, base: Sequence[JudgedAnswer], second: Rubric | None) -> Probed:
    """The same answers under a second wording of the rubric."""
    if second is None:
        return message(
            "there is no second wording of rubric {name!r}; give one: --reworded",
            name=judge.rubric.name,
        )
    for name, criterion in judge.rubric.criteria.items():
        if name not in second.criteria or second.criteria[name].scale != criterion.scale:
            raise DataError(
                f"the second wording has no criterion {name!r} on the same scale: it is "
                "another rubric"
            )
    # the items as they were judged: only the rubric's words differ
    same = [(answer.item, answer.text or "") for answer in base]
    reworded = judge.judge("paraphrased rubric", same, rubric=second)
    return shifts_of("paraphrase", paired(judge.rubric, reworded, base), variant="second wording")


def quoting(judge: CheckedJudge) -> Probed:
    """Refusals that quote what was asked, less their twins that do not."""
    items = [
        Item(
            benchmark="quoting",
            item_id=name,
            messages=(Turn("user", twin.question),),
            language=twin.language,
            category=twin.category,
            cluster=name,
        )
        for number, twin in enumerate(twins(), start=1)
        if (name := f"quoting-{number:02}")
    ]
    texts = [twin.quoted for twin in twins()], [twin.plain for twin in twins()]
    quoted, plain = (
        judge.judge(stage, list(zip(items, of_stage, strict=True)))
        for stage, of_stage in zip(("quoting, quoted", "quoting, plain"), texts, strict=True)
    )
    table = paired(judge.rubric, quoted, plain)
    return shifts_of("quoting", table, variant="a refusal that quotes")


def paired(
    rubric: Rubric, changed: Sequence[JudgedAnswer], unchanged: Sequence[JudgedAnswer]
) -> Iterator[PairedValues]:
    """Each outcome of the changed answers beside that of their twins."""
    for outcome in outcomes_of(rubric.criteria):
        yield _values(
            rubric,
            outcome,
            [answer.value(outcome) for answer in changed],
            [answer.value(outcome) for answer in unchanged],
            [answer.item for answer in unchanged],
        )


def _values(
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
        bounds_of(outcome, rubric),
    )


def bounds_of(outcome: str, rubric: Rubric) -> Bounds | None:
    """Between which values an outcome of the rubric lies."""
    if outcome == SCORE:
        return BOUNDS[SCORE]
    values = rubric.criteria[outcome].scale.values
    return min(values), max(values)


def second_wording(rubric: Rubric) -> Rubric | None:
    """The rubric in the second wording that comes with Normscope, null if there is none."""
    path = DATA / f"{rubric.name}.paraphrase.yaml"
    if not path.is_file():
        return None
    second = load_yaml(path, Rewording)
    if set(second.criteria) != set(rubric.criteria) or set(second.languages) != set(
        rubric.languages
    ):
        return None
    criteria = {
        name: replace(criterion, instruction=dict(second.criteria[name]))
        for name, criterion in rubric.criteria.items()
    }
    languages = {
        name: replace(wording, template=anew.template, lead=anew.lead)
        for name, wording in rubric.languages.items()
        if (anew := second.languages[name])
    }
    return replace(rubric, name=f"{rubric.name}-reworded", criteria=criteria, languages=languages)


@cache
def twins() -> tuple[Twin, ...]:
    """The pairs of refusals."""
    return load_yaml(QUOTING, tuple[Twin, ...])


@cache
def paddings() -> Mapping[str, tuple[str, ...]]:
    """Neutral paragraphs by language."""
    return load_yaml(PADDING, dict[str, tuple[str, ...]])


def paddings_for(item: Item) -> tuple[str, ...]:
    """Those in the item's language, else in English."""
    return paddings().get(item.language) or paddings()["en"]


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
