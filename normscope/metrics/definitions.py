"""The catalogue of statistics: what each is called, what it is, and which direction is better."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from ..messages import joined, known, message
from .criterion import CRITERION
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
    The first screen shows a `headline`; the rest is folded below. What a benchmark is about is also
    shown `by_group`. `alone` is what it is called where no legend is beside it.
    """

    name: str
    text: str
    better: Better = ""
    paper: str = ""
    scale: Bounds | None = None
    headline: bool = False
    by_group: bool = False
    alone: str = ""

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


def definition_of(slug: str) -> Definition | None:
    """The definition of a statistic by its name in `scores.json`; null for one of a user's rubric.

    >>> definition_of("hr").in_words
    'share of the answers that are risky · lower is better · named as in the paper'
    >>> definition_of("criterion:tone")
    """
    return DEFINITIONS.get(slug)


def statistic_name(slug: str) -> str:
    """What a statistic is called, as a message; one of a user's rubric by its criterion and label.

    >>> statistic_name("rr1"), statistic_name("criterion:my_tone:3")
    ('RR-1', 'my tone: 3')
    """
    if (definition := definition_of(slug)) is not None:
        return definition.name
    name, _, label = slug.removeprefix(CRITERION).partition(":")
    return f"{name.replace('_', ' ')}: {label}" if label else name.replace("_", " ")


def is_headline(slug: str) -> bool:
    """Whether the first screen shows the statistic: its definition says so, or a criterion's level.

    >>> is_headline("rr1"), is_headline("criterion:tone"), is_headline("criterion:tone:3")
    (True, True, False)
    """
    if (definition := definition_of(slug)) is not None:
        return definition.headline
    return slug.startswith(CRITERION) and slug.count(":") == 1


def is_by_group(slug: str) -> bool:
    """Whether the statistic is shown by group: what a benchmark is about, and no reference to it.

    >>> is_by_group("rr1"), is_by_group("chance")
    (True, False)
    """
    if (definition := definition_of(slug)) is not None:
        return definition.by_group
    return is_headline(slug)


def _defined(
    name: str, text: str, scale: list[float] | None = None, alone: str = "", **rest: Any
) -> Definition:
    bounds = None if scale is None else (float(scale[0]), float(scale[1]))
    called = known(alone or name)
    return Definition(known(name), known(text), scale=bounds, alone=called, **rest)


def _read() -> dict[str, Definition]:
    table = Path(__file__).with_name("definitions.yaml").read_text(encoding="utf-8")
    return {slug: _defined(**row) for slug, row in yaml.safe_load(table).items()}


DEFINITIONS = _read()
"""By their names in `scores.json` and in cards, as `definitions.yaml` has them."""
