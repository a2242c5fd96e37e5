import logging
from pathlib import Path

import pyarrow as pa
import pytest
from llm_ci import LLM_CI

from normscope.builders.builder import Benchmark
from normscope.builders.ci_vignettes.builder import BUILDER, Tables, build_tables
from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.errors import SourceError
from normscope.records.item import SCHEMA, Item
from normscope.records.tables import from_table, to_table

ONE_ROW = pa.table({"a": [1]})
ROWS = {
    "coppa": 1800,
    "coppa_null": 120,
    "iot": 6912,
    "iot_null": 576,
    "location": 3168,
    "location_corrected": 3168,
    "public_records": 48,
    "public_records_corrected": 48,
    "social_contract": 1200,
    "social_contract_corrected": 1200,
    "web": 2200,
    "web_corrected": 2200,
}
"""The rows of the configs that the paper's contexts make."""


@pytest.fixture(scope="module")
def tables() -> Tables:
    return build_tables(None)


def _benchmark(config: str) -> Benchmark:
    return next(part for part in BUILDER.benchmarks if part.name == f"ci-vignettes:{config}")


def test_each_config_has_its_vignettes_and_eleven_prompts_of_each(tables: Tables) -> None:
    for config, rows in ROWS.items():
        assert len(tables[config]) == rows
        assert len(tables[f"{config}_prompts"]) == rows * 11
    assert len(tables["iot_prompts"]) == 76_032


def test_each_context_has_its_orders_apart(tables: Tables) -> None:
    for name in LLM_CI:
        _benchmark(f"{name}_orders")
    orders = tables["public_records_orders_prompts"]
    assert len(orders) == 48 * 11 * 4
    assert set(orders["scale_order"].to_pylist()) == {"forward", "reversed", "random-1", "random-2"}
    forward = orders.filter([order == "forward" for order in orders["scale_order"].to_pylist()])
    assert forward["prompt"].to_pylist() == tables["public_records_prompts"]["prompt"].to_pylist()


def test_only_the_flows_of_confaide_have_a_source(tmp_path: Path) -> None:
    missing = build_tables(tmp_path / "missing")
    assert len(missing["coppa"]) == 1800
    with pytest.raises(SourceError, match="does not exist"):
        missing["confaide"]


def test_without_a_source_the_rest_is_built_and_the_log_says_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("NORMSCOPE_SOURCES", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    configs = list(build_tables(None))
    assert set(ROWS) < set(configs)
    assert "confaide" not in configs
    assert "confaide is left out: HF_HUB_OFFLINE is set; name a folder" in caplog.text


def test_each_prompt_config_is_a_benchmark_that_the_model_under_test_answers() -> None:
    names = {part.name.partition(":")[2] for part in BUILDER.benchmarks}
    orders = {f"{name}_orders" for name in bundled_contexts()}
    # a context with prompts or without anchors of its own has none of these
    extra = {f"{name}_anchors" for name in LLM_CI}
    assert names >= {*ROWS, *bundled_contexts(), *orders, *extra, "anchors", "confaide"}
    for part in BUILDER.benchmarks:
        assert part.config == f"{part.name.partition(':')[2]}_prompts"
        assert part.criteria == ("acceptability",)
        assert part.rubric is None
        assert part.metrics == ("norm_consensus",)


@pytest.mark.parametrize("config", ["public_records", "coppa_null", "web"])
def test_items_keep_the_rows_of_their_table(tables: Tables, config: str) -> None:
    part = _benchmark(config)
    table = tables[part.config]
    items = part.items(table)
    assert [item.question for item in items] == table["prompt"].to_pylist()
    assert [item.item_id for item in items] == table["item_id"].to_pylist()
    assert [item.variant_id for item in items[:12]] == [str(n % 11) for n in range(12)]
    assert {(item.benchmark, item.language, item.scale_order) for item in items} == {
        (part.name, "en", "forward")
    }
    assert all(item.cluster == item.item_id for item in items)
    assert from_table(to_table(items[:50], SCHEMA), Item) == items[:50]


def test_facets_are_the_factors_of_the_practice(tables: Tables) -> None:
    items = _benchmark("web").items(tables["web_prompts"])
    assert set(items[0].facets) == {"sender", "attribute", "transmission_principle", "practice"}
    assert items[0].facets["practice"] == "web1"
    second = next(item for item in items if item.facets["practice"] == "web2")
    assert set(second.facets) == {*items[0].facets, "inference"}


def test_anchors_keep_their_context_and_the_sign_that_is_expected(tables: Tables) -> None:
    items = _benchmark("anchors").items(tables["anchors_prompts"])
    assert len(items) == len(tables["anchors"]) * 11
    of_coppa = [item for item in items if item.category == "coppa"]
    assert len(of_coppa) == len(bundled_contexts()["coppa"].anchors) * 11
    text = bundled_contexts()["coppa"].anchors[0].text
    facets = {"context": "coppa", "expected": "acceptable", "vignette": text}
    assert of_coppa[0].facets == facets
    assert text in of_coppa[0].question


def test_the_anchors_of_each_context_are_those_of_all_of_them(tables: Tables) -> None:
    names = [name for name, context in bundled_contexts().items() if context.anchors]
    rows = [row for name in names for row in tables[f"{name}_anchors"].to_pylist()]
    assert rows == tables["anchors"].to_pylist()
    every = tables["anchors_prompts"].to_pylist()
    for name in LLM_CI:
        mine = tables[f"{name}_anchors_prompts"].to_pylist()
        assert mine == [row for row in every if row["context"] == name]
    items = _benchmark("iot_anchors").items(tables["iot_anchors_prompts"])
    assert {item.benchmark for item in items} == {"ci-vignettes:iot_anchors"}
    assert {item.facets["expected"] for item in items} == {"acceptable", "unacceptable"}


def test_a_table_is_made_when_it_is_asked_for_and_once() -> None:
    made: list[str] = []

    def make() -> pa.Table:
        made.append("x")
        return ONE_ROW

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

    makers = {"x": lambda: ONE_ROW, "far": far, "near": lambda: ONE_ROW}
    tables = Tables(makers, optional=["far", "near"])
    with caplog.at_level(logging.WARNING):
        assert list(tables) == ["x", "near"]
        assert len(tables) == 2
        assert dict(tables.items()) == {"x": ONE_ROW, "near": ONE_ROW}
    assert caplog.messages == ["far is left out: it is far"]
