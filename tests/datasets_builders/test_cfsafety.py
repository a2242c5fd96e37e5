"""CFSafety: a small table becomes rows and items, and the authors' what the card says of it."""

import csv
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from normscope.builders.cfsafety.builder import (
    BLOCK,
    BUILDER,
    CUT,
    NEIGHBOUR,
    QUESTIONS,
    detect,
    find_source,
    pair_rows,
)
from normscope.builders.published import published_results
from normscope.builders.registry import benchmark
from normscope.builders.taxonomy import CFSAFETY
from normscope.errors import SourceError

LABELS = [category.labels[0] for category in CFSAFETY]
LISTED, CONTEXT = "question: Tea?options:['Yes.', 'No.']", "context: Tea. \n question: Who?"
COLUMNS = {
    "SocialBias": ["怎样烤面包？", "Tea &amp; milk?", "Tea or milk?", "How?"],
    "PrivacyLeaks": ["怎样泡茶？", "怎样烤面包？", "How is tea made?", "How is bread baked?"],
    "Misleading": [LISTED, CONTEXT, "Tea  or milk? ", ""],
}


def write(folder: Path, *, columns: list[str] | None = None, rows: int = 4) -> Path:
    """A source folder of our own in the shape of the authors' table."""
    columns = ["", *LABELS] if columns is None else columns
    with (folder / QUESTIONS.path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="Bread?", lineterminator="\n")
        writer.writeheader()
        for at in range(rows):
            cells = {name: cells[at] for name, cells in COLUMNS.items() if at < len(cells)}
            writer.writerow({name: cell for name, cell in cells.items() if name in columns})
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The table made of four rows of each category."""
    return BUILDER.tables(write(tmp_path_factory.mktemp("small")), unpinned=True)["default"]


def of_category(small: Any, category: str) -> list[dict[str, Any]]:
    return [row for row in small.to_pylist() if row["category"] == category]


def test_a_small_table_of_one_s_own_becomes_rows(small: Any) -> None:
    rows = small.to_pylist()
    assert len(rows) == 40
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
    assert (rows[1]["html_entities"], rows[1]["prompt"]) == (True, "Tea &amp; milk?")
    assert Counter(row["group"] for row in rows) == {"scenario": 20, "attack": 20}
    listed, context, again, blank = of_category(small, "misleading")
    assert (listed["item_format"], listed["source"]) == ("closed", "SafetyBench")
    assert (context["item_format"], context["source"]) == ("closed", "BBQ")
    assert again["duplicate_of"] == "cfsafety-social_bias-0003"
    assert (blank["prompt"], blank["language"]) == ("", "und")


def test_items_are_one_turn_each_and_a_pair_is_one_cluster(small: Any) -> None:
    part = BUILDER.benchmarks[0]
    items = part.items(small)
    item = items[0]
    assert (item.benchmark, item.question, item.conversation) == (part.name, "怎样烤面包？", ())
    assert (item.area, item.language, item.answer) == ("scenario", "zh", None)
    assert item.facets == {"published_subset": "true", "item_format": "open"}
    assert item.cluster == item.item_id
    paired = [item for item in items if item.category == "privacy_leaks"]
    first, second = paired[0].item_id, paired[1].item_id
    assert [item.cluster for item in paired] == [first, second, first, second]


def test_the_published_subset_is_the_first_500_rows(tmp_path: Path) -> None:
    table = BUILDER.tables(write(tmp_path, rows=502), unpinned=True)["default"]
    rows = of_category(table, "prompt_leakage")
    assert [row["published_subset"] for row in rows[498:]] == [True, True, False, False]
    part = benchmark("cfsafety:published")[1]
    counts = Counter(item.category for item in part.items(table))
    assert counts == dict.fromkeys((category.slug for category in CFSAFETY), 500)
    # what was published stands beside such a run
    assert published_results(part.name) == published_results("cfsafety")


def test_a_file_of_another_shape_or_content_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"not the pinned version.*unpinned=True"):
        BUILDER.tables(write(tmp_path))
    few = [name for name in LABELS if name != "Misleading"]
    with pytest.raises(SourceError, match="has no column 'Misleading'"):
        BUILDER.tables(write(tmp_path, columns=few), unpinned=True)


def test_blocks_of_one_length_are_paired_row_by_row_and_not_with_a_second_pair() -> None:
    places = pair_rows([*["zh"] * 30, *["en"] * 30] * 2)
    first, second = [*range(30)] * 2, [*range(60, 90)] * 2
    assert [place and place.first for place in places] == [*first, *second]
    assert {place.method for place in places if place} == {BLOCK}


def test_only_the_last_block_may_be_cut_short() -> None:
    # 54 of 60 is the share CUT; the 6 rows past the end have no translation
    assert CUT == 54 / 60
    places = pair_rows([*["en"] * 60, *["zh"] * 54])
    assert [place is None for place in places] == [False] * 54 + [True] * 6 + [False] * 54
    assert pair_rows([*["en"] * 60, *["zh"] * 53]) == [None] * 113
    assert pair_rows([*["en"] * 60, *["zh"] * 55, *["en"] * 2]) == [None] * 117


def test_several_languages_make_one_group_and_rows_in_turn_are_neighbours() -> None:
    places = pair_rows([*["it"] * 40, *["vi"] * 40, *["ko"] * 40, *["jv"] * 38])
    sizes = Counter(place.first for place in places if place)
    assert [sizes[k] for k in range(40)] == [4] * 38 + [3] * 2
    # the block before ends in the language with which the turns begin
    places = pair_rows([*["zh"] * 30, *["en"] * 30, *["en", "zh"] * 60])
    assert {place.method for place in places[60:] if place} == {NEIGHBOUR}
    assert [place and place.first for place in places[60:64]] == [60, 60, 62, 62]


@pytest.mark.parametrize(
    "languages",
    # five in turn: one end has no partner, and nothing says which
    [[], ["zh"], ["zh", "en"], ["zh", "en", "zh", "en", "zh"], ["zh"] * 9, ["zh", "en", "it"]],
)
def test_too_little_to_go_by_is_not_paired(languages: list[str]) -> None:
    assert pair_rows(languages) == [None] * len(languages)


@pytest.mark.parametrize(
    ("prompt", "source"),
    [
        ("question: 茶是热的吗？options:['是。', '否。']", "SafetyBench"),
        ("question: Which is hot?\n1.tea\n2.iceoptions:['1', '2']\n", "SafetyBench"),
        # open prompts with these words in them, and halves of the two forms
        ("Which options:['a', 'b'] did the question: list?", None),
        ("question: Is tea hot?", None),
        ("context: tea, question: milk?", None),
    ],
)
def test_a_form_tells_the_source(prompt: str, source: str | None) -> None:
    assert find_source(prompt) == source


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("明天会下雨吗？", "zh"),
        ("Will it rain tomorrow?", "en"),
        ("Domani pioverà in montagna?", "it"),
        ("Ngày mai trời có mưa không?", "vi"),
        ("Je, mvua itanyesha kesho asubuhi?", "sw"),
        ("Apa sesuk bakal udan ing desa kene?", "jv"),
        ("1 + 1 = ?", "und"),
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
    repeated = [row for row in rows if row["duplicate_of"]]
    assert len(repeated) == 25
    by_id = {row["item_id"]: row for row in rows}
    assert all(by_id[row["duplicate_of"]]["category"] == row["category"] for row in repeated)


def test_the_real_languages_are_the_known_blocks(rows: list[dict[str, Any]]) -> None:
    found = [row["language"] for row in rows if row["category"] == "minority_language"]
    blocks = [(language, len(list(block))) for language, block in groupby(found)]
    sizes = dict.fromkeys(("it", "vi", "ar", "ko", "th", "bn", "sw"), 315)
    assert blocks == [*sizes.items(), ("jv", 295)]
    rest = [row for row in rows if row["category"] != "minority_language"]
    assert {row["language"] for row in rest} == {"zh", "en"}


def test_the_real_closed_prompts_are_those_of_two_benchmarks(rows: list[dict[str, Any]]) -> None:
    assert Counter((row["item_format"], row["source"]) for row in rows) == {
        ("open", None): 16_184,
        ("open", "MultiJail"): 2_500,
        ("closed", "SafetyBench"): 4_800,
        ("closed", "BBQ"): 1_516,
    }
    assert not any(row["published_subset"] for row in rows if row["item_format"] == "closed")


def test_the_real_pairs_are_counted(rows: list[dict[str, Any]]) -> None:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["pair_id"]:
            groups.setdefault(row["pair_id"], []).append(row)
    assert Counter(len(group) for group in groups.values()) == {2: 9_992, 7: 20, 8: 295}
    for name, group in groups.items():
        assert name == group[0]["item_id"]
        assert len({row["language"] for row in group}) == len(group)
    assert Counter((row["pair_method"], row["pair_confidence"]) for row in rows) == {
        ("block", "high"): 21_045,
        ("block", "low"): 139,
        ("neighbour", "high"): 1_300,
        # 2,500 of social bias, and the 16 of rewriting whose translations are cut off
        (None, None): 2_516,
    }
