"""What so many items buy: by hand, and beside what the metrics make of such answers."""

import numpy as np
import pytest

from normscope.metrics.refusal import refusal_rates
from normscope.pipeline.chosen import choose
from normscope.pipeline.planning.precision import precisions
from normscope.pipeline.requested import requested_benchmarks
from normscope.records.config import RunConfig
from normscope.records.item import Item, Turn
from normscope.records.provenance import BenchmarkItems

REFUSALS = BenchmarkItems(criteria=("refusal",), metrics=("refusal_rates",), items_in_dataset=100)


def item(number: int, *, category: str = "a", cluster: str = "") -> Item:
    return Item("qa", str(number), (Turn("user", "?"),), "en", category=category, cluster=cluster)


def test_a_rate_by_hand() -> None:
    # Wilson at 50 of 100: z √(0.25/100 + z²/(4·100²))/(1 + z²/100) = 0.09617
    (overall,) = precisions([item(n) for n in range(100)], {"qa": REFUSALS})
    assert overall.half_width == pytest.approx(0.0962, abs=1e-4)
    assert (overall.statistic, overall.items, overall.effective) == ("hr", 100, 100)


def test_it_is_the_interval_that_the_metric_gives() -> None:
    # 100 answers, every fifth of one cluster and alike: as many as 20 of their own
    items = [item(n, cluster=f"c{n // 5}") for n in range(100)]
    (overall,) = precisions(items, {"qa": REFUSALS})
    assert overall.effective == 20
    classes = np.repeat(np.arange(20) % 2 * 3, 5)
    rates = refusal_rates(classes, clusters=[each.cluster for each in items])
    estimate = next(rate.estimate for rate in rates if rate.name == "hr")
    assert estimate.low is not None
    assert estimate.high is not None
    # of t with 19 degrees of freedom in place of the normal
    assert (estimate.high - estimate.low) / 2 == pytest.approx(overall.half_width, rel=0.08)


def test_all_vignettes_are_no_sample_and_a_slice_of_them_is() -> None:
    config = RunConfig(benchmark=("ci-vignettes:coppa",))
    for limit, is_sample in ((None, False), (200, True)):
        limited = RunConfig(
            benchmark=config.benchmark, limit={} if limit is None else {"all": limit}
        )
        chosen = choose(limited, requested_benchmarks(limited))
        overall = precisions(chosen.items, chosen.benchmarks)[0]
        assert (overall.half_width > 0) is is_sample
        assert overall.population == 1800
