"""A vignette context: one YAML file that says how a family of vignettes is made.

A vignette describes a flow of information by the five parameters of contextual integrity: who
sends what about whom to whom, and under which transmission principle. A context gives each of the
five as a factor with levels, as a constant, or as absent with a reason. It may add factors of its
own. A practice is one template over these factors; a context has one or several.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ...errors import ConfigError
from ...yaml import load_yaml
from .check import PARAMETERS, find_problems
from .template import list_slots

CONTEXTS = Path(__file__).parent / "contexts"


@dataclass(frozen=True, slots=True)
class Factor:
    """What varies, and the levels that it takes, in the order in which they are gone through.

    A factor has `levels` of its own, or it is `tied_to` an earlier one and `levels_for` says which
    of its levels go with each level of that factor. `optional` permits one empty level: the slot
    is then left empty. `source_label` is what the source calls the factor.
    """

    levels: tuple[str, ...] = ()
    tied_to: str | None = None
    levels_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: bool = False
    source_label: str | None = None

    @property
    def all_levels(self) -> tuple[str, ...]:
        """Every level that occurs, each once."""
        tied = (level for levels in self.levels_for.values() for level in levels)
        return tuple(dict.fromkeys((*self.levels, *tied)))


@dataclass(frozen=True, slots=True)
class Practice:
    """One template, its control without the transmission principle, and its own constants."""

    template: str
    null_control: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots of the template, each once."""
        return tuple(dict.fromkeys(list_slots(self.template)))


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a context file says.

    The order of `factors` is that of the product: the last factor changes fastest. `population` is
    the people or jurisdiction whose norms the vignettes were written to measure, `instrument` and
    `year` the survey that they come from. `exclusions` are combinations of levels that are left
    out. A practice may hold constant what the context calls `absent`.
    """

    name: str
    title: str
    language: str
    population: str
    instrument: str
    year: int
    license: str
    source: str
    contributors: tuple[str, ...]
    factors: Mapping[str, Factor]
    practices: Mapping[str, Practice]
    constants: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    exclusions: tuple[Mapping[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuses a context that could not be generated as it is meant, all problems at once."""
        if problems := list(find_problems(self)):
            raise ConfigError("\n".join(f"context {self.name!r}: {told}" for told in problems))

    @property
    def columns(self) -> tuple[str, ...]:
        """The five parameters, then the context's own factors: the columns of its tables."""
        return (*PARAMETERS, *(name for name in self.factors if name not in PARAMETERS))

    @property
    def has_null_control(self) -> bool:
        """Whether any practice has a template without the transmission principle."""
        return any(practice.null_control is not None for practice in self.practices.values())


def load_context(path: Path) -> Context:
    """The context of a YAML file, whose name must be that of the file."""
    context = load_yaml(path, Context)
    if context.name != path.stem:
        raise ConfigError(f"{path}: the context calls itself {context.name!r}; rename one of them")
    return context


@cache
def bundled_contexts() -> Mapping[str, Context]:
    """The contexts that come with Normscope, by name."""
    return {path.stem: load_context(path) for path in sorted(CONTEXTS.glob("*.yaml"))}


def factors_of(context: Context, template: str) -> tuple[str, ...]:
    """The factors that a template uses, in the order of the product."""
    slots = list_slots(template)
    return tuple(name for name in context.factors if name in slots)
