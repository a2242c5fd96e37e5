"""What moves the answers of each run, side by side: the wording, the order, or both."""

from collections.abc import Iterator
from dataclasses import replace

from ...compare.result import NormsCompared
from ...messages import known, message
from ...metrics.estimate import Statistic
from ...metrics.facets import CHANGE, SHARE
from ..blocks import Cell, Column, Details, Paragraph, Table
from ..estimates import cell_of_run
from ..facets import shares_in_words
from ..names import name_of


def facets_details(norms: NormsCompared) -> Iterator[Details]:
    """A column per run; nothing where the runs share one order of the scale, asked once."""
    if any(norms.facets.values()):
        change = message("pairs of answers to one vignette that differ in")
        yield Details(
            message("Prompt variants and orders"),
            (
                _table(norms, CHANGE, change, message("How often an answer changes")),
                _table(norms, SHARE, message("goes with"), name_of(SHARE)),
                shares_in_words(),
                Paragraph(
                    message(
                        "In the prompts that all runs were asked, with intervals for new prompt "
                        "variants. Described and not tested."
                    ),
                    note=True,
                ),
            ),
        )


def _table(norms: NormsCompared, name: str, first: str, title: str) -> Table:
    """The statistic of each member down, the runs across."""
    places = {
        (row.member, run): row
        for run, rows in norms.facets.items()
        for row in rows
        if row.name == name
    }
    members = dict.fromkeys(member for member, _ in places)
    return Table(
        (Column(first), *(Column(run, "number") for run in norms.facets)),
        tuple(
            (name_of(member), *(_cell(places.get((member, run))) for run in norms.facets))
            for member in members
        ),
        title=title,
        brief=False,
        look="beside",
    )


def _cell(statistic: Statistic | None) -> Cell:
    """The cell of a run, with how its interval was made as a hint."""
    hint = "" if statistic is None else known(statistic.estimate.method)
    return replace(cell_of_run(statistic), hint=hint)
