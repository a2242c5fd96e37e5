"""What a text rule makes of a reply: a label, or why there is none."""

from dataclasses import dataclass

from ...reasons import Reason


@dataclass(frozen=True, slots=True)
class Reading:
    """The label that was read and the name of the pattern that read it; or a reason.

    Exactly one of `label` and `reason` is null.
    """

    label: str | None
    reason: Reason | None
    rule: str
