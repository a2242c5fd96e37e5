"""How raters agree, or a judge with them, as a table."""

from collections.abc import Mapping, Sequence

from ...format import estimate
from ...messages import message
from ...metrics.estimate import Statistic
from ...metrics.raters import ALL
from ..blocks import Table, columns
from ..names import name_of


def agreement_table(agreement: Mapping[str, Sequence[Statistic]], who: str) -> Table:
    """Per criterion the agreement of each member and of all: raters or runs, as `who` says."""
    rows = tuple(
        (
            name_of(criterion),
            name_of(ALL) if each.member == ALL else each.member,
            name_of(each.name),
            *estimate(each.estimate, each.unit).cells,
        )
        for criterion, statistics in agreement.items()
        for each in statistics
    )
    header = (
        message("criterion"),
        who,
        message("statistic"),
        message("value"),
        message("95 % interval"),
        message("n"),
        message("unscored"),
    )
    return Table(columns(*header, texts=3), rows)
