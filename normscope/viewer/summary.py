"""What selected answers come to: counts, and statistics where the selection allows them.

Who selects answers by what came of them (the risky ones, those that changed) has chosen the value
of the statistic: an interval or a test of it would say nothing. Then there are counts alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ..categorical import Bools, Categorical, Codes
from ..comparison.differences import overall_differences
from ..comparison.result import Difference
from ..comparison.runs import Run, counted
from ..comparison.same import Mismatch, find_mismatches
from ..messages import joined, message
from ..metrics.estimate import Statistic
from ..pipeline.score import overall
from ..records.config import RunConfig
from ..records.judgements import Judgements
from .columns import SCORED, Columns
from .pairing import Paired
from .query import Term


@dataclass(frozen=True, slots=True)
class Counts:
    """What one run's selected answers come to under a criterion.

    `judged` were looked at; of these `labels` counts those with each label, `reasons` those
    without, by why, and `unscored` are those of them that judge or engine failed at.
    """

    run: str
    criterion: str
    judged: int
    labels: tuple[tuple[str, int], ...]
    reasons: tuple[tuple[str, int], ...]
    unscored: int


@dataclass(frozen=True, slots=True)
class Transition:
    """How many answers have one label in the first run and the other in the second.

    A label may be the model's reason for none.
    """

    criterion: str
    first: str
    second: str
    n: int


@dataclass(frozen=True, slots=True)
class Summary:
    """`n` answers were selected of `total`.

    `statistics` are those of `scores.json` over these answers alone, by run and benchmark, and
    `differences` the second run less the first, as `compare` has them overall. Where there are
    none, `why` says so.
    """

    n: int
    total: int
    counts: tuple[Counts, ...]
    transitions: tuple[Transition, ...]
    statistics: Mapping[str, Mapping[str, tuple[Statistic, ...]]]
    differences: tuple[Difference, ...] = ()
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Summed:
    """What of a collection is summed up: each run's judgements, without the distributions."""

    paired: Paired
    columns: tuple[Columns, ...]
    judgements: tuple[Judgements, ...]
    mismatches: tuple[Mismatch, ...]

    @classmethod
    def of(cls, paired: Paired, columns: tuple[Columns, ...]) -> "Summed":
        """The judgements of the runs, and in what these were measured otherwise."""
        slim = tuple(
            replace(rows.without_probs(), raw_top=pa.nulls(len(rows)))
            for rows in (side.run.judgements for side in paired.sides)
        )
        runs = [
            _run(paired, at, rows, np.ones(len(rows), dtype=np.bool_))
            for at, rows in enumerate(slim)
        ]
        shared = [name for name in runs[0].judgements if name in runs[-1].judgements]
        mismatches = find_mismatches(runs, shared) if len(runs) > 1 else ()
        return cls(paired, columns, slim, mismatches)

    def runs(self, places: Codes) -> list[Run]:
        """The runs as `compare` takes them, with the judgements of these answers alone."""
        # the last mark is that of a judgement about none of the answers
        marks = np.zeros(len(self.paired) + 1, dtype=np.bool_)
        marks[places] = True
        return [
            _run(self.paired, at, rows, marks[self.paired.sides[at].row])
            for at, rows in enumerate(self.judgements)
        ]


def summary_of(summed: Summed, places: Codes, by_outcome: Sequence[Term]) -> Summary:
    """What the answers in these places come to; where terms are `by_outcome`, in counts alone."""
    why = _why(summed, by_outcome)
    runs = summed.runs(places) if len(places) and not by_outcome else []
    statistics = {
        run.name: {
            name: overall(rows, run.config, run.ratings) for name, rows in run.judgements.items()
        }
        for run in runs
    }
    alike = len(runs) > 1 and not summed.mismatches and _judged_in_both(runs)
    return Summary(
        n=len(places),
        total=len(summed.paired),
        counts=tuple(_counts(summed, places)),
        transitions=tuple(_transitions(summed, places)),
        statistics=statistics,
        differences=overall_differences(runs) if alike else (),
        why=tuple(why),
    )


def _run(paired: Paired, at: int, judgements: Judgements, kept: Bools) -> Run:
    of = paired.sides[at].run
    # nobody knows how the others were measured
    known = judgements.benchmark.isin(of.config.provenance.benchmarks)
    parts = counted(judgements[kept & known])._asdict()
    config = of.config if kept.all() else _without_population(of.config)
    return Run(of.name, config, of.items, **parts, ratings=of.ratings)


def _without_population(config: RunConfig) -> RunConfig:
    """The same where nobody says of how many items these were drawn.

    A filter draws nothing: the items that it takes are all that there are of their kind.
    """
    noted = {
        name: replace(each, items_in_dataset=0)
        for name, each in config.provenance.benchmarks.items()
    }
    provenance = config.provenance.noted("respond", benchmarks=noted)
    return replace(config, provenance=provenance)


def _judged_in_both(runs: Sequence[Run]) -> bool:
    return any(name in runs[1].judgements for name in runs[0].judgements)


def _why(summed: Summed, by_outcome: Sequence[Term]) -> Iterator[str]:
    if by_outcome:
        yield message(
            "These answers were chosen by what came of them ({terms}): they are counted, and "
            "no interval or test is given, since the choice decides what it would say.",
            terms=" ".join(map(str, by_outcome)),
        )
    elif summed.mismatches:
        yield message(
            "The runs were not measured alike, so that a difference would not be the models': "
            "{fields}",
            fields=joined((mismatch.message for mismatch in summed.mismatches), "; "),
        )


def _counts(summed: Summed, places: Codes) -> Iterator[Counts]:
    for side, columns in zip(summed.paired.sides, summed.columns, strict=True):
        for name, column in columns.items():
            there = column.is_there[places]
            judged = places[there]
            if not len(judged):
                continue
            absent = judged[np.isnan(column.value[judged])]
            yield Counts(
                side.run.name,
                name,
                len(judged),
                _tally(column.label[judged]),
                _tally(column.reason[absent]),
                int(column.unscored[places].sum()),
            )


def _tally(names: Categorical) -> tuple[tuple[str, int], ...]:
    counts = Counter(names.counts())
    counts.pop(None, None)
    return tuple((name or "", n) for name, n in counts.most_common())


def _transitions(summed: Summed, places: Codes) -> Iterator[Transition]:
    if len(summed.columns) == 1:
        return
    first, second = summed.columns
    for name in first:
        if name == SCORED:
            continue
        before, after = first[name].state[places], second[name].state[places]
        known = (before.codes >= 0) & (after.codes >= 0)
        pairs = Counter(zip(before.codes[known].tolist(), after.codes[known].tolist(), strict=True))
        for (one, other), n in pairs.most_common():
            yield Transition(name, before.names[one], after.names[other], n)
