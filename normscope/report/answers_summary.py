"""What the answers that a filter leaves come to, as blocks."""

from collections.abc import Iterator, Sequence

from ..format import count
from ..messages import joined, message
from ..viewer import Collection
from ..viewer.summary import Summary
from .blocks import (
    Block,
    Caveat,
    Column,
    Table,
    Text,
    columns,
    content,
)
from .comparison.page import differences, statistic_of
from .estimates import counted_table, label_of, stacked
from .names import name_of


def caveats_of(collection: Collection) -> Iterator[Caveat]:
    """What of the runs cannot be shown, and what only one of two has."""
    for run in collection.runs:
        yield from map(Caveat, run.caveats)
    for name, lost in collection.left_out.items():
        yield Caveat(
            message(
                "{n} answers of {run} are not in the other run and left out",
                n=count(lost),
                run=name,
            )
        )


def summary_blocks(summary: Summary) -> tuple[Block, ...]:
    """What the selected answers come to: counts, and statistics where they say anything."""
    several = len({counts.run for counts in summary.counts}) > 1
    return content(
        (
            *(Caveat(text) for text in summary.why),
            Table(
                (
                    Column(message("criterion")),
                    *((Column(message("run")),) if several else ()),
                    Column(message("judged"), "number"),
                    Column(message("with the label")),
                    Column(message("without a value")),
                    Column(message("unscored"), "number"),
                ),
                tuple(
                    (
                        name_of(counts.criterion),
                        *((counts.run,) if several else ()),
                        count(counts.judged),
                        _tally(counts.labels),
                        _tally(counts.reasons),
                        count(counts.unscored),
                    )
                    for counts in summary.counts
                ),
                look="counts",
            ),
            Table(
                columns(
                    message("criterion"), message("from"), message("to"), message("n"), texts=3
                ),
                tuple(
                    (
                        name_of(each.criterion),
                        name_of(each.first),
                        name_of(each.second),
                        count(each.n),
                    )
                    for each in summary.transitions
                    if each.first != each.second
                ),
                title=message("Labels that changed"),
            ),
            *_statistics(summary),
            *_differences(summary),
        )
    )


def _tally(counts: Sequence[tuple[str, int]]) -> Text:
    return joined(
        (message("{what} {n}", what=name_of(name), n=count(n)) for name, n in counts), " · "
    )


def _statistics(summary: Summary) -> Iterator[Table]:
    """The statistics of each benchmark; of two runs a column each."""
    by_run = {run: of for run, of in summary.statistics.items() if of}
    for benchmark in dict.fromkeys(name for of in by_run.values() for name in of):
        of_runs = [{label_of(s): s for s in of.get(benchmark, ())} for of in by_run.values()]
        labels = list(dict.fromkeys(label for of in of_runs for label in of))
        if len(of_runs) == 1:
            yield counted_table(message("statistic"), list(of_runs[0].items()), title=benchmark)
        else:
            yield Table(
                columns(message("statistic"), *by_run),
                tuple((label, *(stacked(of.get(label)) for of in of_runs)) for label in labels),
                title=benchmark,
                look="beside",
            )


def _differences(summary: Summary) -> Iterator[Table]:
    for benchmark in dict.fromkeys(row.benchmark for row in summary.differences):
        rows = [row for row in summary.differences if row.benchmark == benchmark]
        yield differences(
            rows,
            (message("statistic"),),
            [(statistic_of(row),) for row in rows],
            title=(benchmark, " · ", message("the second run less the first")),
        )
