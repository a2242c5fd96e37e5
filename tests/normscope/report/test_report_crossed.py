"""Statistics by two dimensions at once, as a report shows them."""

from dataclasses import replace

from shown_pages import lines, within

from normscope.metrics.estimate import Estimate, Statistic
from normscope.report.blocks import Cell, Details, Table, plain
from normscope.report.crossed import crossed_details

RATE = Estimate(0.5, 0.25, 0.75, 8, 0, None, None, "new items of the kind", "Wilson")


def statistic(name: str, member: str, estimate: Estimate = RATE) -> Statistic:
    return Statistic(name, "rate", estimate, group="category × language", member=member)


def test_one_dimension_stands_down_and_the_other_across() -> None:
    lost = replace(
        RATE, value=0.25, low=0.125, high=0.5, n=6, unscored=2, lowest=0.125, highest=0.5
    )
    rows = [
        statistic("rr1", "social_bias × zh"),
        statistic("rr1", "social_bias × en", lost),
        statistic("rr1", "privacy_leaks × en"),
        # of one scored item there may be no interval
        statistic("rr1", "privacy_leaks × it", replace(RATE, low=None, high=None, n=1)),
    ]
    (table,) = within([crossed_details("category × language", rows)], Table)
    titles = [plain(column.title) for column in table.columns]
    assert titles == ["category", "zh", "en", "it"]
    assert lines(table) == [
        (
            "Social bias",
            "50.0 % ([25.0, 75.0] % · n 8)",
            "25.0 % ([12.5, 50.0] % · n 6 · 2 unscored · lowest – highest [12.5, 50.0] %)",
            "–",
        ),
        # no item has both levels: neither 0 nor an empty place
        ("Privacy leaks", "–", "50.0 % ([25.0, 75.0] % · n 8)", "50.0 % (n 1)"),
    ]
    absent = table.rows[1][1]
    assert isinstance(absent, Cell)
    assert absent.tone == "muted"


def test_what_is_no_headline_is_folded_below_those_that_are() -> None:
    rows = [statistic(name, "social_bias × en") for name in ("spread", "rr1", "hr")]
    details = crossed_details("category × language", rows)
    *first, more = details.blocks
    assert [plain(table.title) for table in within(first, Table)] == [
        "RR-1 by category × language",
        "HR by category × language",
    ]
    assert isinstance(more, Details)
    assert len([*within([more], Table)]) == 1
    # without a headline all of them are shown
    alone = crossed_details("category × language", rows[:1])
    assert len([block for block in alone.blocks if isinstance(block, Table)]) == 1
