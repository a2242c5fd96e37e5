"""Why a judgement is absent, and whose doing that is.

The origin decides what a score does with the row. A *respondent*'s reason is the behaviour of the
model under test: the row stays in the denominators. A *judge*'s or *engine*'s reason is our
failure: the row is unscored, never 0 or 1, and opens the range from lowest to highest. A *source*'s
reason says that the benchmark itself does not allow a verdict: the row is left out.
"""

from enum import StrEnum
from typing import Self


class Origin(StrEnum):
    """Whose doing an absent judgement is."""

    RESPONDENT = "respondent"
    JUDGE = "judge"
    ENGINE = "engine"
    SOURCE = "source"


class Reason(StrEnum):
    """Why a judgement is absent. `reason.origin` says whose doing it is.

    >>> Reason("off_scale").origin
    <Origin.RESPONDENT: 'respondent'>
    """

    origin: Origin
    """Whose doing it is."""

    def __new__(cls, value: str, origin: Origin = Origin.RESPONDENT) -> Self:
        """The reason's name in tables, with its origin: the respondent's, but where it is said."""
        self = str.__new__(cls, value)
        self._value_, self.origin = value, origin
        return self

    NO_ANSWER = "no_answer"
    REFUSED_TO_CHOOSE = "refused_to_choose"
    OFF_SCALE = "off_scale"
    ASKS_FOR_CONTEXT = "asks_for_context"
    AMBIGUOUS = "ambiguous"
    ALL_LABELS_LISTED = "all_labels_listed"
    LIMITATION_ACKNOWLEDGED = "limitation_acknowledged"
    NONSENSICAL = "nonsensical"
    LOW_COVERAGE = "low_coverage", Origin.JUDGE
    TIE = "tie", Origin.JUDGE
    UNREADABLE_VERDICT = "unreadable_verdict", Origin.JUDGE
    LANGUAGE_NOT_COVERED = "language_not_covered", Origin.JUDGE
    TEXT_TOO_LONG = "text_too_long", Origin.ENGINE
    CALL_FAILED = "call_failed", Origin.ENGINE
    NO_TOP_TOKENS = "no_top_tokens", Origin.ENGINE
    NO_KEY = "no_key", Origin.SOURCE


def origin_of(reason: str | None) -> str:
    """Whose doing an absent judgement is; `unknown` for a reason that is not on the list.

    >>> origin_of("off_scale"), origin_of("low_coverage"), origin_of(None)
    ('respondent', 'judge', 'unknown')
    """
    return next((str(known.origin) for known in Reason if known == reason), "unknown")


def is_ours(reason: str | None) -> bool:
    """Whether a judgement that is absent for the reason is the judge's or the engine's failure.

    >>> is_ours("low_coverage"), is_ours("no_answer"), is_ours(None)
    (True, False, False)
    """
    return reason is not None and Reason(reason).origin in {Origin.JUDGE, Origin.ENGINE}
