"""Runs by an attribute of their models: pairs that differ in it and, as is said, in no other.

A larger model of another lineage is not the same model made larger. So runs are compared by their
capacity (alignment, quantisation, lineage …) only where everything else that is said of the models
is alike, as Shvartzshnaider, Duddu and Lacalamita compare models (LLM-CI).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice

from ..categorical import group_by
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
    known = list(dict.fromkeys((*ATTRIBUTES, *chain.from_iterable(by_run.values()))))
    if attribute not in known:
        raise UsageError(f"runs have no attribute {attribute!r}; {nearest(attribute, known)}")
    level_of = {name: of[attribute] for name, of in by_run.items() if attribute in of}
    order = _ordered(dict.fromkeys(level_of.values()))
    caveats = [
        f"{name} is left out: nothing is said of its {attribute}"
        for name in by_run
        if name not in level_of
    ]
    groups = []
    # sorted: a file may name the attributes of its models in any order
    alike = group_by(
        [run for run in runs if run.name in level_of],
        lambda run: tuple(sorted(of for of in by_run[run.name].items() if of[0] != attribute)),
    )
    for shared, members in alike.items():
        levels = {run.name: level_of[run.name] for run in members}
        if len(set(levels.values())) < 2:  # noqa: PLR2004 - a difference has two sides
            continue
        # `compare` takes the first for the baseline: the lowest level is it
        lowest_first = sorted(members, key=lambda run: order.index(level_of[run.name]))
        compared = compare(lowest_first, although=although)
        # a pair of one level does not differ in the attribute: no difference is laid to it
        rows = tuple(row for row in compared.rows if levels[row.first] != levels[row.second])
        groups.append(Group(dict(shared), levels, replace(compared, rows=rows)))
        if silent := [name for name in ATTRIBUTES if name not in {attribute, *dict(shared)}]:
            names = ", ".join(run.name for run in lowest_first)
            caveats.append(f"{names}: nothing is said of {', '.join(silent)}; taken to be alike")
    if not groups:
        raise UsageError(
            f"no two of the runs differ in {attribute} alone:\n{_table(by_run)}\n"
            "say what the models are under `attributes` of a run's config, or in a file of models "
            "(docs/models.md)"
        )
    return Grouped(
        attribute=attribute,
        levels={at: tuple(name for name, of in level_of.items() if of == at) for at in order},
        groups=_corrected(groups),
        caveats=tuple(caveats),
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
    sizes = [_SIZE.fullmatch(level) for level in named]
    # one level that is no size, and there is no order of sizes to speak of
    if not all(sizes):
        return named
    numbers = [float(size[1]) * _UNITS[size[2].upper()] for size in sizes if size]
    return [level for _, level in sorted(zip(numbers, named, strict=True))]


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
