"""Runs by an attribute of their models: pairs that differ in it and, as is said, in no other.

A larger model of another lineage is not the same model made larger. So runs are compared by their
capacity (alignment, quantisation, lineage …) only where everything else that is said of the models
is alike, as Shvartzshnaider, Duddu and Lacalamita compare models (LLM-CI).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ..categorical import group_by
from ..errors import UsageError, nearest
from ..judges.lineage import lineages
from ..pipeline.models import ATTRIBUTES
from ..records.run import Run
from .differences import adjusted, compare
from .result import Compared

_SIZE = re.compile(r"([0-9]*\.?[0-9]+) ?([kKmMbBtT]?)")
_UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


@dataclass(frozen=True, slots=True)
class Group:
    """Runs whose models have the attributes in `shared`; `levels` is the level of each run."""

    shared: Mapping[str, str]
    levels: Mapping[str, str]
    compared: Compared

    @property
    def name(self) -> str:
        """What is shared, as the name of a folder."""
        return "_".join(f"{key}-{level}" for key, level in self.shared.items()) or "all"


@dataclass(frozen=True, slots=True)
class Grouped:
    """Runs by an attribute. `levels` has the runs of each level, `caveats` limit the comparison."""

    attribute: str
    levels: Mapping[str, tuple[str, ...]]
    groups: tuple[Group, ...]
    caveats: tuple[str, ...]


def compare_by(runs: Sequence[Run], attribute: str, *, although: bool = False) -> Grouped:
    """The differences of all pairs of runs that differ in the attribute alone.

    Runs that are alike in every other attribute make a group, which is compared as by `compare`.
    P-values are corrected over the pairs of all groups together.
    """
    by_run = {run.name: attributes_of(run) for run in runs}
    names = list(dict.fromkeys((*ATTRIBUTES, *chain.from_iterable(by_run.values()))))
    if attribute not in names:
        raise UsageError(f"runs have no attribute {attribute!r}; {nearest(attribute, names)}")
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
        groups.append(Group(dict(shared), levels, compare(lowest_first, although=although)))
        if silent := [name for name in ATTRIBUTES if name not in {attribute, *dict(shared)}]:
            of_group = ", ".join(run.name for run in lowest_first)
            caveats.append(f"{of_group}: nothing is said of {', '.join(silent)}; taken to be alike")
    if not groups:
        texts = {run: ", ".join(map(" ".join, of.items())) for run, of in by_run.items()}
        lines = (f"  {run}: {text or 'nothing said'}" for run, text in texts.items())
        raise UsageError(
            "\n".join((f"no two of the runs differ in {attribute} alone:", *lines))
            + "\nsay what the models are under `attributes` of a run's config, or in a file of "
            "models (docs/models.md)"
        )
    # a pair of one level does not differ in the attribute: no difference is laid to it
    rows = adjusted(
        [
            row
            for group in groups
            for row in group.compared.rows
            if group.levels[row.first] != group.levels[row.second]
        ]
    )
    return Grouped(
        attribute=attribute,
        levels={at: tuple(name for name, of in level_of.items() if of == at) for at in order},
        groups=tuple(
            replace(
                group,
                compared=replace(
                    group.compared, rows=tuple(row for row in rows if row.first in group.levels)
                ),
            )
            for group in groups
        ),
        caveats=tuple(caveats),
    )


def attributes_of(run: Run) -> dict[str, str]:
    """The attributes of the run's model; its lineage as far as its name or architecture tells."""
    attributes = dict(run.config.attributes)
    if "lineage" not in attributes:
        names = lineages(run.config.model, run.config.provenance.model)
        stated = run.config.model.lineage if run.config.model else None
        # a name that points to several lineages decides for none of them
        if stated or len(names) == 1:
            attributes["lineage"] = stated or next(iter(names))
    return attributes


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
