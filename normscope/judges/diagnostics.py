"""What comes to light while a judge judges: its bias for the order of labels, its windows."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..metrics.groups import cluster_codes
from ..metrics.intervals import mean_interval
from ..records.item import SCHEMA as ITEMS
from ..records.item import Item, ItemKey
from ..records.items import Items
from ..records.journal import PLACE, ROW
from ..records.judgement import Judgement
from ..records.judging import CriterionUsed, InWindows, Judging, OrderBias
from ..records.tables import TEXT, joined, to_table
from .judge import LoadedJudge, judged_table

_SHIFTS = pa.schema(
    [
        *((name, TEXT) for name in ("benchmark", "criterion", "cluster")),
        (PLACE, pa.int64()),
        ("order_shift", pa.float64()),
    ]
)


class Diagnosis:
    """What comes to light while responses to these items are judged, one unit after the other."""

    def __init__(self, judge: LoadedJudge, items: pa.Table) -> None:
        """The items are as a run keeps them."""
        self.judge = judge
        keys = joined(items, ItemKey._fields).to_pylist()
        self._clusters = dict(zip(keys, Items(items).clusters.tolist(), strict=True))
        self._shifts = [_SHIFTS.empty_table()]
        self._windows: Counter[tuple[str, int]] = Counter()

    def noted(self, judgements: pa.Table) -> pa.Table:
        """The judgements, of which it takes note; all of one response are in one table."""
        windows = judgements.group_by(["benchmark", PLACE]).aggregate([("windows", "max")])
        self._windows.update(
            zip(*(windows[name].to_pylist() for name in ("benchmark", "windows_max")), strict=True)
        )
        shifted = judgements.filter(pc.is_valid(judgements["order_shift"]))
        clusters = map(self._clusters.get, joined(shifted, ItemKey._fields).to_pylist())
        shifted = shifted.append_column("cluster", pa.array(clusters, TEXT))
        self._shifts.append(shifted.select(_SHIFTS.names).cast(_SHIFTS))
        return judgements

    def judging(self) -> Judging:
        """The criteria, order bias and windows of the judging."""
        judge = self.judge
        return Judging(
            label_orders=judge.label_orders,
            channels=judge.channels,
            min_coverage=judge.min_coverage,
            criteria=tuple(
                CriterionUsed(
                    benchmark=benchmark,
                    rubric=questions.rubric.name,
                    rubric_version=questions.rubric.version,
                    rubric_hash=questions.hash,
                    criterion=name,
                    labels=criterion.scale.labels,
                    values=criterion.scale.values,
                    read=criterion.read,
                )
                for benchmark, questions in judge.questions.items()
                for name, criterion in questions.criteria.items()
            ),
            order_bias=tuple(self._order_bias()),
            windows=tuple(self._in_windows()),
        )

    def _order_bias(self) -> Iterator[OrderBias]:
        """By benchmark and criterion: the mean of the shifts, with the interval for new items."""
        # a sum hangs on its order in the last digit
        shifts = pa.concat_tables(self._shifts).sort_by(PLACE)
        pairs = [
            (name, each) for name in self.judge.questions for each in self.judge.criteria(name)
        ]
        for benchmark, name in pairs:
            scale = self.judge.criteria(benchmark)[name].scale
            of_both = (pc.field("benchmark") == benchmark) & (pc.field("criterion") == name)
            rows = shifts.filter(of_both)
            if not len(rows):
                continue
            values = rows["order_shift"].to_numpy()
            clusters = cluster_codes(rows["cluster"].to_pylist(), len(rows))
            span = max(scale.values) - min(scale.values)
            interval = mean_interval(values, clusters=clusters, bounds=(-span, span))
            yield OrderBias(
                benchmark=benchmark,
                criterion=name,
                n=len(rows),
                shift=float(values.mean()),
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
                level=0.95,
                method=None if interval is None else interval.method,
                mean_absolute_shift=float(np.abs(values).mean()),
            )

    def _in_windows(self) -> Iterator[InWindows]:
        for benchmark in self.judge.questions:
            of_it = {k: n for (name, k), n in self._windows.items() if name == benchmark}
            counts = Counter(of_it)
            several = counts.total() - counts[1]
            yield InWindows(benchmark, counts.total(), several, max(counts, default=0))


def diagnostics(
    judge: LoadedJudge, items: Sequence[Item], judgements: Sequence[tuple[Judgement, ...]]
) -> Judging:
    """The criteria, order bias and windows of a judging.

    `items` are those whose responses were judged and `judgements` those of each, as
    `LoadedJudge.judge` gives them.
    """
    diagnosis = Diagnosis(judge, to_table(items, ITEMS))
    diagnosis.noted(judged_table(judgements).rename_columns({ROW: PLACE}))
    return diagnosis.judging()
