import time
from pathlib import Path

import pyarrow as pa
import pytest

from normscope.datasets_builders.builder import Benchmark
from normscope.datasets_builders.ci_vignettes.builder import BUILDER, build_context
from normscope.datasets_builders.ci_vignettes.check import PARAMETERS
from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.datasets_builders.item import from_table, to_table

ROWS = {
    "coppa": 1800,
    "coppa_null": 120,
    "iot": 6912,
    "iot_null": 576,
    "location": 3168,
    "public_records": 48,
    "social_contract": 1200,
    "web": 2200,
}


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    return BUILDER.tables(None)


def _benchmark(config: str) -> Benchmark:
    return next(part for part in BUILDER.benchmarks if part.name == f"ci-vignettes:{config}")


def test_each_config_has_its_vignettes_and_eleven_prompts_of_each(
    tables: dict[str, pa.Table],
) -> None:
    found = {config: table.num_rows for config, table in tables.items()}
    assert found == ROWS | {f"{config}_prompts": rows * 11 for config, rows in ROWS.items()}
    assert found["iot_prompts"] == 76_032


def test_every_config_has_the_five_parameters(tables: dict[str, pa.Table]) -> None:
    for table in tables.values():
        assert set(PARAMETERS) <= set(table.column_names)
    assert tables["web"].column_names == [
        "item_id",
        "practice",
        "vignette",
        *PARAMETERS,
        "inference",
    ]


def test_the_default_config_is_one_of_them(tables: dict[str, pa.Table]) -> None:
    assert BUILDER.card.default_config in tables


def test_the_source_folder_is_not_read(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    again = BUILDER.tables(tmp_path / "missing", unpinned=True)
    assert again.keys() == tables.keys()
    assert all(again[config].equals(tables[config]) for config in tables)


def test_each_prompt_config_is_a_benchmark_that_the_model_under_test_answers(
    tables: dict[str, pa.Table],
) -> None:
    assert [part.name for part in BUILDER.benchmarks] == [f"ci-vignettes:{name}" for name in ROWS]
    for part in BUILDER.benchmarks:
        assert part.config in tables
        assert part.heads == ("acceptability",)
        assert part.rubric is None
        assert part.metrics == ("norm_consensus",)


@pytest.mark.parametrize("config", ["public_records", "coppa_null", "web"])
def test_items_keep_the_rows_of_their_table(tables: dict[str, pa.Table], config: str) -> None:
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
    assert from_table(to_table(items[:50])) == items[:50]


def test_the_null_control_keeps_the_category_of_its_context(tables: dict[str, pa.Table]) -> None:
    item = _benchmark("coppa_null").items(tables["coppa_null_prompts"])[0]
    assert (item.benchmark, item.category) == ("ci-vignettes:coppa_null", "coppa")
    assert item.facets == {
        "sender": "a smart speaker/baby monitor",
        "recipient": "its manufacturer",
        "attribute": "its owner's child's heart rate",
    }


def test_facets_are_the_factors_of_the_practice(tables: dict[str, pa.Table]) -> None:
    items = _benchmark("web").items(tables["web_prompts"])
    assert set(items[0].facets) == {"sender", "attribute", "transmission_principle", "practice"}
    assert items[0].facets["practice"] == "web1"
    second = next(item for item in items if item.facets["practice"] == "web2")
    assert set(second.facets) == {*items[0].facets, "inference"}


def test_an_empty_level_stays_a_facet(tables: dict[str, pa.Table]) -> None:
    item = _benchmark("social_contract").items(tables["social_contract_prompts"])[0]
    assert item.facets["transmission_principle"] == ""


def test_more_scale_orders_can_be_asked_for() -> None:
    built = build_context(
        bundled_contexts()["public_records"], scale_orders=("forward", "reversed")
    )
    assert built["public_records_prompts"].num_rows == 48 * 11 * 2


def test_the_card_names_every_context_and_leaves_no_slot() -> None:
    body = BUILDER.card.body
    assert "{" not in body
    for context in bundled_contexts().values():
        assert f"| `{context.name}` | {context.title} |" in body
    assert "| 6,912 | 576 |" in body
    assert "2409.03735" in body


def test_the_smart_home_is_built_and_read_in_the_time_promised() -> None:
    # measured: 0.2 s and 0.5 s on one core; the bounds allow for a busy machine
    started = time.perf_counter()
    prompts = build_context(bundled_contexts()["iot"])["iot_prompts"]
    built = time.perf_counter()
    assert len(_benchmark("iot").items(prompts)) == 76_032
    assert built - started < 3
    assert time.perf_counter() - built < 6
