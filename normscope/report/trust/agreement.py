"""How raters agree, or a judge with them, as a table."""

from collections.abc import Mapping, Sequence

from ...messages import message
from ...metrics.estimate import Statistic
from ...metrics.raters import ALL
from ..blocks import Table
from ..estimates import estimate_columns
from ..names import name_of


def agreement_table(agreement: Mapping[str, Sequence[Statistic]], who: str) -> Table:
    """Per criterion the agreement of each member and of all: raters or runs, as `who` says."""
    return Table.of(
        (
            {
                message("criterion"): name_of(criterion),
                who: name_of(ALL) if row.member == ALL else row.member,
                message("statistic"): name_of(row.name),
                **estimate_columns(row.estimate, row.unit),
            }
            for criterion, statistics in agreement.items()
            for row in statistics
        ),
        texts=3,
    )
