"""The known biases of a judge, each as a paired shift of its verdicts."""

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
from .asking import CheckedJudge, Read, Reply
from .shifts import Column, Probed, Shift, shifts_of

DATA = Path(__file__).parent / "data"
QUOTING, PADDING = DATA / "quoting.yaml", DATA / "padding.yaml"

_INTENDED: Mapping[str, tuple[str, Bounds]] = {
    "rating": ("grade", (1.0, 5.0)),
    "refusal": ("refusal_degree", (0.0, 3.0)),
}
"""Which facet of a ladder's answer says what a criterion should say, and on which scale."""

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


def length(judge: CheckedJudge, base: Sequence[Read]) -> Probed:
    """Neutral padding, which changes nothing, behind every answer: short and long."""
    shifts: list[Shift] = []
    for variant, many in _PADS.items():
        longer = [replace(one.reply, text=padded(one.reply, many)) for one in base]
        read = judge.ask(f"length, {variant}", longer)
        shifts += shifts_of("length", columns(judge, read, base), variant=variant)
    return Probed("length", "Does neutral padding change the verdict?", tuple(shifts))


def padded(reply: Reply, paragraphs: int) -> str:
    """The answer with so many paragraphs of neutral text behind it, in its language."""
    texts = paddings().get(reply.item.language) or paddings()["en"]
    return "\n\n".join((reply.text, *texts[:paragraphs]))


def label_order(judge: CheckedJudge, replies: Sequence[Reply]) -> Probed:
    """Every criterion with its labels listed from the last to the first, less as they are given.

    The shift of an expected value is what the two orders make of it; a criterion whose value is the
    likeliest class is compared by its expected value too.
    """
    read = judge.ask("label order", replies, label_orders="both")
    clusters = [one.reply.item.cluster for one in read]
    languages = [one.reply.item.language for one in read]
    table = []
    for outcome in judge.outcomes:
        pairs = [_orders(one, outcome, judge.rubric) for one in read]
        backwards, given = [pair[1] for pair in pairs], [pair[0] for pair in pairs]
        table.append(
            Column(outcome, backwards, given, clusters, languages, bounds_of(outcome, judge.rubric))
        )
    question = "Does the order of the labels change the verdict?"
    return Probed("label order", question, shifts_of("label order", table, variant="reversed"))


def prior(judge: CheckedJudge, replies: Sequence[Reply]) -> Probed:
    """What the judge says with nothing to judge, less the middle of the scale.

    It is described and not tested: that nothing harms nobody is a good reason to lean.
    """
    kinds: dict[tuple[str, str], Item] = {}
    for reply in replies:
        kinds.setdefault((reply.item.category, reply.item.language), reply.item)
    items = [
        (replace(item, messages=(Turn("user", nothing),)), nothing)
        for item in kinds.values()
        for nothing in CONTENT_FREE
    ]
    found = judge.ask_anything("content-free prior", items)
    clusters = [item.category for item, _ in items]
    languages = [item.language for item, _ in items]
    table = []
    for name, criterion in judge.rubric.criteria.items():
        values = [None if p is None else criterion.scale.expected(p) for p in found[name]]
        middle = [sum(criterion.scale.values) / len(criterion.scale.values)] * len(values)
        bounds = bounds_of(name, judge.rubric)
        table.append(Column(name, values, middle, clusters, languages, bounds))
    question = "Where does it lean when there is nothing to judge?"
    made = shifts_of("content-free prior", table, variant="less the middle", described=True)
    return Probed("content-free prior", question, made)


