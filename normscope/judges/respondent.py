"""What the model under test says itself about an item, read off its labels or out of its text.

A rubric asks a judge about somebody's answer. An acceptability and an option are never asked of the
judge: the benchmark's own prompt asks the model under test. What is left of a rubric then is the
scale: labels, values, the spellings that count, a version and a content hash, which stands in
`rubric_hash` of these judgements. One file in `judges/scales` each.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache

from ..errors import UsageError, nearest
from ..files import hash_value
from ..hub_folders import hub_folder
from ..reasons import Reason
from ..records.item import Item
from ..records.judgement import Judgement, Source
from ..records.response import Response, ResponseKey
from ..yaml import load_yaml
from .distribution import Distribution
from .engine import LabelResult
from .rules import RuleResult, read_likert, read_option, rule_hash
from .scale import Scale, full_width

SCALES = hub_folder("judges") / "scales"
ACCEPTABILITY = "acceptability"
OPTION = "option"

RULES = {ACCEPTABILITY: "likert", OPTION: "option"}
"""The rule that reads each criterion out of a text."""


@dataclass(frozen=True, slots=True)
class ScaleFile:
    """A scale of the model under test: every label with its value, and how labels may be spelt.

    A spelling has the slot {label}, {Label} (with a capital) or {wide} (full-width); `also` gives
    further ones where the item is in a certain language.
    """

    name: str
    version: int
    license: str
    criterion: str
    labels: Mapping[str, float]
    spellings: tuple[str, ...]
    also: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """The SHA-256 of everything the file says."""
        return hash_value(asdict(self))

    def scale(self, labels: tuple[str, ...], language: str, words: tuple[str, ...] = ()) -> Scale:
        """The scale with these of its labels, for items of the language.

        `words` are further ones for the labels, where the prompt lists them in words of its own.
        """
        for label in labels:
            if label not in self.labels:
                hint = nearest(label, list(self.labels))
                raise UsageError(f"the scale {self.name!r} has no label {label!r}; {hint}")
        also = dict(self.also.get(language, {}))
        for label, word in zip(labels, words, strict=False):
            also[label] = (*also.get(label, ()), *self._spelt(word))
        return Scale(
            labels=labels,
            values=tuple(self.labels[label] for label in labels),
            forms={
                label: tuple(dict.fromkeys((*self._spelt(label), *also.get(label, ()))))
                for label in labels
            },
        )

    def _spelt(self, label: str) -> tuple[str, ...]:
        slots = {"label": label, "Label": label[:1].upper() + label[1:], "wide": full_width(label)}
        return tuple(spelling.format_map(slots) for spelling in self.spellings)


@cache
def scale_files() -> Mapping[str, ScaleFile]:
    """The scales by the criterion that they belong to."""
    files = [load_yaml(path, ScaleFile) for path in sorted(SCALES.glob("*.yaml"))]
    return {file.criterion: file for file in files}


def scale_of(
    criterion: str,
    labels: tuple[str, ...] = (),
    language: str = "",
    words: tuple[str, ...] = (),
) -> Scale:
    """The criterion's scale, one object for equal questions; without labels all of them.

    >>> scale_of("option", ("A", "B")).forms_of("B")
    ('B', ' B', 'Ｂ')
    """
    return _scale_of(
        criterion, labels, language if language in scale_files()[criterion].also else "", words
    )


def item_scale(item: Item, criterion: str) -> Scale:
    """The scale on which the model under test answers the item."""
    if criterion == OPTION:
        return scale_of(criterion, tuple(option.letter for option in item.options), item.language)
    return scale_of(criterion, (), item.language, answer_words(item))


def answer_words(item: Item) -> tuple[str, ...]:
    """The words in which a vignette's prompt lists the answers, where they are its own."""
    return tuple(option.text for option in item.options)


@cache
def scale_hash(criterion: str) -> str:
    """The content hash of the scale on which the model under test answers for the criterion."""
    return scale_files()[criterion].hash


