"""Which factor of a context moves the norm: the flow's sender, recipient, attribute, principle."""

from collections.abc import Iterable, Iterator, Sequence

from ..messages import message
from ..metrics.estimate import Statistic
from ..metrics.factors import FACTOR
from .blocks import Beside, Block, Chart, Details, Paragraph, Section, titled
from .data import ReportData
from .estimates import counted_table
from .names import name_of
from .norm_charts import level_chart

_MOST = 6
"""Of the terms shown at once: a context of five factors has fifteen."""


def factor_blocks(data: ReportData) -> Iterator[Block]:
    """Each vignette benchmark's factors and pairs of them, those that move the answers most first.

    Nothing of a run whose vignettes vary in no factor or are all answered alike.
    """
    sections = []
    for benchmark, statistics in data.scores.items():
        rows = [row for row in statistics if row.group == FACTOR]
        # a share is null where the flows do not vary, and such a term is not written
        rows.sort(key=lambda row: -(row.estimate.value or 0.0))
        if rows:
            labelled = [(name_of(row.member), row) for row in rows]
            first = message("factor, or two that interact")
            more = counted_table(first, labelled[_MOST:])
            charts = tuple(_levels(statistics, [row.member for row in rows]))
            blocks: tuple[Block, ...] = (
                counted_table(first, labelled[:_MOST]),
                *((Details(message("Those that move less"), (more,)),) if more.rows else ()),
                *(
                    (Details(message("Mean answer at each level"), (Beside(charts),)),)
                    if charts
                    else ()
                ),
            )
            sections.append(Section(benchmark, blocks))
    if sections:
        yield Paragraph(
            message(
                "Of what varies between the vignettes' mean answers, the share that goes with a "
                "factor (η²), and with two beyond what each moves alone. The intervals are for new "
                "prompt variants; vignettes are enumerated, so that nothing is tested. The mean "
                "answer at each level stands under By group."
            ),
            note=True,
        )
    yield from sections


def _levels(statistics: Iterable[Statistic], factors: Sequence[str]) -> Iterator[Chart]:
    """The mean answer at each level of each factor, in the order of the factors."""
    for factor in factors:
        rows = [r for r in statistics if r.group == factor and r.name == "mean_acceptability"]
        if rows:
            levels, estimates = [row.member for row in rows], [row.estimate for row in rows]
            chart = level_chart([""], factor, levels, [estimates])
            yield titled(chart)
