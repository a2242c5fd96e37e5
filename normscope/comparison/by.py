"""Runs by an attribute of their models: pairs that differ in it and, as is said, in no other.

A larger model of another lineage is not the same model made larger. So runs are compared by their
capacity (alignment, quantisation, lineage …) only where everything else that is said of the models
is alike, as Shvartzshnaider, Duddu and Lacalamita compare models (LLM-CI).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

from ..errors import UsageError, nearest
from ..judges.lineage import lineages
from ..pipeline.models import ATTRIBUTES
from ..records.run import Run
from .differences import adjusted, compare
from .result import Compared

_SIZE = re.compile(r"([0-9]*\.?[0-9]+) ?([kKmMbBtT]?)")
_UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}

Attributes = Mapping[str, str]
"""The attributes that a model is given, by name."""


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that are alike in what is `shared`; `levels` is the level of each run."""

    shared: Attributes
    levels: Mapping[str, str]
    compared: Compared

    @property
    def name(self) -> str:
        """What is shared, as the name of a folder."""
        return "_".join(f"{key}-{level}" for key, level in self.shared.items()) or "all"


@dataclass(frozen=True, slots=True)
class Grouped:
    """Runs by an attribute. `levels` has the runs of each level.

    `caveats` limit the comparison; `apart` are the pairs that differ in something else as well and
    were not compared.
    """

    attribute: str
    levels: Mapping[str, tuple[str, ...]]
    groups: tuple[Group, ...]
    caveats: tuple[str, ...]
    apart: tuple[str, ...]


def compare_by(runs: Sequence[Run], attribute: str, *, although: bool = False) -> Grouped:
    """The differences of all pairs of runs that differ in the attribute alone.

    Runs that are alike in every other attribute make a group, which is compared as by `compare`.
    P-values are corrected over the pairs of all groups together.
    """
    by_run = {run.name: attributes_of(run) for run in runs}
    known = list(
        dict.fromkeys((*ATTRIBUTES, *(name for values in by_run.values() for name in values)))
    )
    if attribute not in known:
        raise UsageError(f"runs have no attribute {attribute!r}; {nearest(attribute, known)}")
    levels = {run.name: by_run[run.name].get(attribute) for run in runs}
    silent = [run for run, level in levels.items() if level is None]
    alike: dict[tuple[tuple[str, str], ...], list[Run]] = {}
    for run in runs:
        if levels[run.name] is not None:
            others = {name: value for name, value in by_run[run.name].items() if name != attribute}
            # sorted: a file may name the attributes of its models in any order
            alike.setdefault(tuple(sorted(others.items())), []).append(run)
    comparable = {
        shared: members
        for shared, members in alike.items()
        if len({levels[r.name] for r in members}) > 1
    }
    if not comparable:
        raise UsageError(
            f"no two of the runs differ in {attribute} alone:\n{_table(by_run)}\n"
            "say what the models are under `attributes` of a run's config, or in a file of models "
            "(docs/models.md)"
        )
    order = _ordered(dict.fromkeys(level for level in levels.values() if level is not None))
    groups = []
    for shared, members in comparable.items():
        at = {run.name: levels[run.name] or "" for run in members}
        # `compare` takes the first for the baseline: the lowest level is it
        members.sort(key=lambda run: order.index(levels[run.name] or ""))
        compared = compare(members, although=although)
        # a pair of one level does not differ in the attribute: no difference is laid to it
        rows = tuple(row for row in compared.rows if at[row.first] != at[row.second])
        groups.append(Group(dict(shared), at, replace(compared, rows=rows)))
    return Grouped(
        attribute=attribute,
        levels={level: tuple(run for run in levels if levels[run] == level) for level in order},
        groups=_corrected(groups),
        caveats=(
            *(f"{run} is left out: nothing is said of its {attribute}" for run in silent),
            *_unsaid(comparable, attribute),
        ),
        apart=tuple(_apart(by_run, attribute)),
    )


def attributes_of(run: Run) -> dict[str, str]:
    """The attributes of the run's model; its lineage as far as its name or architecture tells."""
    attributes = dict(run.config.attributes)
    if "lineage" not in attributes:
        known = lineages(run.config.model, run.config.provenance.model)
        given = run.config.model.lineage if run.config.model else None
        # a name that points to several lineages decides for none of them
        if given or len(known) == 1:
            attributes["lineage"] = given or next(iter(known))
    return attributes


def _corrected(groups: Sequence[Group]) -> tuple[Group, ...]:
    """The groups with p-values corrected over all of them: a family does not end with a group."""
    rows = iter(adjusted([row for group in groups for row in group.compared.rows]))
    return tuple(
        replace(
            group,
            compared=replace(group.compared, rows=tuple(islice(rows, len(group.compared.rows)))),
        )
        for group in groups
    )


def _ordered(levels: Iterable[str]) -> list[str]:
    """Sizes from the smallest to the largest; what is no size in the order of the runs.

    >>> _ordered(["14B", "600M", "1.5B"]), _ordered(["DPO", "base"])
    (['600M', '1.5B', '14B'], ['DPO', 'base'])
    """
    named = list(levels)
    sizes = [_size(level) for level in named]
    # one level that is no size, and there is no order of sizes to speak of
    if None in sizes:
        return named
    return [level for _, level in sorted(zip(sizes, named, strict=True))]


def _size(level: str) -> float | None:
    match = _SIZE.fullmatch(level)
    return float(match[1]) * _UNITS[match[2].upper()] if match else None


def _unsaid(
    comparable: Mapping[tuple[tuple[str, str], ...], list[Run]], attribute: str
) -> list[str]:
    """What was taken to be alike because nothing is said of it."""
    caveats = []
    for shared, members in comparable.items():
        missing = [name for name in ATTRIBUTES if name != attribute and name not in dict(shared)]
        if missing:
            names = ", ".join(run.name for run in members)
            caveats.append(f"{names}: nothing is said of {', '.join(missing)}; taken to be alike")
    return caveats


def _apart(by_run: Mapping[str, Attributes], attribute: str) -> Iterator[str]:
    """Every pair that differs in more than the attribute, with what else it differs in."""
    for first, second in combinations(by_run, 2):
        names = dict.fromkeys((*by_run[first], *by_run[second]))
        apart = [name for name in names if by_run[first].get(name) != by_run[second].get(name)]
        more = ", ".join(name for name in apart if name != attribute)
        if attribute in apart and more:
            yield f"{first} and {second} differ in {more} as well"


def _table(by_run: Mapping[str, Attributes]) -> str:
    lines = {
        run: ", ".join(f"{name} {level}" for name, level in attributes.items())
        for run, attributes in by_run.items()
    }
    return "\n".join(f"  {run}: {text or 'nothing said'}" for run, text in lines.items())
