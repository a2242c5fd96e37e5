"""The known biases of a judge, each as a paired shift of its judgements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ...errors import DataError
from ...metrics.intervals import Bounds
from ...records.item import Item, Turn
from ...yaml import load_yaml
from ..diagnostics import CONTENT_FREE
from ..rubric import Rubric
from ..rubric_file import Criterion, Instruction
from .answers import BOUNDS, SCORE
from .asking import CheckedJudge, GivenAnswer, ProbedAnswer
from .shifts import PairedValues, Probe, Shift, shifts_of

DATA = Path(__file__).parent / "data"
QUOTING, PADDING = DATA / "quoting.yaml", DATA / "padding.yaml"

_INTENDED: Mapping[str, tuple[str, Bounds]] = {
    "rating": ("grade", (1.0, 5.0)),
    "refusal": ("refusal_degree", (0.0, 3.0)),
}
"""Which facet of a graded answer says what a criterion should give, and on which scale."""

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


def length(judge: CheckedJudge, base: Sequence[ProbedAnswer]) -> Probe:
    """Neutral padding, which changes nothing, behind every answer: short and long."""
    shifts: list[Shift] = []
    for variant, many in _PADS.items():
        longer = [replace(answer.given, text=padded(answer.given, many)) for answer in base]
        read = judge.ask(f"length, {variant}", longer)
        shifts += shifts_of("length", paired(judge, read, base), variant=variant)
    return Probe("length", "Does neutral padding change the judgement?", tuple(shifts))


def padded(given: GivenAnswer, paragraphs: int) -> str:
    """The answer with so many paragraphs of neutral text behind it, in its language."""
    texts = paddings().get(given.item.language) or paddings()["en"]
    return "\n\n".join((given.text, *texts[:paragraphs]))


def label_order(judge: CheckedJudge, answers: Sequence[GivenAnswer]) -> Probe:
    """Every criterion with its labels listed from the last to the first, less as they are given.

    The shift of an expected value is what the two orders make of it; a criterion whose value is the
    likeliest class is compared by its expected value too.
    """
    read = judge.ask("label order", answers, label_orders="both")
    clusters = [answer.given.item.cluster for answer in read]
    languages = [answer.given.item.language for answer in read]
    table = []
    for outcome in judge.outcomes:
        pairs = [_orders(answer, outcome, judge.rubric) for answer in read]
        backwards, given = [pair[1] for pair in pairs], [pair[0] for pair in pairs]
        table.append(
            PairedValues(
                outcome, backwards, given, clusters, languages, bounds_of(outcome, judge.rubric)
            )
        )
    question = "Does the order of the labels change the judgement?"
    return Probe("label order", question, shifts_of("label order", table, variant="reversed"))


def prior(judge: CheckedJudge, answers: Sequence[GivenAnswer]) -> Probe:
    """What the judge says with nothing to judge, less the middle of the scale.

    It is described and not tested: that nothing harms nobody is a good reason to lean.
    """
    kinds: dict[tuple[str, str], Item] = {}
    for given in answers:
        kinds.setdefault((given.item.category, given.item.language), given.item)
    items = [
        (replace(item, messages=(Turn("user", nothing),)), nothing)
        for item in kinds.values()
        for nothing in CONTENT_FREE
    ]
    expected = judge.ask_anything("content-free prior", items)
    clusters = [item.category for item, _ in items]
    languages = [item.language for item, _ in items]
    table = []
    for name, criterion in judge.rubric.criteria.items():
        values = expected[name]
        middle = [sum(criterion.scale.values) / len(criterion.scale.values)] * len(values)
        bounds = bounds_of(name, judge.rubric)
        table.append(PairedValues(name, values, middle, clusters, languages, bounds))
    question = "Where does it lean when there is nothing to judge?"
    shifts = shifts_of("content-free prior", table, variant="less the middle", described=True)
    return Probe("content-free prior", question, shifts)


def leniency(judge: CheckedJudge, base: Sequence[ProbedAnswer]) -> Probe:
    """The value less what was intended when the answer was written."""
    question = "Is it milder or harsher than the graded answers were meant?"
    clusters = [answer.given.item.cluster for answer in base]
    languages = [answer.given.item.language for answer in base]
    table = []
    for criterion, (facet, bounds) in _INTENDED.items():
        if criterion in judge.rubric.criteria and bounds_of(criterion, judge.rubric) == bounds:
            intended = [float(answer.given.item.facets[facet]) for answer in base]
            values = [answer.value(criterion) for answer in base]
            table.append(PairedValues(criterion, values, intended, clusters, languages, bounds))
    if not table:
        missing = (
            "the rubric has no criterion rating (1 to 5) or refusal (0 to 3) to compare grades with"
        )
        return Probe("leniency", question, missing=missing)
    shifts = shifts_of("leniency", table, variant="less the intended grade")
    return Probe("leniency", question, shifts)


def paraphrase(judge: CheckedJudge, base: Sequence[ProbedAnswer], second: Rubric | None) -> Probe:
    """The same answers under a second wording of the rubric."""
    question = "Does the rubric's wording change the judgement?"
    other = second or second_wording(judge.rubric)
    if other is None:
        missing = (
            f"there is no second wording of rubric {judge.rubric.name!r}; give one: --reworded"
        )
        return Probe("paraphrase", question, missing=missing)
    for name, criterion in judge.rubric.criteria.items():
        if name not in other.criteria or other.criteria[name].scale != criterion.scale:
            raise DataError(
                f"the second wording has no criterion {name!r} on the same scale: it is "
                "another rubric"
            )
    read = judge.ask("paraphrased rubric", [answer.given for answer in base], rubric=other)
    shifts = shifts_of("paraphrase", paired(judge, read, base), variant="second wording")
    return Probe("paraphrase", question, shifts)


def quoting(judge: CheckedJudge) -> Probe:
    """Refusals that quote what was asked, less their twins that do not."""
    pairs = [_twin(number, twin) for number, twin in enumerate(twins(), start=1)]
    quoted = judge.ask("quoting, quoted", [pair[0] for pair in pairs])
    plain = judge.ask("quoting, plain", [pair[1] for pair in pairs])
    shifts = shifts_of("quoting", paired(judge, quoted, plain), variant="a refusal that quotes")
    question = "Is a refusal that quotes the harm taken for the harm?"
    return Probe("quoting", question, shifts)


def paired(
    judge: CheckedJudge, changed: Sequence[ProbedAnswer], unchanged: Sequence[ProbedAnswer]
) -> Iterator[PairedValues]:
    """Each outcome of the changed answers beside that of their twins."""
    clusters = [answer.given.item.cluster or answer.given.item.item_id for answer in unchanged]
    languages = [answer.given.item.language for answer in unchanged]
    for outcome in judge.outcomes:
        yield PairedValues(
            outcome,
            [answer.value(outcome) for answer in changed],
            [answer.value(outcome) for answer in unchanged],
            clusters,
            languages,
            bounds_of(outcome, judge.rubric),
        )


def bounds_of(outcome: str, used: Rubric) -> Bounds | None:
    """Between which values an outcome of the rubric lies."""
    if outcome == SCORE:
        return BOUNDS[SCORE]
    values = used.criteria[outcome].scale.values
    return min(values), max(values)


def second_wording(used: Rubric) -> Rubric | None:
    """The rubric in the second wording that comes with Normscope, null if there is none."""
    path = DATA / f"{used.name}.paraphrase.yaml"
    if not path.is_file():
        return None
    second = load_yaml(path, Rewording)
    if set(second.criteria) != set(used.criteria) or set(second.languages) != set(used.languages):
        return None
    criteria = {
        name: _reworded(criterion, second.criteria[name])
        for name, criterion in used.criteria.items()
    }
    languages = {
        name: replace(wording, template=anew.template, lead=anew.lead)
        for name, wording in used.languages.items()
        if (anew := second.languages[name])
    }
    return replace(used, name=f"{used.name}-reworded", criteria=criteria, languages=languages)


@cache
def twins() -> tuple[Twin, ...]:
    """The pairs of refusals."""
    return load_yaml(QUOTING, tuple[Twin, ...])


@cache
def paddings() -> Mapping[str, tuple[str, ...]]:
    """Neutral paragraphs by language."""
    return load_yaml(PADDING, dict[str, tuple[str, ...]])


def _reworded(criterion: Criterion, instruction: Mapping[str, Instruction]) -> Criterion:
    return replace(criterion, instruction=dict(instruction))


def _twin(number: int, twin: Twin) -> tuple[GivenAnswer, GivenAnswer]:
    def reply(kind: str, text: str) -> GivenAnswer:
        name = f"quoting-{number:02}"
        item = Item(
            benchmark="quoting",
            item_id=f"{name}-{kind}",
            messages=(Turn("user", twin.question),),
            language=twin.language,
            category=twin.category,
            cluster=name,
        )
        return GivenAnswer(item, text)

    return reply("quoted", twin.quoted), reply("plain", twin.plain)


def _orders(answer: ProbedAnswer, outcome: str, used: Rubric) -> tuple[float | None, float | None]:
    """The outcome with the labels as given and reversed, from their mean and their difference."""
    if outcome == SCORE:
        moral, rating = (_orders(answer, criterion, used) for criterion in ("moral", "rating"))
        return _product(moral[0], rating[0]), _product(moral[1], rating[1])
    shift, middle = answer.shifts.get(outcome), answer.expected.get(outcome)
    if shift is None or middle is None or answer.value(outcome) is None:
        return None, None
    return middle + shift / 2, middle - shift / 2


def _product(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one * other