def leniency(judge: CheckedJudge, base: Sequence[Read]) -> Probed:
    """The verdict less what was intended when the answer was written."""
    question = "Is it milder or harsher than the ladder's answers were meant?"
    clusters = [one.reply.item.cluster for one in base]
    languages = [one.reply.item.language for one in base]
    table = []
    for criterion, (facet, bounds) in _INTENDED.items():
        if criterion in judge.rubric.criteria and bounds_of(criterion, judge.rubric) == bounds:
            meant = [float(one.reply.item.facets[facet]) for one in base]
            said = [one.value(criterion) for one in base]
            table.append(Column(criterion, said, meant, clusters, languages, bounds))
    if not table:
        told = (
            "the rubric has no criterion rating (1 to 5) or refusal (0 to 3) to compare grades with"
        )
        return Probed("leniency", question, missing=told)
    made = shifts_of("leniency", table, variant="less the intended grade")
    return Probed("leniency", question, made)


def paraphrase(judge: CheckedJudge, base: Sequence[Read], second: Rubric | None) -> Probed:
    """The same answers under a second wording of the rubric."""
    question = "Does the rubric's wording change the verdict?"
    other = second or second_wording(judge.rubric)
    if other is None:
        told = f"there is no second wording of rubric {judge.rubric.name!r}; give one: --reworded"
        return Probed("paraphrase", question, missing=told)
    for name, criterion in judge.rubric.criteria.items():
        if name not in other.criteria or other.criteria[name].scale != criterion.scale:
            raise DataError(
                f"the second wording has no criterion {name!r} on the same scale: it is "
                "another rubric"
            )
    read = judge.ask("paraphrased rubric", [one.reply for one in base], rubric=other)
    made = shifts_of("paraphrase", columns(judge, read, base), variant="second wording")
    return Probed("paraphrase", question, made)


def quoting(judge: CheckedJudge) -> Probed:
    """Refusals that quote what was asked, less their twins that do not."""
    pairs = [_twin(number, twin) for number, twin in enumerate(twins(), start=1)]
    quoted = judge.ask("quoting, quoted", [pair[0] for pair in pairs])
    plain = judge.ask("quoting, plain", [pair[1] for pair in pairs])
    made = shifts_of("quoting", columns(judge, quoted, plain), variant="a refusal that quotes")
    question = "Is a refusal that quotes the harm taken for the harm?"
    return Probed("quoting", question, made)


def columns(
    judge: CheckedJudge, changed: Sequence[Read], unchanged: Sequence[Read]
) -> Iterator[Column]:
    """Each outcome of the changed replies beside that of their twins."""
    clusters = [one.reply.item.cluster or one.reply.item.item_id for one in unchanged]
    languages = [one.reply.item.language for one in unchanged]
    for outcome in judge.outcomes:
        yield Column(
            outcome,
            [one.value(outcome) for one in changed],
            [one.value(outcome) for one in unchanged],
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
    told = load_yaml(path, Rewording)
    if set(told.criteria) != set(used.criteria) or set(told.languages) != set(used.languages):
        return None
    criteria = {
        name: _reworded(criterion, told.criteria[name]) for name, criterion in used.criteria.items()
    }
    languages = {
        name: replace(wording, template=anew.template, lead=anew.lead)
        for name, wording in used.languages.items()
        if (anew := told.languages[name])
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


def _twin(number: int, twin: Twin) -> tuple[Reply, Reply]:
    def reply(kind: str, text: str) -> Reply:
        name = f"quoting-{number:02}"
        item = Item(
            benchmark="quoting",
            item_id=f"{name}-{kind}",
            messages=(Turn("user", twin.question),),
            language=twin.language,
            category=twin.category,
            cluster=name,
        )
        return Reply(item, text)

    return reply("quoted", twin.quoted), reply("plain", twin.plain)


def _orders(one: Read, outcome: str, used: Rubric) -> tuple[float | None, float | None]:
    """The outcome with the labels as given and reversed, from their mean and their difference."""
    if outcome == SCORE:
        moral, rating = (_orders(one, criterion, used) for criterion in ("moral", "rating"))
        return _product(moral[0], rating[0]), _product(moral[1], rating[1])
    shift, middle = one.shifts.get(outcome), one.expected.get(outcome)
    if shift is None or middle is None or one.value(outcome) is None:
        return None, None
    return middle + shift / 2, middle - shift / 2


def _product(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one * other
