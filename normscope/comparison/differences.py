"""The comparison of two or more runs: every pair overall, each against the first in detail."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from ..errors import UsageError
from ..messages import joined, message
from ..metrics.significance import benjamini_hochberg, holm
from ..records.judgements import off_scale
from ..records.run import Run, by_name
from .align import Aligned, align, shared_benchmarks, variants_of
from .norms import SHARES, Vignettes, compare_norms, vignettes
from .outcomes import outcomes
from .result import Compared, Difference, Pairing, Role
from .same import find_mismatches, refuse


def read_runs(paths: Sequence[Path], *, fewest: int = 2) -> tuple[Run, ...]:
    """Two or more different finished runs, named after their folders."""
    if len(paths) < fewest:
        raise UsageError(f"a comparison needs two runs or more, not {len(paths)}: name another")
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
        over = _shared_variants(aligned)
        pairings[name] = Pairing(len(aligned), aligned.left_out)
        answered = vignettes(aligned) if "acceptability" in aligned.criteria else None
        rows += (
            replace(row, over=joined(filter(None, (over, row.over)), ", "))
            for row in _differences(aligned, answered)
        )
        if answered is not None:
            norms[name] = compare_norms(aligned, answered)
    return Compared(
        runs={run.name: run.model for run in runs},
        mismatches=mismatches,
        caveats=tuple(notes),
        pairings=pairings,
        rows=tuple(adjusted(rows)),
        norms=norms,
        failures=tuple(
            message("{run}: {text}", run=run.name, text=text)
            for run in runs
            for text in off_scale(run.counted)
        ),
    )


def _shared_variants(aligned: Aligned) -> str:
    """Of how many prompt variants the rows are that every run has; empty where that is all."""
    runs = aligned.runs
    of_runs = [variants_of(run.counted[aligned.benchmark].variant_id) for run in runs]
    n, m = len(aligned.variants), len({name for names in of_runs for name in names})
    return "" if n == m else message("{n} of {m} prompt variants", n=n, m=m)


def _differences(aligned: Aligned, answered: Vignettes | None) -> list[Difference]:
    """Every pair overall, then each against the first in every dimension."""
    measures = [*(() if answered is None else (answered,)), *outcomes(aligned)]
    pairs = list(combinations(range(len(aligned.runs)), 2))
    rows = []
    for pair in pairs:
        for measure in measures:
            rows.append(measure.contrast(*pair))
            if measure is answered:
                rows += [answered.share(name, *pair) for name in SHARES]
    order = list(dict.fromkeys(row.statistic for row in rows))
    rows.sort(key=lambda row: order.index(row.statistic))
    # broken down against the baseline only: all pairs would multiply the tests
    for pair in pairs[: len(aligned.runs) - 1]:
        for measure in measures:
            for group, column in ({} if measure.beside else measure.dimensions).items():
                # an item without the facet belongs to none of its levels
                for member in filter(None, column.seen().names):
                    of = measure.contrast(*pair, np.flatnonzero(column.equals(member)))
                    rows.append(replace(of, role="exploratory", group=group, member=member))
    return rows


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
