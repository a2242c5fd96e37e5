from pathlib import Path

import pyarrow as pa
import pytest
import yaml

from normscope.datasets_builders.builder import Builder, Card
from normscope.datasets_builders.push import (
    CardConfig,
    addressed_card,
    built_files,
    list_configs,
    listed_files,
    merge_cards,
    missing_right,
)
from normscope.datasets_builders.registry import BUILDERS
from normscope.datasets_builders.write import write_dataset
from normscope.errors import DataError, UsageError

RAIN = pa.table({"item_id": ["r1", "r2"], "word": ["雨", "drizzle"]})
SUN = pa.table({"item_id": ["s1"], "word": ["dawn"]})
WIND = pa.table({"item_id": ["w1"], "strength": [3]})


def _make(source: Path | None, *, unpinned: bool = False) -> dict[str, pa.Table]:
    return {}


def build(folder: Path, **tables: pa.Table) -> str:
    """Writes the tables as a dataset into the folder; returns its card."""
    card = Card("Weather", "Words.", ("en",), "mit", None, ("toy",), "## More", next(iter(tables)))
    write_dataset(Builder("weather", _make, card, ()), folder, tables)
    return (folder / "README.md").read_text(encoding="utf-8")


def front(card: str) -> dict[str, object]:
    value: dict[str, object] = yaml.safe_load(card.split("---\n")[1])
    return value


def test_the_files_are_the_card_and_those_it_lists(tmp_path: Path) -> None:
    build(tmp_path, rain=RAIN, sun=SUN)
    build(tmp_path, rain=RAIN)
    (tmp_path / "notes.txt").write_text("mine")
    assert (tmp_path / "sun" / "test.parquet").exists()
    assert built_files("weather", tmp_path) == {
        "README.md": tmp_path / "README.md",
        "rain/test.parquet": tmp_path / "rain" / "test.parquet",
    }


def test_the_card_says_the_rows_of_one_config_and_of_several(tmp_path: Path) -> None:
    one = CardConfig("rain", "rain/test.parquet", 2)
    assert list_configs(build(tmp_path / "1", rain=RAIN)) == [one]
    two = [one, CardConfig("sun", "sun/test.parquet", 1)]
    assert list_configs(build(tmp_path / "2", rain=RAIN, sun=SUN)) == two


def test_a_folder_that_was_never_built_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no built dataset .* normscope build weather"):
        built_files("weather", tmp_path / "none")


def test_a_missing_torn_or_foreign_file_is_refused(tmp_path: Path) -> None:
    build(tmp_path, rain=RAIN, sun=SUN)
    path = tmp_path / "sun" / "test.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with pytest.raises(DataError, match="not a whole Parquet file; build it again"):
        built_files("weather", tmp_path)
    path.write_bytes((tmp_path / "rain" / "test.parquet").read_bytes())
    with pytest.raises(DataError, match="has 2 rows, the card says 1; build it again"):
        built_files("weather", tmp_path)
    path.unlink()
    with pytest.raises(DataError, match="which is missing; build it again"):
        built_files("weather", tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no front matter", "lists no configs"),
        ("---\nconfigs: [\n---\n", "not valid YAML"),
        ("---\n- one\n---\n", "not a mapping"),
        ("---\nconfigs:\n- config_name: a\n  data_files: b/test.parquet\n---\n", "not 'a/test.p"),
        ("---\nconfigs:\n- config_name: a\n  data_files: ../a/test.parquet\n---\n", "no configs"),
        ("---\nconfigs:\n- config_name: a\n  data_files: [x, y]\n---\n", "lists no configs"),
        ("---\nconfigs: 3\ndataset_info: [x, {}]\n---\n", "lists no configs"),
    ],
)
def test_a_card_that_is_not_a_built_one_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "README.md").write_text(text)
    with pytest.raises(DataError, match=said):
        built_files("weather", tmp_path)
    assert listed_files(text) == frozenset()


def test_somebodys_card_claims_only_files_in_our_layout() -> None:
    card = """---
configs:
- {config_name: a, data_files: a/test.parquet}
- {config_name: b, data_files: b/train.parquet}
- {config_name: c, data_files: [{split: test, path: c/test.parquet}]}
- {config_name: d}
---
"""
    assert listed_files(card) == {"a/test.parquet", "c/test.parquet"}


def test_a_merged_card_lists_both_and_keeps_our_default(tmp_path: Path) -> None:
    ours = build(tmp_path / "ours", rain=RAIN)
    theirs = build(tmp_path / "theirs", sun=SUN, wind=WIND)
    merged = merge_cards(ours, theirs, frozenset({"sun/test.parquet"}))
    assert [(c.name, c.rows) for c in list_configs(merged)] == [("rain", 2), ("sun", 1)]
    defaults = [c["config_name"] for c in front(merged)["configs"] if c.get("default")]  # type: ignore[attr-defined]
    assert defaults == ["rain"]
    assert merged.endswith(ours.split("---\n", 2)[2])


def test_merging_again_changes_nothing_and_the_order_does_not_matter(tmp_path: Path) -> None:
    ours = build(tmp_path / "ours", sun=SUN)
    theirs = build(tmp_path / "theirs", rain=RAIN, wind=WIND)
    staying = frozenset({"rain/test.parquet", "wind/test.parquet"})
    merged = merge_cards(ours, theirs, staying)
    assert merge_cards(ours, merged, staying) == merged
    assert [config.name for config in list_configs(merged)] == ["rain", "sun", "wind"]


def test_a_card_with_nothing_to_merge_stays_byte_for_byte(tmp_path: Path) -> None:
    ours = build(tmp_path / "ours", rain=RAIN)
    assert merge_cards(ours, build(tmp_path / "theirs", sun=SUN), frozenset()) == ours
    # a config of the same name is ours, whatever theirs says
    theirs = build(tmp_path / "same", rain=SUN)
    assert merge_cards(ours, theirs, frozenset({"rain/test.parquet"})) == ours


def test_the_datasets_without_a_licence_may_not_be_published(tmp_path: Path) -> None:
    refused = {slug for slug in BUILDERS if missing_right(slug, tmp_path) is not None}
    assert {"cfsafety", "chisafetybench"} == refused
    told = missing_right("cfsafety", tmp_path)
    assert told is not None
    assert "--i-have-the-right-to-publish" in told
    assert "normscope build cfsafety" in told


def test_a_dataset_that_does_not_exist_has_no_rights(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'cfsafety'"):
        missing_right("cfsafty", tmp_path)


def test_a_folder_of_ones_own_may_be_published_if_its_card_names_a_licence(tmp_path: Path) -> None:
    card = build(tmp_path, rain=RAIN)
    assert missing_right(None, tmp_path) is None
    (tmp_path / "README.md").write_text(card.replace("license: mit", "license: unknown"))
    assert "names no licence" in (missing_right(None, tmp_path) or "")


def test_the_card_on_the_hub_loads_from_there(tmp_path: Path) -> None:
    card = build(tmp_path, rain=RAIN)
    (text,) = addressed_card(tmp_path / "README.md", "https://hub.test/datasets/me/rain").values()
    assert 'load_dataset("path/to/weather", "rain"' in card
    assert 'load_dataset("me/rain", "rain"' in text.decode()


def test_a_merged_card_has_the_languages_of_both(tmp_path: Path) -> None:
    ours = build(tmp_path / "ours", rain=RAIN)
    theirs = build(tmp_path / "theirs", sun=SUN).replace("- en", "- zh\n- en")
    assert front(merge_cards(ours, theirs, frozenset({"sun/test.parquet"})))["language"] == [
        "en",
        "zh",
    ]
