"""One label from several people's: the majority, or the median where labels are grades."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .sheet import CANNOT_TELL

Rule = Literal["majority", "median"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """People's labels of one row under one criterion, and what they come to; null for a tie.

    `given` leaves out raters who cannot tell.
    """

    row: str
    criterion: str
    given: tuple[str, ...]
    label: str | None

    @property
    def unanimous(self) -> bool:
        """Whether all say the same."""
        return len(set(self.given)) == 1


def usual_rule(labels: Sequence[str]) -> Rule:
    """The median for grades of five labels or more, else the majority."""
    return "median" if len(labels) > 4 else "majority"  # noqa: PLR2004 - more are grades


def consensus(given: Sequence[str], labels: Sequence[str], rule: Rule) -> str | None:
    """The label that more than half give, or the middle one; null for a tie or no label.

    The median of an even number is a tie unless the two in the middle are equal.

    >>> consensus(["1", "1", "0"], ["0", "1"], "majority")
    '1'
    >>> consensus(["1", "3", "5"], ["1", "2", "3", "4", "5"], "median")
    '3'
    """
    if not given:
        return None
    if rule == "majority":
        label, count = Counter(given).most_common(1)[0]
        return label if 2 * count > len(given) else None
    places = sorted(list(labels).index(label) for label in given)
    low, high = places[(len(places) - 1) // 2], places[len(places) // 2]
    return labels[low] if low == high else None


def verdicts(
    raters: Sequence[Mapping[str, Mapping[str, str]]],
    rows: Sequence[str],
    criteria: Mapping[str, Sequence[str]],
    rules: Mapping[str, Rule],
) -> list[Verdict]:
    """What the raters come to on each row and criterion of which any says something."""
    found = []
    for row in rows:
        for criterion, labels in criteria.items():
            said = [rater[row][criterion] for rater in raters if criterion in rater.get(row, {})]
            given = tuple(label for label in said if label != CANNOT_TELL)
            if said:
                found.append(
                    Verdict(row, criterion, given, consensus(given, labels, rules[criterion]))
                )
    return found
