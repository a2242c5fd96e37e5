import math

import pytest
from scipy import stats

from normscope.metrics.tails import log_chi2_tail, log_f_tail, log_t_tail


def test_they_are_scipy_s_where_a_float_holds_them() -> None:
    for t in (0.0, 0.3, 2.5, 9.0):
        assert math.exp(log_t_tail(t, 7)) == pytest.approx(2 * stats.t.sf(t, 7))
    for f in (0.2, 3.0, 40.0):
        assert math.exp(log_f_tail(f, 3, 20)) == pytest.approx(stats.f.sf(f, 3, 20))
        assert math.exp(log_chi2_tail(f, 3)) == pytest.approx(stats.chi2.sf(f, 3))


def test_they_go_on_where_a_float_underflows() -> None:
    # two numerator degrees of freedom: (1 + 2f/d)^(−d/2)
    assert log_f_tail(900, 2, 5000) == pytest.approx(-2500 * math.log1p(1800 / 5000))
    # four: e^(−x/2) (1 + x/2)
    assert log_chi2_tail(5000, 4) == pytest.approx(-2500 + math.log(2501))
    # t² is F with one
    assert log_t_tail(60, 5000) == pytest.approx(log_f_tail(3600, 1, 5000))
    # two degrees of freedom: 1 − t/√(2 + t²) → 1/t²
    assert log_t_tail(1e140, 2) == pytest.approx(-2 * 140 * math.log(10))
