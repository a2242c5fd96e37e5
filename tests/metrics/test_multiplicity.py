import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import DataError
from normscope.metrics.significance import benjamini_hochberg, holm

P = [0.01, 0.04, 0.03, 0.005]


def test_by_hand() -> None:
    # ascending 0.005 0.01 0.03 0.04; Holm ×4 ×3 ×2 ×1: 0.02 0.03 0.06 0.06
    assert holm(P) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # ×4/1 ×4/2 ×4/3 ×4/4: 0.02 0.02 0.04 0.04
    assert benjamini_hochberg(P) == pytest.approx([0.02, 0.04, 0.04, 0.02])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrected_values_are_larger_and_in_the_same_order(p: list[float]) -> None:
    for corrected in (holm(p), benjamini_hochberg(p)):
        assert (corrected >= np.array(p) - 1e-15).all()
        assert (np.diff(corrected[np.argsort(p)]) >= -1e-15).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-15).all()


def test_what_was_not_tested_is_not_counted() -> None:
    np.testing.assert_allclose(holm([0.02, None, 0.5]), [0.04, np.nan, 0.5])
    assert holm([]).shape == (0,)
    with pytest.raises(DataError, match="off the scale"):
        holm([1.5])
