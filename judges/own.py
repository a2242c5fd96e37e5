"""What the model under test itself says about an item, read off its labels or out of its text."""

from functools import cache

from ..reasons import Reason
from ..records.item import Item
from ..records.journal import Row
from ..records.judgement import Judgement, Source
from .bench import row_of
from .criteria import ACCEPTABILITY, OPTION, own_scale, read_model
from .own_scales import scale_hash
from .rules import Reading, read_likert, read_option, rule_hash

RULES = {ACCEPTABILITY: "likert", OPTION: "option"}
"""The rule that reads each criterion out of a text."""


def own_row(item: Item, criterion: str, response: Row, *, min_coverage: float) -> Row:
    """The judgement of an answer: of a label distribution, or of a text by the criterion's rule."""
    reason = None if response["reason"] is None else Reason(response["reason"])
    if response["labels"] is not None:
        made = read_model(
            item,
            criterion,
            response["label_probs"],
            response["coverage"],
            reason,
            min_coverage=min_coverage,
            # runs from before servers were asked have no such column
            coverage_high=response.get("coverage_high"),
        )
        return row_of(response, made, judge=None, rubric_hash=_hash_of_scale(criterion))
    made = read_text(item, criterion, response["text"], reason)
    return row_of(response, made, judge=None, rubric_hash=_hash_of_rule(criterion))


def read_text(item: Item, criterion: str, text: str | None, reason: Reason | None) -> Judgement:
    """What the rule reads: all of the probability on one label and no coverage, or why nothing.

    The value is the label's, or, for an option, whether it is the key's; where the item has no key
    the option that was chosen still stands in `probs`.
    """
    scale = own_scale(item, criterion)
    label: str | None = None
    value: float | None = None
    if reason is None:
        reading = _read(item, criterion, text or "")
        label, reason = reading.label, reading.reason
    if label is not None and criterion == ACCEPTABILITY:
        value = scale.values[scale.labels.index(label)]
    elif label is not None and item.answer is None:
        reason = Reason.NO_KEY
    elif label is not None:
        value = float(label == item.answer)
    return Judgement(
        criterion=criterion,
        source=Source.TEXT_RULE,
        labels=scale.labels,
        probs=None if label is None else tuple(float(one == label) for one in scale.labels),
        value=value,
        coverage=None,
        raw_top=None,
        reason=reason,
    )


def _read(item: Item, criterion: str, text: str) -> Reading:
    if not text.strip():
        return Reading(None, Reason.NO_ANSWER, "empty")
    if criterion == ACCEPTABILITY:
        return read_likert(text)
    letters = tuple(option.letter for option in item.options)
    return read_option(text, letters, tuple(option.text for option in item.options))


@cache
def _hash_of_scale(criterion: str) -> str:
    return scale_hash(criterion)


@cache
def _hash_of_rule(criterion: str) -> str:
    return rule_hash(RULES[criterion])
