"""What moves the answers of each run, side by side: the wording, the order, or both."""

from collections.abc import Iterator

from ...comparison.result import NormsCompared
from ...messages import message
from ...metrics.facets import CHANGE, SHARE
from ..blocks import Column, Details, Paragraph, Table
from ..estimates import stacked
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
            (name_of(member), *(stacked(places.get((member, run))) for run in norms.facets))
            for member in members
        ),
        title=title,
        brief=False,
        look="beside",
    )
