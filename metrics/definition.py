"""What there is to say of a statistic."""

from dataclasses import dataclass
from typing import Literal

from ..messages import joined, message
from .intervals import Bounds

Better = Literal["higher", "lower", "at zero", ""]
"""Where a value is better; empty: no direction is better than the other."""

_DIRECTIONS: dict[Better, str] = {
    "higher": message("higher is better"),
    "lower": message("lower is better"),
    "at zero": message("best at 0"),
    "": message("no direction is better"),
}


@dataclass(frozen=True, slots=True)
class Definition:
    """What there is to say of a statistic; `name` and `text` are messages.

    `paper` is what the benchmark's paper calls it, in its own language; empty where it has no such
    number. `scale` is from where to where its values go, null for shares and for what has no ends.
    The first screen shows a `headline`; the rest is folded below.
    """

    name: str
    text: str
    better: Better = ""
    paper: str = ""
    scale: Bounds | None = None
    headline: bool = False

    @property
    def direction(self) -> str:
        """Which direction is better, in words."""
        return _DIRECTIONS[self.better]

    @property
    def in_words(self) -> str:
        """The definition, the direction and the paper's name on one line."""
        texts = [self.text, self.direction]
        if self.paper == self.name:
            texts.append(message("named as in the paper"))
        elif self.paper:
            texts.append(message("in the paper: {name}", name=self.paper))
        return joined(texts, " · ")
