"""The registry of statistics: what is in it is complete, and what reads it finds the same."""

import numpy as np
import pytest

from normscope.builders.registry import benchmark, benchmarks
from normscope.metrics import definitions
from normscope.metrics.registry import MEASURES, kind_of, products

NAN = np.array([np.nan])


@pytest.mark.parametrize("name", MEASURES)
def test_every_statistic_that_is_compared_has_a_name_and_a_direction(name: str) -> None:
    measure = MEASURES[name]
    statistics = []
    if measure.outcomes is not None:
        columns, _ = measure.outcomes(*[NAN] * len(measure.criteria), reasons=None)
        statistics = list(columns)
    for statistic in (*statistics, measure.headline):
        assert statistic in definitions.DEFINITIONS, f"{statistic}: define it in definitions.yaml"


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_compared_is_what_is_scored(name: str) -> None:
    measure = MEASURES[name]
    if measure.statistics is None or measure.outcomes is None:
        pytest.skip("made of matrices")
    values = [NAN] * len(measure.criteria)
    rows = {row.name: row.unit for row in measure.statistics(*values, reasons=None)}
    for statistic in measure.outcomes(*values, reasons=None)[0]:
        assert rows[statistic] == kind_of(statistic)[0]


def test_every_metric_of_a_benchmark_is_in_it() -> None:
    for name in benchmarks():
        _, bench = benchmark(name)
        for metric in bench.metrics:
            assert set(MEASURES[metric].criteria) <= set(bench.criteria)


def test_a_product_is_null_where_a_value_is() -> None:
    assert products({"moral": None, "rating": 4.0}) == {"score": None}
    assert products({"moral": 0.5}) == {}
