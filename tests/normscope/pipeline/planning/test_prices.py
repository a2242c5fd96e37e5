"""A bill by hand, and tables of prices that are wrong."""

from pathlib import Path

import pytest

from normscope.errors import ConfigError, UsageError
from normscope.judges.engines.counting import Tokens
from normscope.pipeline.planning.prices import read_prices
from normscope.pipeline.planning.ranges import Range

TABLE = """\
currency: USD
models:
  qwen: {input: 0.5, cached: 0.1, output: 2.0}
  ./checkpoint: {hour: 3}
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "prices.yaml"
    path.write_text(TABLE)
    return path


def test_a_bill_by_hand(table: Path) -> None:
    price = read_prices(table).of("http://gpu:8000/v1#qwen")
    assert price is not None
    # 4M × 0.5 + 1M × 2 = 4; with 3M of the 4M in the cache 0.5 + 0.3 + 2 = 2.8
    bill = price.of(Tokens(4_000_000, 1_000_000), Range.exact(1_000_000), None)
    assert bill == pytest.approx((4.0, 2.8, 4.0))


def test_an_hour_of_the_machine(table: Path) -> None:
    price = read_prices(table).of("./checkpoint")
    assert price is not None
    assert price.of(Tokens(10, 10), None, Range(7200, 3600, 10800)) == (6.0, 3.0, 9.0)
    with pytest.raises(UsageError, match="needs the time"):
        price.of(Tokens(10, 10), None, None)


def test_a_table_without_any_of_the_models_is_refused(table: Path) -> None:
    with pytest.raises(UsageError, match="no model that is asked has a price: other; the table"):
        read_prices(table).refuse_lacking(["other"])


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("currency: USD\nmodels: {m: {input: -1}}", "a price is 0 or above"),
        ("currency: USD\nmodels: {m: {}}", "a price is 0 or above"),
        ("currency: USD\nmodels: {m: {inptu: 1}}", "input"),
        ("models: {m: {input: 1}}", "currency"),
    ],
)
def test_a_wrong_table_is_refused_with_what_is_wrong(tmp_path: Path, wrong: str, text: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(wrong)
    with pytest.raises(ConfigError, match=text):
        read_prices(path)
