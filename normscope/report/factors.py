"""Which factor of a context moves the norm: the flow's sender, recipient, attribute, principle."""

from collections.abc import Iterator

from ..messages import message
from ..metrics.factors import FACTOR
from .blocks import Block, Details, Paragraph, Section
from .data import ReportData
from .estimates import counted_table
from .names import name_of

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
            tables: tuple[Block, ...] = (
                counted_table(first, labelled[:_MOST]),
                *((Details(message("Those that move less"), (more,)),) if more.rows else ()),
            )
            sections.append(Section(benchmark, tables))
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
