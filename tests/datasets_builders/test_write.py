from pathlib import Path

import datasets
import pyarrow as pa
import pytest
from huggingface_hub import DatasetCard

from normscope.builders.builder import Builder, Card
from normscope.builders.write import content_hash, write_dataset
from normscope.files import read_parquet

OPTIONS = pa.list_(pa.struct([("letter", pa.string()), ("text", pa.string())]))
TABLES = {
    "words": pa.table({"item_id": ["w1", "w2"], "word": ["雨", None], "wet": [True, False]}),
    "choices": pa.table(
        {
            "item_id": ["c1", "c2", "c3"],
            "options": pa.array([[{"letter": "A", "text": "sun"}], [], None], type=OPTIONS),
            "answer": pa.nulls(3, pa.string()),
            "number": [1, None, 3],
        }
    ),
}


def _make(source: Path | None, *, unpinned: bool = False) -> dict[str, pa.Table]:
    return TABLES


BUILDER = Builder(
    slug="weather",
    tables=_make,
    card=Card(
        title="Weather",
        summary="Words about the weather.",
        languages=("zh", "en"),
        license="other",
        license_name="made-for-this-test",
        tags=("toy",),
        body="## More\n\nNothing.",
        default_config="words",
        tasks=("text-classification",),
    ),
    benchmarks=(),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "weather"
    write_dataset(BUILDER, path, TABLES)
    return path


@pytest.mark.parametrize("config", list(TABLES))
def test_load_dataset_gives_back_every_row(folder: Path, tmp_path: Path, config: str) -> None:
    rows = datasets.load_dataset(
        str(folder), config, split="test", cache_dir=str(tmp_path / "cache")
    )
    assert rows.to_list() == TABLES[config].to_pylist()


def test_the_card_tells_what_the_builder_and_the_tables_say(folder: Path) -> None:
    card = DatasetCard.load(folder / "README.md")
    data = card.data.to_dict()
    assert data["task_categories"] == ["text-classification"]
    assert data["language"] == ["zh", "en"]
    assert (data["license"], data["license_name"]) == ("other", "made-for-this-test")
    defaults = {part["config_name"]: part.get("default", False) for part in data["configs"]}
    assert defaults == {"words": True, "choices": False}
    for part in ("# Weather", "Words about the weather.", "| `choices` | 3 |", "## More"):
        assert part in card.text


def test_writing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    hashes = [write_dataset(BUILDER, tmp_path / name, TABLES) for name in ("one", "two", "two")]
    assert hashes[0] == hashes[1] == hashes[2]
    files = [path for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) == 3
    for path in files:
        other = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == other.read_bytes()


def test_a_table_and_its_parquet_file_have_one_content_hash(folder: Path) -> None:
    read = {config: read_parquet(folder / config / "test.parquet") for config in TABLES}
    assert content_hash(read) == content_hash(TABLES)


@pytest.mark.parametrize(
    "other",
    [
        {"a": pa.table({"x": ["1", "2", "1"], "y": [1, 2, None]})},
        {"a": pa.table({"x": ["1", "1", "2"], "y": [1, 2, 3]})},
        {"a": pa.table({"x": ["1", "1", "2"], "z": [1, 2, None]})},
        {"a": pa.table({"x": ["1", "1", "2"], "y": [1.0, 2.0, None]})},
        {"a": pa.table({"x": ["1", "1", None], "y": [1, 2, None]})},
        {"b": pa.table({"x": ["1", "1", "2"], "y": [1, 2, None]})},
        {"a": pa.table({"y": [1, 2, None], "x": ["1", "1", "2"]})},
    ],
    ids=["order", "value", "column", "type", "null", "config", "column order"],
)
def test_every_difference_changes_the_content_hash(other: dict[str, pa.Table]) -> None:
    one = {"a": pa.table({"x": ["1", "1", "2"], "y": [1, 2, None]})}
    assert content_hash(one) != content_hash(other)
