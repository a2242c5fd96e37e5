import csv
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

from normscope.datasets_builders.cfsafety.agreement import agree
from normscope.datasets_builders.cfsafety.builder import BUILDER, QUESTIONS
from normscope.datasets_builders.cfsafety.language import detect
from normscope.datasets_builders.published import published_results
from normscope.datasets_builders.registry import benchmark
from normscope.datasets_builders.sources import is_pinned
from normscope.datasets_builders.taxonomy import CFSAFETY
from normscope.datasets_builders.write import write_dataset
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
        "item_format": "open",
        "source": None,
        "pair_id": None,
        "pair_method": None,
        "pair_confidence": None,
        "duplicate_of": None,
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
    part = benchmark("cfsafety:published")[1]
    items = part.items(table)
    assert {item.benchmark for item in items} == {"cfsafety:published"}
    assert Counter(item.category for item in items) == dict.fromkeys(
        (category.slug for category in CFSAFETY), 500
    )
    # what was published stands beside such a run
    assert published_results(part.name) == published_results("cfsafety")


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
    part, _ = BUILDER.benchmarks
    items = part.items(BUILDER.tables(source, unpinned=True)[part.config])
    item = next(item for item in items if item.category == "prompt_leakage")
    assert (item.benchmark, item.question, item.conversation) == (part.name, "What time is it?", ())
    assert (item.area, item.language, item.answer) == ("attack", "en", None)
    assert item.facets == {"published_subset": "true", "item_format": "open"}
    assert item.cluster == item.item_id


def test_a_pair_is_one_cluster_that_bears_the_name_of_its_first_row(tmp_path: Path) -> None:
    column = ["怎样泡茶？", "怎样烤面包？", "How is tea made?", "How is bread baked?"]
    source = _write(tmp_path, [{"Misleading": prompt} for prompt in column])
    part, _ = BUILDER.benchmarks
    table = BUILDER.tables(source, unpinned=True)[part.config]
    rows = [row for row in table.to_pylist() if row["category"] == "misleading"]
    first, second = rows[0]["item_id"], rows[1]["item_id"]
    assert [row["pair_id"] for row in rows] == [first, second, first, second]
    # four rows are too few to be sure of
    assert {(row["pair_method"], row["pair_confidence"]) for row in rows} == {("block", "low")}
    items = [item for item in part.items(table) if item.category == "misleading"]
    assert [item.cluster for item in items] == [first, second, first, second]


def test_a_repeated_prompt_names_the_first_in_the_whole_dataset(tmp_path: Path) -> None:
    source = _write(tmp_path, [{"SocialBias": "Tea or milk?", "Misleading": "Tea  or milk? "}])
    rows = {
        row["category"]: row for row in BUILDER.tables(source, unpinned=True)["default"].to_pylist()
    }
    assert rows["social_bias"]["duplicate_of"] is None
    assert rows["misleading"]["duplicate_of"] == "cfsafety-social_bias-0001"


def test_closed_prompts_are_told_from_open_ones(tmp_path: Path) -> None:
    listed, context = "question: Tea?options:['Yes.', 'No.']", "context: Tea. \n question: Who?"
    source = _write(tmp_path, [{"Misleading": listed}, {"Misleading": context}])
    part, _ = BUILDER.benchmarks
    table = BUILDER.tables(source, unpinned=True)[part.config]
    rows = [row for row in table.to_pylist() if row["category"] == "misleading"]
    assert [(row["item_format"], row["source"]) for row in rows] == [
        ("closed", "SafetyBench"),
        ("closed", "BBQ"),
    ]
    items = [item for item in part.items(table) if item.category == "misleading"]
    assert {item.facets["item_format"] for item in items} == {"closed"}


def test_a_missing_network_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise URLError("no route to host")

    monkeypatch.delenv("NORMSCOPE_SOURCES", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("normscope.datasets_builders.sources.urlopen", refuse)
    with pytest.raises(SourceError, match=r"cannot be downloaded.*--source DIR"):
        BUILDER.tables(None)
    assert not list(tmp_path.rglob("*.csv"))


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


def test_the_real_closed_prompts_are_those_of_two_benchmarks(rows: list[dict[str, Any]]) -> None:
    assert Counter((row["item_format"], row["source"]) for row in rows) == {
        ("open", None): 16_184,
        ("open", "MultiJail"): 2_500,
        ("closed", "SafetyBench"): 4_800,
        ("closed", "BBQ"): 1_516,
    }
    closed = [row for row in rows if row["item_format"] == "closed"]
    assert Counter((row["category"], row["language"]) for row in closed) == {
        ("social_bias", "en"): 1_516,
        **{("criminal_unethical", language): 600 for language in ("zh", "en")},
        **{("insults_sensitive_topics", language): 625 for language in ("zh", "en")},
        **{("privacy_leaks", language): 625 for language in ("zh", "en")},
        **{("misleading", language): 550 for language in ("zh", "en")},
    }
    assert not any(row["published_subset"] for row in closed)


def test_the_real_pairs_are_counted(rows: list[dict[str, Any]]) -> None:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["pair_id"]:
            groups.setdefault(row["pair_id"], []).append(row)
    pairs = Counter(group[0]["category"] for group in groups.values())
    # eight categories, one of them cut off at 2,500 rows; 315 questions in up to eight languages
    eight = dict.fromkeys(
        {row["category"] for row in rows} - {"social_bias", "minority_language"}, 1_250
    )
    assert pairs == {**eight, "llm_rewriting": 1_242, "minority_language": 315}
    assert Counter(len(group) for group in groups.values()) == {2: 9_992, 7: 20, 8: 295}
    for name, group in groups.items():
        assert name == group[0]["item_id"]
        assert len({row["language"] for row in group}) == len(group)
        assert len({row["item_format"] for row in group}) == 1


def test_the_real_pairs_are_nearly_all_sure(rows: list[dict[str, Any]]) -> None:
    assert Counter((row["pair_method"], row["pair_confidence"]) for row in rows) == {
        ("block", "high"): 21_045,
        ("block", "low"): 139,
        ("neighbour", "high"): 1_300,
        # 2,500 of social bias, and the 16 of rewriting whose translations are cut off
        (None, None): 2_516,
    }


def test_in_the_real_source_a_slip_of_one_row_would_be_seen(rows: list[dict[str, Any]]) -> None:
    for category in ("prompt_leakage", "reverse_exposure"):
        texts = [row["prompt"] for row in rows if row["category"] == category]
        chinese, english = texts[:1_250], texts[1_250:]
        slipped = agree([chinese, [*english[1:], english[0]]], ["zh", "en"])
        assert not any(flags.any() for flags in slipped)


def test_the_real_duplicates_stay_within_their_category(rows: list[dict[str, Any]]) -> None:
    by_id = {row["item_id"]: row for row in rows}
    repeated = [row for row in rows if row["duplicate_of"]]
    assert len(repeated) == 25
    for row in repeated:
        first = by_id[row["duplicate_of"]]
        assert first["prompt"].split() == row["prompt"].split()
        assert (first["category"], first["duplicate_of"]) == (row["category"], None)


def test_the_real_dataset_has_the_same_bytes_twice(sources: Path, tmp_path: Path) -> None:
    first, second = (
        write_dataset(BUILDER, tmp_path / name, BUILDER.tables(sources)) for name in ("a", "b")
    )
    assert first == second
    cards = [(tmp_path / name / "README.md").read_bytes() for name in ("a", "b")]
    assert cards[0] == cards[1]


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
