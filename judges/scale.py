"""A scale: the labels a judge may answer with, what each is worth, and how each may be spelt."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ..errors import ConfigError

_FULL_WIDTH = {ord(c): ord(c) + 0xFEE0 for c in map(chr, range(0x21, 0x7F))}


@dataclass(frozen=True, slots=True)
class Scale:
    """Labels in their order, the value of each, and the surface forms that count as it.

    `forms` maps a label to every spelling whose probability is added up for it; a label without
    an entry gets the label itself, the label after a space, and, for a single character, its
    full-width form. Labels may be several tokens long.

    >>> Scale(labels=("0", "1"), values=(0.0, 1.0)).forms_of("1")
    ('1', ' 1', '１')
    """

    labels: tuple[str, ...]
    values: tuple[float, ...]
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuses a scale on which a reading could be ambiguous."""
        if len(self.labels) < 2:  # noqa: PLR2004 - one label is no choice
            raise ConfigError(f"a scale needs two labels or more, not {list(self.labels)}")
        if len(self.values) != len(self.labels):
            told = f"{len(self.labels)} labels and {len(self.values)} values"
            raise ConfigError(f"a scale needs a value for each label, not {told}")
        if not all(math.isfinite(value) for value in self.values):
            raise ConfigError(f"the values of a scale are finite numbers, not {list(self.values)}")
        for label in self.forms:
            if label not in self.labels:
                raise ConfigError(f"forms are given for {label!r}, which is not on the scale")
        owner: dict[str, str] = {}
        for label in self.labels:
            for form in self.forms_of(label):
                if not form.strip():
                    raise ConfigError(f"the label {label!r} has an empty form")
                if owner.setdefault(form, label) != label:
                    raise ConfigError(f"the form {form!r} stands for {owner[form]!r} and {label!r}")

    def forms_of(self, label: str) -> tuple[str, ...]:
        """Every spelling of the label, the plain one first, without repeats."""
        if given := self.forms.get(label):
            return tuple(dict.fromkeys(given))
        wide = (label.translate(_FULL_WIDTH),) if len(label) == 1 else ()
        return tuple(dict.fromkeys((label, f" {label}", *wide)))

    def expected(self, probs: Sequence[float]) -> float:
        """The probability-weighted sum of the values, Σ p·k (CFSafety, scoring).

        >>> Scale(labels=("0", "1"), values=(0.0, 1.0)).expected([0.25, 0.75])
        0.75
        """
        return math.fsum(p * value for p, value in zip(probs, self.values, strict=True))

    def mode(self, probs: Sequence[float]) -> float:
        """The value of the most probable label; the first of equals.

        >>> Scale(labels=("a", "b", "c"), values=(0.0, 1.0, 2.0)).mode([0.2, 0.4, 0.4])
        1.0
        """
        return self.values[max(range(len(probs)), key=lambda index: (probs[index], -index))]


@cache
def letters(options: tuple[str, ...]) -> Scale:
    """The scale of a multiple-choice item's own option letters, valued by position.

    >>> letters(("A", "B")).values
    (0.0, 1.0)
    """
    return Scale(labels=options, values=tuple(float(i) for i in range(len(options))))
