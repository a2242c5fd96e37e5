"""The comparison of two or more runs: every pair overall, each against the first in detail."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from ..categorical import Categorical
from ..errors import UsageError
from ..messages import joined, message
from ..metrics.groups import Rows
from ..metrics.shift import alike
from ..metrics.significance import benjamini_hochberg, holm
from ..records.item import varying
from ..records.run import Run, by_name
from .align import Aligned, align, shared_benchmarks, variants_of
from .norms import compare_norms
from .outcomes import Outcome, difference, outcomes
from .result import Compared, Contrast, Difference, Pairing, Role, Unit
from .same import find_mismatches, refuse
from .vignettes import Vignettes, acceptability, changed_shares, vignettes

Pair = tuple[int, int]
"""The places of two runs, the one that is subtracted first."""


def read_runs(paths: Sequence[Path]) -> tuple[Run, ...]:
    """Two or more different finished runs, named after their folders."""
    if len(paths) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise UsageError(
            f"a comparison needs two runs or more, not {len(paths)}; a single run stands beside "
            "published results: normscope compare RUN --with-published"
        )
    folders = by_name(paths).items()
    return tuple(Run.open(path, name=name, whole=True, texts=False) for name, path in folders)


def compare(runs: Sequence[Run], *, although: bool = False) -> Compared:
    """The differences of the runs over the items that all of them have.

    Overall every pair of runs is compared, p-values corrected by Holm over the pairs (primary) and
    over pairs and statistics (secondary). In each dimension of the taxonomy, or of the vignettes,
    every run is compared with the first, and p-values are corrected by Benjamini and Hochberg over
    all that is looked at (exploratory). Families do not reach over benchmarks. A metric's primary
    statistic is its first: `score`, `rr1`, `agreement`, `mean_acceptability`.

    Runs that were not measured alike are refused, unless `although`: then the result says so. A run
    alone has norms and figures, and no difference.
    """
    benchmarks = shared_benchmarks(runs)
    mismatches = find_mismatches(runs, benchmarks)
    if not although:
        refuse(mismatches)
    notes: list[str] = [
        message("{name} is compared with nothing: not every run has it", name=name)
        for name in dict.fromkeys(name for run in runs for name in run.counted)
        if name not in benchmarks
    ]
    rows: list[Difference] = []
    pairings = {}
    norms = {}
    for name in benchmarks:
        aligned = align(runs, name)
        notes += [*_shared_variants(runs, aligned), *_identical([r.name for r in runs], aligned)]
        pairings[name] = Pairing(len(aligned), aligned.left_out)
        measured = _measured(runs, aligned)
        rows += _differences(measured)
        if measured.vignettes is not None:
            norms[name] = compare_norms(
                runs, aligned, measured.vignettes, population=measured.population
            )
    return Compared(
        runs={run.name: run.model for run in runs},
        mismatches=mismatches,
        caveats=tuple(notes),
        pairings=pairings,
        rows=tuple(adjusted(rows)),
        norms=norms,
    )


def _shared_variants(runs: Sequence[Run], aligned: Aligned) -> list[str]:
    """A note of the prompt variants that are compared, where some run was asked others as well."""
    shared = aligned.variants
    asked = {run.name: variants_of(run.counted[aligned.benchmark].variant_id) for run in runs}
    if all(len(variants) == len(shared) for variants in asked.values()):
        return []
    return [
        message(
            "{benchmark}: compared in the prompt variants that every run was asked ({variants}); "
            "{each}",
            benchmark=aligned.benchmark,
            variants=", ".join(shared),
            each=joined(
                message("{run} was asked {n}", run=name, n=len(variants))
                for name, variants in asked.items()
            ),
        )
    ]


def _identical(names: Sequence[str], aligned: Aligned) -> list[str]:
    """A note for each two runs that answer alike throughout: their intervals are not empty."""
    return [
        message(
            "{benchmark}: {first} and {second} have the same judgement in every one of {n} rows; "
            "an interval about 0 is what so many can exclude",
            benchmark=aligned.benchmark,
            first=names[first],
            second=names[second],
            n=len(aligned),
        )
        for first, second in combinations(range(len(names)), 2)
        if all(
            alike(columns[first].values, columns[second].values)
            for columns in aligned.criteria.values()
        )
    ]


def _measured(runs: Sequence[Run], aligned: Aligned) -> "_Measured":
    of_vignettes = vignettes(aligned) if "acceptability" in aligned.criteria else None
    return _Measured(aligned, outcomes(aligned), of_vignettes, _population(runs, aligned.benchmark))


def _differences(measured: "_Measured") -> list[Difference]:
    pairs = list(combinations(range(len(measured.aligned.runs)), 2))
    overall = [row for pair in pairs for row in _overall(measured, pair)]
    order = list(dict.fromkeys(row.statistic for row in overall))
    # broken down against the baseline only: all pairs would multiply the tests
    detail = [row for pair in pairs if pair[0] == 0 for row in _detail(measured, pair)]
    return [*sorted(overall, key=lambda row: order.index(row.statistic)), *detail]


def _population(runs: Sequence[Run], benchmark: str) -> int | None:
    """How many items the benchmark has, if every run says the same."""
    taken = [run.config.provenance.benchmarks.get(benchmark) for run in runs]
    sizes = {items.items_in_dataset if items else 0 for items in taken}
    # 0 is a run that did not note it; several sizes are several revisions of the dataset
    return sizes.pop() or None if len(sizes) == 1 else None


@dataclass(frozen=True, slots=True)
class _Measured:
    aligned: Aligned
    outcomes: list[Outcome]
    vignettes: Vignettes | None
    population: int | None
    """How many items the benchmark has, of which the runs may have asked a slice."""


def _overall(measured: _Measured, pair: Pair) -> Iterator[Difference]:
    aligned, vignettes = measured.aligned, measured.vignettes
    row = partial(_row, aligned, pair)
    if vignettes is not None:
        mean = acceptability(vignettes, *pair)
        yield row(mean, statistic="mean_acceptability", unit="score", role="primary")
        shares = changed_shares(vignettes, *pair, population=measured.population)
        for name, share in shares.items():
            yield row(share, statistic=name, unit="rate", role="secondary")
    for outcome in measured.outcomes:
        result = difference(outcome, *pair, clusters=aligned.clusters)
        role: Role = "primary" if outcome.primary else "secondary"
        yield row(
            result, statistic=outcome.name, unit=outcome.unit, role=role, member=outcome.member
        )


def _detail(measured: _Measured, pair: Pair) -> Iterator[Difference]:
    aligned, vignettes = measured.aligned, measured.vignettes
    row = partial(_row, aligned, pair, role="exploratory")
    if vignettes is not None:
        name = "mean_acceptability"
        for rows, group, member in _members(varying([item.facets for item in vignettes.items])):
            mean = acceptability(vignettes, *pair, rows=rows)
            yield row(mean, statistic=name, unit="score", group=group, member=member)
    for outcome in (each for each in measured.outcomes if not each.beside):
        for rows, group, member in _members(aligned.dimensions):
            result = difference(outcome, *pair, clusters=aligned.clusters, rows=rows)
            yield row(result, statistic=outcome.name, unit=outcome.unit, group=group, member=member)


def _row(
    aligned: Aligned,
    pair: Pair,
    contrast: Contrast,
    *,
    statistic: str,
    unit: Unit,
    role: Role,
    group: str = "",
    member: str = "",
) -> Difference:
    return Difference(
        benchmark=aligned.benchmark,
        statistic=statistic,
        unit=unit,
        role=role,
        first=aligned.runs[pair[0]],
        second=aligned.runs[pair[1]],
        first_value=contrast.values[0],
        second_value=contrast.values[1],
        estimate=contrast.estimate,
        unscored=contrast.unscored,
        test=contrast.test,
        group=group,
        member=member,
    )


def _members(
    groups: Mapping[str, Sequence[str] | Categorical],
) -> Iterator[tuple[Rows, str, str]]:
    """The rows of each level of each group, the group and the level."""
    for group, levels in groups.items():
        column = Categorical.of(levels).seen()
        # an item without the facet belongs to none of its levels
        for level in filter(None, column.names):
            yield np.flatnonzero(column.equals(level)), group, level


def adjusted(rows: Sequence[Difference]) -> list[Difference]:
    """The rows with their p-values corrected within each family of a benchmark.

    Every primary statistic is a family of its pairs; all secondary ones are one family, and so are
    all exploratory ones.
    """
    families: dict[tuple[str, Role, str], list[int]] = {}
    for at, row in enumerate(rows):
        key = (row.benchmark, row.role, row.statistic if row.role == "primary" else "")
        families.setdefault(key, []).append(at)
    corrected = list(rows)
    for (_, role, _), members in families.items():
        tests = (rows[at].test for at in members)
        # exploratory rows are many and are leads: the share of false ones is what is bounded there
        correct = benjamini_hochberg if role == "exploratory" else holm
        values = correct([test.p if test else None for test in tests])
        for at, value in zip(members, values.tolist(), strict=True):
            corrected[at] = replace(rows[at], p_adjusted=None if np.isnan(value) else value)
    return corrected