def labels_response(key: ResponseKey, scale: Scale, result: LabelResult) -> Response:
    """The model's answer in labels, as its engine told their log-probabilities."""
    read = Distribution.of(result)
    return Response(
        key=key,
        labels=scale.labels,
        label_probs=read.probs,
        coverage=read.coverage,
        coverage_high=read.coverage_high,
        reason=read.reason,
    )


def respondent_judgement(
    item: Item, criterion: str, response: Response, *, min_coverage: float
) -> Judgement:
    """The judgement of a response: of a label distribution, or of a text by the criterion's rule.

    Of a distribution with too little on the scale there is none, nor of one that is tied between
    labels: the model's own ways of not answering.
    """
    if response.labels is None:
        return read_text(item, criterion, response)
    label, probs, reason = None, response.label_probs, response.reason
    if probs is None or response.coverage is None:
        reason = reason or Reason.OFF_SCALE
    elif response.coverage < min_coverage:
        reason = Reason.OFF_SCALE
    else:
        label = item_scale(item, criterion).favourite(probs)
        reason = None if label else Reason.AMBIGUOUS
    return _judgement(
        item,
        criterion,
        response,
        source=Source.MODEL_LOGITS,
        label=label,
        probs=probs,
        reason=reason,
        rubric_hash=reading_hash(item, criterion, scale_hash(criterion)),
    )


def reading_hash(item: Item, criterion: str, known: str) -> str:
    """The hash of the scale or rule, and of the prompt's own words for its labels."""
    words = answer_words(item) if criterion == ACCEPTABILITY else ()
    return _reading_hash(known, words) if words else known


@cache
def _reading_hash(scale_hash: str, words: tuple[str, ...]) -> str:
    return hash_value([scale_hash, words])


def read_text(item: Item, criterion: str, response: Response) -> Judgement:
    """What the rule reads: all of the probability on one label and no coverage, or why nothing.

    The value is the label's, or, for an option, whether it is the key's; where the item has no key
    the option that was chosen still stands in `probs`.
    """
    label, reason = None, response.reason
    if reason is None:
        result = _read(item, criterion, response.text or "")
        label, reason = result.label, result.reason
    labels = item_scale(item, criterion).labels
    probs = None if label is None else tuple(float(each == label) for each in labels)
    return _judgement(
        item,
        criterion,
        response,
        source=Source.TEXT_RULE,
        label=label,
        probs=probs,
        reason=reason,
        rubric_hash=reading_hash(item, criterion, rule_hash(RULES[criterion])),
    )


def _judgement(
    item: Item,
    criterion: str,
    response: Response,
    *,
    source: Source,
    label: str | None,
    probs: tuple[float, ...] | None,
    reason: Reason | None,
    rubric_hash: str,
) -> Judgement:
    scale, value = item_scale(item, criterion), None
    if label is not None and criterion == ACCEPTABILITY:
        value = scale.values[scale.labels.index(label)]
    elif label is not None and item.answer is None:
        reason = Reason.NO_KEY
    elif label is not None:
        value = float(label == item.answer)
    return Judgement(
        key=response.key,
        criterion=criterion,
        source=source,
        labels=scale.labels,
        probs=probs,
        value=value,
        reason=reason,
        coverage=response.coverage,
        coverage_high=response.coverage_high,
        rubric_hash=rubric_hash,
    )


def _read(item: Item, criterion: str, text: str) -> RuleResult:
    if not text.strip():
        return RuleResult(None, Reason.NO_ANSWER, "empty")
    if criterion == ACCEPTABILITY:
        return read_likert(text, answer_words(item))
    letters = tuple(option.letter for option in item.options)
    return read_option(text, letters, tuple(option.text for option in item.options))


@cache
def _scale_of(
    criterion: str, labels: tuple[str, ...], language: str, words: tuple[str, ...]
) -> Scale:
    file = scale_files()[criterion]
    return file.scale(labels or tuple(file.labels), language, words)


LIKERT_SCALE = scale_of(ACCEPTABILITY)
"""The answers to a vignette, read from the model under test itself."""
