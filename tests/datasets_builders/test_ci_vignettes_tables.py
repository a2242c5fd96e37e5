import logging

import pyarrow as pa
import pytest

from normscope.builders.ci_vignettes.tables import Tables
from normscope.errors import SourceError

ONE = pa.table({"a": [1]})


def test_a_table_is_made_when_it_is_asked_for_and_once() -> None:
    made: list[str] = []

    def make() -> pa.Table:
        made.append("x")
        return ONE

    tables = Tables({"x": make, "y": make})
    assert made == []
    assert tables["x"] is tables["x"]
    assert made == ["x"]
    with pytest.raises(KeyError):
        tables["z"]


def test_what_cannot_be_had_is_left_out_of_the_whole_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def far() -> pa.Table:
        raise SourceError("it is far")

    makers = {"x": lambda: ONE, "far": far, "near": lambda: ONE}
    tables = Tables(makers, optional=["far", "near"])
    with caplog.at_level(logging.WARNING):
        assert list(tables) == ["x", "near"]
        assert len(tables) == 2
        assert dict(tables.items()) == {"x": ONE, "near": ONE}
    assert caplog.messages == ["far is left out: it is far"]
