"""The shape of a judge's scores, as a report shows it."""

from dataclasses import replace

import pytest
from report_runs import small_run
from shown_pages import lines, within

from normscope.metrics.shape import score_shape, shape_statistics
from normscope.report import ReportData
from normscope.report.blocks import Block, Caveat, Chart, Table, plain
from normscope.report.data import judgements_of
from normscope.report.shape import shape_blocks

NAN = float("nan")
BENCHMARK = "safety-gradient plain"


def shown(moral: list[float], rating: list[float]) -> tuple[ReportData, list[Block]]:
    shapes = score_shape(moral, rating, categories=["a", "b"] * (len(moral) // 2))
    data = replace(small_run(), scores={BENCHMARK: tuple(shape_statistics(shapes))})
    return data, list(shape_blocks(data, judgements_of(data)))


def test_each_criterion_is_a_column_over_its_counts() -> None:
    # the last has no rating, and so no score
    _, blocks = shown([0, 0, 1, 1, 0, 1], [1, 5, 1, 5, 3, NAN])
    (table,) = within(blocks, Table)
    assert [plain(column.title) for column in table.columns] == [
        "statistic",
        "moral (n = 6)",
        "rating (n = 5, 1 unscored)",
        "score (n = 5, 1 unscored)",
    ]
    rows = {name: cells for name, *cells in lines(table)}
    # 0, 0, 1, 1, 0, 1 · 1, 5, 1, 5, 3 · 0, 0, 1, 5, 0, the ends a twentieth of the range wide
    for name, values in (
        ("share at the low end", ("50.0 %", "40.0 %", "60.0 %")),
        ("share at the high end", ("50.0 %", "40.0 %", "20.0 %")),
        ("share in the fullest bin", ("50.0 %", "40.0 %", "60.0 %")),
    ):
        assert [cell.split(" %")[0] + " %" for cell in rows[name]] == [*values]
    assert rows["dip"][2].endswith("(described, not tested)")


@pytest.mark.parametrize(
    ("moral", "rating", "failures"),
    [
        ([0, 1] * 10, [1, 5] * 10, []),
        # every rating alike: one bin, and nothing that varies between categories
        ([0, 1] * 10, [5] * 20, ["rating"]),
    ],
)
def test_what_the_judge_does_not_tell_apart_is_a_caveat(
    moral: list[float], rating: list[float], failures: list[str]
) -> None:
    _, blocks = shown(moral, rating)
    caveats = list(within(blocks, Caveat))
    assert [plain(caveat.about) for caveat in caveats] == failures
    assert all("100 % of items lie in one bin" in plain(caveat.text) for caveat in caveats)


def test_the_scores_that_the_shape_is_of_are_drawn() -> None:
    data, blocks = shown([0, 1], [1, 5])
    (chart,) = within(blocks, Chart)
    assert BENCHMARK in plain(chart.alt)
    # a run without such statistics has no such section
    bare = replace(data, scores={})
    assert list(shape_blocks(bare, judgements_of(bare))) == []
