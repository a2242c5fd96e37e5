"""How judgements are spread: histograms, and by category."""

import numpy as np
from judged_rows import columns_of, item, judged
from shown_pages import plots

from normscope.report.charts import Bars, Histogram, Ridges
from normscope.report.charts.distribution import BINS
from normscope.report.distributions import distribution_blocks, histogram


def test_every_value_is_in_one_bin_and_the_last_bin_is_closed() -> None:
    drawn = histogram(np.array([0.0, 0.049, 0.05, 1.0]), (0.0, 1.0), "what", "b")
    assert isinstance(drawn.plot, Histogram)
    counts = drawn.plot.counts.tolist()
    # bins of 0.05: the first holds 0 and 0.049, the second begins with 0.05, the last ends with 1
    assert (len(counts), counts[0], counts[1], counts[-1], sum(counts)) == (BINS, 2, 1, 1, 4)


def test_a_score_has_a_histogram_and_the_products_of_each_category_a_ridge() -> None:
    items = [item(f"{category}{n}", category) for category in "xy" for n in range(9)]
    rows = []
    for number, one in enumerate(items):
        rows += [
            judged("moral", 1.0, item=one.item_id),
            judged("rating", 2.0 if number < 9 else 4.0, item=one.item_id),
        ]
    blocks = list(distribution_blocks(columns_of(rows, items)))
    (plot,) = plots(blocks, Ridges)
    assert plot.categories == ["x", "y"]
    ((first, second),) = plot.samples
    assert np.asarray(first).tolist() == [2.0] * 9
    assert np.asarray(second).tolist() == [4.0] * 9
    (whole,) = plots(blocks, Histogram)
    assert whole.counts.sum() == 18
    alone = list(distribution_blocks(columns_of(rows[:18], items[:9])))
    assert not plots(alone, Ridges), "one category is no ridge"


def test_an_amount_of_ones_own_rubric_has_a_histogram_and_classes_have_none() -> None:
    rows = [judged("tone", 0.5), judged("refusal", 3.0), judged("option", 1.0, favourite="A")]
    (drawn,) = plots(distribution_blocks(columns_of(rows)), Histogram)
    assert drawn.xlabel == "tone"


def test_a_stack_has_the_answers_and_apart_what_was_not_given_and_what_we_lost() -> None:
    items = [item(name, name[0]) for name in ("x1", "x2", "x3", "x4", "y1")]
    rows = [
        judged("refusal", 0.0, item="x1"),
        judged("refusal", 3.0, item="x2"),
        judged("refusal", None, "no_answer", item="x3"),
        judged("refusal", None, "low_coverage", item="x4"),
        judged("refusal", 3.0, item="y1"),
    ]
    (stack,) = plots(distribution_blocks(columns_of(rows, items)), Bars)
    assert stack.rows == ["x", "y"]
    # risky, harmless, refusal, responsible refusal; no answer, unscored
    assert stack.counts == [[1, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0]]
    assert stack.absent == ("no answer", "unscored")
