"""Overlapping windows of an answer that is too long for the judge's context.

Whatever the engine, an answer is halved until each part fits: no tokenizer is needed to know where.
Parts overlap, so that what stands at a seam is read whole once, and end where a paragraph, a
sentence or a word ends, if one ends near.
"""

import re
from dataclasses import dataclass

LEAST = 200
"""A window of fewer characters is not halved: then it is not the answer that is too long."""

# the halves reach at most this share of the text over, and at least that one under, its middle
_FAR, _NEAR = 0.6, 0.52
_ENDS = tuple(
    re.compile(pattern)
    for pattern in (r"\n\s*\n\s*", r"\n\s*", r"[.!?…]+[\"'”’)]*\s+|[。！？；…]+[”’」』）]*", r"\s+")
)
_LEFT_OUT = "[…]"


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text, from `low` to below `high`."""

    low: int
    high: int

    def of(self, text: str) -> str:
        """The part as the judge is shown it, with a mark where something was left out.

        >>> Window(4, 7).of("one two three")
        '[…] two […]'
        """
        before = f"{_LEFT_OUT} " if self.low else ""
        after = f" {_LEFT_OUT}" if self.high < len(text) else ""
        return f"{before}{text[self.low : self.high].strip()}{after}"

    def halves(self, text: str) -> tuple["Window", "Window"] | None:
        """Two overlapping parts of the window; null where it is too short for that."""
        length = self.high - self.low
        if length < LEAST:
            return None
        near, far = (self.low + round(length * share) for share in (_NEAR, _FAR))
        end = _last_end(text, near, far)
        # the second half's beginning lies as far before the middle as the first one's end behind it
        far, near = (self.low + round(length * (1 - share)) for share in (_FAR, _NEAR))
        return Window(self.low, end), Window(_first_end(text, far, near), self.high)


def _last_end(text: str, low: int, high: int) -> int:
    """The last place between the two where something ends: the greatest thing that does."""
    for end in _ENDS:
        if places := [result.end() for result in end.finditer(text, low, high)]:
            return places[-1]
    return high


def _first_end(text: str, low: int, high: int) -> int:
    for end in _ENDS:
        if result := end.search(text, low, high):
            return result.end()
    return low
