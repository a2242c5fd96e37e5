import csv
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from normscope.datasets_builders.cfsafety.builder import BUILDER, QUESTIONS
from normscope.datasets_builders.cfsafety.language import detect
from normscope.datasets_builders.sources import is_pinned
from normscope.datasets_builders.taxonomy import CFSAFETY
from normscope.errors import SourceError

LABELS = [category.labels[0] for category in CFSAFETY]


def _write(folder: Path, rows: list[dict[str, str]], *, columns: list[str] | None = None) -> Path:
    """A source folder of our own in the shape of the authors' table."""
    columns = ["", *LABELS] if columns is None else columns
    with (folder / QUESTIONS.path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="How do I bake bread?", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return folder


def test_a_small_table_of_one_s_own_becomes_rows(tmp_path: Path) -> None:
    source = _write(tmp_path, [{"SocialBias": "怎样烤面包？"}, {"SocialBias": "Tea &amp; milk?"}])
    rows = BUILDER.tables(source, unpinned=True)["default"].to_pylist()
    assert len(rows) == 20
    assert rows[0] == {
        "item_id": "cfsafety-social_bias-0001",
        "prompt": "怎样烤面包？",
        "category": "social_bias",
        "group": "scenario",
        "source_category": "SocialBias",
        "language": "zh",
        "published_subset": True,
        "html_entities": False,
    }
    assert rows[1]["html_entities"]
    assert rows[1]["prompt"] == "Tea &amp; milk?"
    assert rows[-1]["item_id"] == "cfsafety-reverse_exposure-0002"
    assert Counter(row["group"] for row in rows) == {"scenario": 10, "attack": 10}


def test_the_index_column_may_be_missing(tmp_path: Path) -> None:
    source = _write(tmp_path, [{"SocialBias": "How?"}], columns=LABELS)
    assert BUILDER.tables(source, unpinned=True)["default"].num_rows == 10


def test_a_blank_prompt_stays_blank(tmp_path: Path) -> None:
    source = _write(tmp_path, [{"Misleading": ""}, {"Misleading": "nan"}])
    table = BUILDER.tables(source, unpinned=True)["default"]
    rows = [row for row in table.to_pylist() if row["category"] == "misleading"]
    assert [row["prompt"] for row in rows] == ["", "nan"]
    assert rows[0]["language"] == "und"


def test_the_published_subset_is_the_first_500_rows(tmp_path: Path) -> None:
    source = _write(tmp_path, [{}] * 502)
    table = BUILDER.tables(source, unpinned=True)["default"]
    rows = [row for row in table.to_pylist() if row["category"] == "misleading"]
    assert [row["published_subset"] for row in rows[498:]] == [True, True, False, False]


def test_a_table_of_one_s_own_needs_the_word_for_it(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"not the pinned version.*--unpinned"):
        BUILDER.tables(_write(tmp_path, [{}]))


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    source = _write(tmp_path, [{}], columns=[name for name in LABELS if name != "Misleading"])
    with pytest.raises(SourceError, match="column 'Misleading' is missing"):
        BUILDER.tables(source, unpinned=True)


def test_an_extra_column_is_named(tmp_path: Path) -> None:
    source = _write(tmp_path, [{}], columns=[*LABELS, "Notes"])
    with pytest.raises(SourceError, match="column 'Notes' is not one of the source's"):
        BUILDER.tables(source, unpinned=True)


def test_items_are_one_turn_each(tmp_path: Path) -> None:
    source = _write(tmp_path, [{"PromptLeakage": "What time is it?"}])
    (part,) = BUILDER.benchmarks
    items = part.items(BUILDER.tables(source, unpinned=True)[part.config])
    item = next(item for item in items if item.category == "prompt_leakage")
    assert (item.benchmark, item.question, item.history) == (part.name, "What time is it?", ())
    assert (item.area, item.language, item.answer) == ("attack", "en", None)
    assert item.facets == {"published_subset": "true"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("明天会下雨吗？", "zh"),
        ("Will it rain tomorrow?", "en"),
        ("Domani pioverà in montagna?", "it"),
        ("Ngày mai trời có mưa không?", "vi"),
        ("هل ستمطر غدا؟", "ar"),
        ("내일 비가 올까요?", "ko"),
        ("พรุ่งนี้ฝนจะตกไหม", "th"),
        ("আগামীকাল কি বৃষ্টি হবে?", "bn"),
        ("Je, mvua itanyesha kesho asubuhi?", "sw"),
        ("Apa sesuk bakal udan ing desa kene?", "jv"),
        ("1 + 1 = ?", "und"),
        ("", "und"),
    ],
)
def test_the_language_is_told_apart(text: str, language: str) -> None:
    assert detect(text) == language


@pytest.fixture(scope="module")
def rows(sources: Path) -> list[dict[str, Any]]:
    """Every row of the real source."""
    made: list[dict[str, Any]] = BUILDER.tables(sources)["default"].to_pylist()
    return made


def test_the_real_source_gives_every_row(rows: list[dict[str, Any]]) -> None:
    assert len(rows) == len({row["item_id"] for row in rows}) == 25_000
    assert set(Counter(row["category"] for row in rows).values()) == {2_500}
    assert sum(row["published_subset"] for row in rows) == 5_000
    assert sum(row["html_entities"] for row in rows) == 948


def test_the_real_minority_languages_are_the_known_blocks(rows: list[dict[str, Any]]) -> None:
    found = [row["language"] for row in rows if row["category"] == "minority_language"]
    blocks = [(language, len(list(block))) for language, block in groupby(found)]
    sizes = dict.fromkeys(("it", "vi", "ar", "ko", "th", "bn", "sw"), 315)
    assert blocks == [*sizes.items(), ("jv", 295)]


def test_the_real_rest_is_chinese_or_english(rows: list[dict[str, Any]]) -> None:
    rest = [row for row in rows if row["category"] != "minority_language"]
    assert {row["language"] for row in rest} == {"zh", "en"}
    published = [row for row in rest if row["published_subset"]]
    languages = {
        category: {row["language"] for row in published if row["category"] == category}
        for category in {row["category"] for row in published}
    }
    assert sum(found == {"zh"} for found in languages.values()) == 6


def test_a_truncated_real_source_is_refused(sources: Path, tmp_path: Path) -> None:
    path = next(
        path
        for path in (sources / "cfsafety" / QUESTIONS.path, sources / QUESTIONS.path)
        if path.is_file()
    )
    assert is_pinned(QUESTIONS, path)
    (tmp_path / QUESTIONS.path).write_bytes(path.read_bytes()[:1_000_000])
    with pytest.raises(SourceError, match="not the pinned version"):
        BUILDER.tables(tmp_path)
    with pytest.raises(SourceError, match="take it from its source again"):
        BUILDER.tables(tmp_path, unpinned=True)
