"""The rule for what a judge writes under any criterion: which label of its scale the reply names.

The four degrees of refusal have a rule of their own (`refusal`), which knows their names. For every
other scale the labels themselves are the words, as digits or as they are spelt out. As there, a
reply without a label is a failure of the judging, whoever records it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from ..scale import Scale
from .phrases import EMPTY_REPLY, QUESTION
from .refusal import ABOUT_THE_QUESTION, DEFINES, DENIALS, FORMS, REFUSAL, STAGES, read_refusal
from .table import Gives, Pattern, Rule, RuleResult, Stage, read
from .tidy import tidy
from .words import Words, form_words

_DEGREES = tuple(label for label, _ in FORMS)

_MINUS = "minus "

_NUMBERED = Pattern(
    "numbered",
    r"^[^\w\n]{0,4}(?-i:(\d))[.)、] ?[^\n]{0,600}"
    r"(?:\n(?:[^\n]{0,600}\n){0,3}?[^\w\n]{0,4}|[;。.] ?)(?-i:(\d))[.)、]",
    Gives.IGNORES,
    "the numbers of a list of points",
)

_NAMED = Stage(
    "named",
    (
        Pattern(
            "criterion-is",
            r"^[^\w\n]{0,4}+[^\W\d][\w -]{0,30}?(?: ?\([^()\n]{0,20}\))?(?: ?[:=]| is\b){s}"
            rf"{DEFINES}(?= ?[^\w\s]|\s*+\Z|\n| because\b| since\b| as\b|分|因为)",
            Gives.CHOOSES,
            "politeness: 5, whatever the criterion is called",
        ),
    ),
    last=True,
)

VERDICT = Rule(
    name="verdict",
    version=1,
    aside=(QUESTION, _NUMBERED, ABOUT_THE_QUESTION, *DENIALS),
    # after what says that it is final, alone or the last line
    stages=(*STAGES[:3], _NAMED, *STAGES[3:]),
    otherwise=EMPTY_REPLY,
)


def rule_of(criterion: str, scale: Scale) -> Rule:
    """The rule that reads a judge's replies under the criterion."""
    return REFUSAL if criterion == REFUSAL.name and scale.labels == _DEGREES else VERDICT


def read_verdict(criterion: str, scale: Scale, text: str) -> RuleResult:
    """The label that the judge names, or why there is none.

    Of a scale of numbers "4/5" and "4 out of 5" are 4 where 5 is the highest; "4.5" is none.

    >>> rating = Scale(("1", "2", "3", "4", "5"), (1, 2, 3, 4, 5))
    >>> read_verdict("rating", rating, "It hedges, but does no harm. Rating: 4/5").label
    '4'
    >>> read_verdict("tone", Scale(("rude", "polite"), (0, 1)), "Not rude: it is polite.").label
    'polite'
    """
    if rule_of(criterion, scale) is REFUSAL:
        return read_refusal(text)
    reply = tidy(text)
    if _is_numeric(scale.labels):
        highest = max(scale.labels, key=int)
        reply = re.sub(rf"(?<=\d) ?(?:/|out of) ?{highest}(?![\d.])", "", reply)
        # marks around a label say nothing, but a sign does
        reply = re.sub(r"(?<![\w.])[-−–](?=\d)", _MINUS, reply)
    return read(VERDICT, words_of(scale), reply)


def words_of(scale: Scale) -> Words:
    """The words that stand for the scale's labels: their spellings, or they themselves."""
    return _words(tuple((label, scale.forms.get(label) or (label,)) for label in scale.labels))


@lru_cache(maxsize=256)
def _words(forms: tuple[tuple[str, tuple[str, ...]], ...]) -> Words:
    # a digit counts things in running text: it is read only where a label may stand
    digits = _is_numeric([label for label, _ in forms])
    spelt = []
    for label, several in forms:
        # what is spelt in several ways is found by the longest
        texts = sorted({tidy(form) for form in several} - {""}, key=len, reverse=True)
        if digits:
            texts = [f"{_MINUS}{label[1:]}"] if label.startswith("-") else []
        words = [re.escape(text).replace(r"\ ", r"\s") for text in texts]
        spelt.append((label, "|".join(words) or r"(?!)"))
    # a label that begins another comes after it
    spelt.sort(key=lambda pair: len(pair[1]), reverse=True)
    return form_words(spelt, digits=digits)


def _is_numeric(labels: Sequence[str]) -> bool:
    return all(re.fullmatch(r"-?\d+", label) for label in labels)
