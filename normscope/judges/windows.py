"""Overlapping windows of an answer that is too long for the judge's context.

Whatever the engine, an answer is halved until each part fits: no tokenizer is needed to know where.
Parts meet in the middle and are read with a margin on either side, so that what stands at a seam is
read whole once; a margin ends where a paragraph, a sentence or a word ends, if one ends near.
"""

import re
from dataclasses import dataclass

LEAST = 200
"""A window of fewer characters is not halved: then it is not the answer that is too long."""

# a margin's least and greatest share of the part's length
_NEAR, _FAR = 0.04, 0.2
_ENDS = tuple(
    re.compile(pattern)
    for pattern in (r"\n\s*\n\s*", r"\n\s*", r"[.!?…]+[\"'”’)]*\s+|[。！？；…]+[”’」』）]*", r"\s+")
)
_LEFT_OUT = "[…]"


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text, from `low` to below `high`; the margins come on top."""

    low: int
    high: int

    def of(self, text: str) -> str:
        """The part as the judge is shown it, with a mark where something was left out.

        >>> Window(4, 7).of("one two three")
        '[…] two […]'
        """
        low, high = self.with_margins(text)
        before = f"{_LEFT_OUT} " if low else ""
        after = f" {_LEFT_OUT}" if high < len(text) else ""
        return f"{before}{text[low:high].strip()}{after}"

    def with_margins(self, text: str) -> tuple[int, int]:
        """Where what the judge is shown begins, and where it ends."""
        near, far = (round((self.high - self.low) * share) for share in (_NEAR, _FAR))
        low, high = max(0, self.low - far), min(len(text), self.high + far)
        return (
            _first_end(text, low, self.low - near) if self.low else 0,
            _last_end(text, self.high + near, high) if self.high < len(text) else high,
        )

    def halves(self) -> tuple["Window", "Window"] | None:
        """The two parts of the window; null where it is too short for that."""
        if self.high - self.low < LEAST:
            return None
        middle = (self.low + self.high) // 2
        return Window(self.low, middle), Window(middle, self.high)


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
