"""The scales on which the model under test answers for itself, as data: Likert labels, options.

A rubric asks a judge about somebody's answer. An acceptability and an option are never asked of the
judge: the benchmark's own prompt asks the model under test, and its labels are read off it. What
is left of a rubric then is the scale: labels, values, the spellings that count, a version and a
content hash, which stands in `rubric_hash` of these judgements. One file in `judges/scales` each.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from ..errors import ConfigError, UsageError, nearest
from ..files import hash_value
from ..yaml import load_yaml
from .scale import Scale, full_width

SCALES = Path(__file__).parent / "scales"


@dataclass(frozen=True, slots=True)
class OwnScale:
    """A scale of the model's own: every label with its value, and how labels may be spelt.

    A spelling has the slot {label}, {Label} (with a capital) or {wide} (full-width); `also` gives
    further ones where the item is in a certain language.
    """

    name: str
    version: int
    license: str
    criterion: str
    labels: Mapping[str, float]
    spellings: tuple[str, ...]
    also: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuses spellings of labels that are not there."""
        for language, labels in self.also.items():
            if unknown := sorted(set(labels) - set(self.labels)):
                raise ConfigError(f"scale {self.name!r}: also.{language} names {unknown[0]!r}")
        self.scale(tuple(self.labels), "")

    @property
    def hash(self) -> str:
        """The SHA-256 of everything the file says."""
        return hash_value(asdict(self))

    def scale(self, labels: tuple[str, ...], language: str) -> Scale:
        """The scale with these of its labels, for items of the language."""
        for label in labels:
            if label not in self.labels:
                known = nearest(label, list(self.labels))
                raise UsageError(f"the scale {self.name!r} has no label {label!r}; {known}")
        also = self.also.get(language, {})
        return Scale(
            labels=labels,
            values=tuple(self.labels[label] for label in labels),
            forms={label: (*self._spelt(label), *also.get(label, ())) for label in labels},
        )

    def _spelt(self, label: str) -> tuple[str, ...]:
        slots = {"label": label, "Label": label[:1].upper() + label[1:], "wide": full_width(label)}
        return tuple(spelling.format_map(slots) for spelling in self.spellings)


@cache
def own_scales() -> Mapping[str, OwnScale]:
    """The scales by the criterion that they belong to."""
    read = [load_yaml(path, OwnScale) for path in sorted(SCALES.glob("*.yaml"))]
    return {own.criterion: own for own in read}


def scale_of(criterion: str, labels: tuple[str, ...] = (), language: str = "") -> Scale:
    """The criterion's scale, one object for equal questions; without labels all of them.

    >>> scale_of("option", ("A", "B")).forms_of("B")
    ('B', ' B', 'Ｂ')
    """
    return _scale_of(
        criterion, labels, language if language in own_scales()[criterion].also else ""
    )


def scale_hash(criterion: str) -> str:
    """The content hash of the scale on which the model under test answers for the criterion."""
    return own_scales()[criterion].hash


@cache
def _scale_of(criterion: str, labels: tuple[str, ...], language: str) -> Scale:
    own = own_scales()[criterion]
    return own.scale(labels or tuple(own.labels), language)
