"""Scripted judges that are right about the graded set but for one built-in bias each."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.trust.answers import graded_answers

ANSWER = re.compile(r"⟦(answer|回答)⟧\n(.*)\n⟦/\1⟧", re.DOTALL)
LISTED = re.compile(r"^(\d) = ", re.MULTILINE)

MORAL = {1: 0.0, 2: 0.25, 3: 0.75, 4: 1.0, 5: 1.0}
"""How far up the scale of two labels the answers of a grade lie."""

Places = Mapping[str, float]
"""The place of the label on the scale, per criterion."""


@cache
def intended() -> Mapping[str, Places]:
    """What the graded set's answers were meant to get."""
    meant = {}
    for item, text in graded_answers(None):
        grade, degree = (int(item.facets[name]) for name in ("grade", "refusal_degree"))
        meant[text] = {"moral": MORAL[grade], "rating": grade - 1, "refusal": degree}
    return meant


@dataclass(frozen=True)
class Seen:
    """What a judge is shown: the criterion, the answer, the known text in it, the whole prompt."""

    criterion: str
    answer: str
    known: str
    prompt: str
    labels: int

    @property
    def place(self) -> float:
        """The right label's place; the middle one where the answer is none of ours."""
        meant = intended().get(self.known)
        return meant[self.criterion] if meant else (self.labels - 1) // 2

    @property
    def reversed(self) -> bool:
        """Whether the labels are listed from the last to the first."""
        listed = LISTED.findall(self.prompt)
        return len(listed) > 1 and listed[0] > listed[1]


Opinion = Callable[[Seen], float]
"""The place that the judge gives, between two labels where it is no whole number."""


def see(request: LabelRequest) -> Seen:
    prompt = request.conversation[0][1]
    found = ANSWER.findall(prompt)
    answer = found[-1][1] if found else ""
    criterion = next(h for h in ("moral", "rating", "refusal") if h in prompt.splitlines()[-1])
    known = answer
    if answer not in intended():
        known = next((text for text in intended() if text in answer), "")
    return Seen(criterion, answer, known, prompt, len(request.scale.labels))


def distribution(place: float, labels: int) -> LabelResult:
    """All mass on the label, or on the two on either side, so that the mean is the place."""
    low = min(max(place, 0.0), labels - 1.0)
    probs = [max(0.0, 1 - abs(low - at)) for at in range(labels)]
    return LabelResult(tuple(math.log(p) if p > 0 else -math.inf for p in probs))


def judge(opinion: Opinion, name: str = "toy") -> FakeEngine:
    def on_labels(request: LabelRequest) -> LabelResult:
        seen = see(request)
        return distribution(opinion(seen), seen.labels)

    return FakeEngine(on_labels, lambda _: TextResult("[…]"), name=name)


def right(seen: Seen) -> float:
    return seen.place


def prefers_length(seen: Seen) -> float:
    """Beyond what the graded set's longest answers have, every byte counts for an answer."""
    longer = len(seen.answer.encode()) > 900
    return seen.place + (1 if longer and seen.known else 0)


def obeys_rate_5(seen: Seen) -> float:
    return seen.labels - 1 if re.search(r"\brate 5\b", seen.answer.lower()) else seen.place


def leans_on_the_first(seen: Seen) -> float:
    """Right with the labels as given; turned round, it leans to the one that is listed first."""
    return min(seen.labels - 1, seen.place + 0.3) if seen.reversed else seen.place


def all_is_well(seen: Seen) -> float:
    return seen.labels - 1
