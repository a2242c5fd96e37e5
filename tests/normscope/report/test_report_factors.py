"""Which factor moves the norm, as a report shows it."""

from dataclasses import replace

import numpy as np
from report_runs import small_run
from shown_pages import lines, within

from normscope.metrics.factors import factor_effects, factor_statistics
from normscope.metrics.norms import norm_consensus
from normscope.report.blocks import Chart, Details, Table
from normscope.report.factors import factor_blocks

FLOWS = {"sender": list("xxyy"), "recipient": list("abab")}


def test_the_factor_that_moves_most_comes_first() -> None:
    # 1 and 16 of 17: the recipient moves the answers by 2, the sender by 1/2
    effects = factor_effects([[2, 2], [0, 0], [1, 2], [-1, 0]], FLOWS)
    data = replace(small_run(), scores={"ci-vignettes:x": tuple(factor_statistics(effects))})
    blocks = list(factor_blocks(data))
    (table,) = within(blocks, Table)
    assert [(row[0], row[1], row[3]) for row in lines(table)] == [
        ("recipient", "94.1 %", "4"),
        ("sender", "5.88 %", "4"),
        ("sender × recipient", "0 %", "4"),
    ]
    # under seven terms nothing is folded away
    assert not list(within(blocks, Details))


def test_the_mean_answer_at_each_level_is_drawn_the_factor_that_moves_most_first() -> None:
    answers = np.array([[2.0, 2], [0, 0], [1, 2], [-1, 0]])
    statistics = [
        *norm_consensus(answers, groups=FLOWS),
        *factor_statistics(factor_effects(answers, FLOWS)),
    ]
    data = replace(small_run(), scores={"ci-vignettes:x": tuple(statistics)})
    charts = [chart.plot for chart in within(list(factor_blocks(data)), Chart)]
    assert [chart.data["levels"] for chart in charts] == [["a", "b"], ["x", "y"]]
    # (2 + 2 + 1 + 2)/4 and (0 + 0 − 1 + 0)/4
    assert [point[0] for point in charts[0].data["points"][0]] == [1.75, -0.25]


def test_a_run_whose_vignettes_do_not_vary_has_no_such_section() -> None:
    effects = factor_effects([[1, 1]] * 4, FLOWS)
    assert factor_statistics(effects) == []
    assert list(factor_blocks(small_run())) == []
