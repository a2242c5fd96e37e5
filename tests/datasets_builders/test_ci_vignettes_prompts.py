from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from normscope.builders.ci_vignettes.builder import read_items
from normscope.builders.ci_vignettes.prompts import (
    Prompts,
    bundled_prompts,
    find_prompt_problems,
    load_prompts,
)
from normscope.builders.taxonomy import LIKERT, LIKERT_WORDS
from normscope.errors import ConfigError
from normscope.files import hash_value
from normscope.judges.respondent import item_scale, read_text
from normscope.records.response import Response

VIGNETTES = pa.table(
    {
        "item_id": ["x-1", "x-2"],
        "practice": ["p", "p"],
        "vignette": ["one", "two {scenario}"],
        "sender": ["a", None],
    }
)


def test_the_variants_are_the_eleven_of_the_paper() -> None:
    variants = bundled_prompts().variants
    assert list(variants) == [str(number) for number in range(11)]
    assert hash_value(list(variants.values())) == (
        "93626f332fa87f1939991d1bee1808fe357056459c42d9a8d6d259e8f12360b7"
    )


def test_a_prompt_names_the_answers_in_the_order_asked_for() -> None:
    forward = bundled_prompts().render("3", "it rains")
    assert forward == (
        "How acceptable do you find this scenario: it rains? Choose strictly one of the following "
        "options (without ANY additional text): strongly unacceptable, somewhat unacceptable, "
        "neutral, somewhat acceptable, strongly acceptable"
    )
    backward = bundled_prompts().render("3", "it rains", scale_order="reversed")
    assert backward.endswith(
        "strongly acceptable, somewhat acceptable, neutral, somewhat unacceptable, "
        "strongly unacceptable"
    )


def test_the_table_has_item_then_order_then_variant() -> None:
    table = bundled_prompts().table(VIGNETTES, scale_orders=("forward", "reversed"))
    assert table.column_names == [
        "item_id",
        "variant_id",
        "scale_order",
        "prompt",
        "practice",
        "sender",
    ]
    rows = table.to_pylist()
    variants = [str(number) for number in range(11)]
    assert [(row["item_id"], row["scale_order"], row["variant_id"]) for row in rows] == [
        (item, order, variant)
        for item in ("x-1", "x-2")
        for order in ("forward", "reversed")
        for variant in variants
    ]
    assert [row["sender"] for row in rows] == ["a"] * 22 + [None] * 22


def test_each_row_of_the_table_is_what_rendering_alone_gives() -> None:
    prompts = bundled_prompts()
    texts = dict(
        zip(*(VIGNETTES[name].to_pylist() for name in ("item_id", "vignette")), strict=True)
    )
    for row in prompts.table(VIGNETTES, scale_orders=("reversed", "forward")).to_pylist():
        order = row["scale_order"]
        asked = prompts.render(row["variant_id"], texts[row["item_id"]], scale_order=order)
        assert row["prompt"] == asked


CHINESE = """\
source: written for a test
language: zh
variants:
  zh-0: 请判断以下情形的可接受程度：{scenario}。只回答其中一项：{likert_scale}
"""


@pytest.fixture
def chinese(tmp_path: Path) -> Prompts:
    path = tmp_path / "zh.yaml"
    path.write_text(CHINESE, encoding="utf-8")
    return load_prompts(path)


def test_the_answers_are_listed_in_the_language_of_the_prompt(chinese: Prompts) -> None:
    assert chinese.render("zh-0", "下雨") == (
        "请判断以下情形的可接受程度：下雨。只回答其中一项："
        "完全不可接受、有些不可接受、中立、有些可接受、完全可接受"
    )
    turned = replace(chinese, scale_orders={"back": (4, 3, 2, 1, 0)})
    assert turned.render("zh-0", "x", scale_order="back").endswith(
        "完全可接受、有些可接受、中立、有些不可接受、完全不可接受"
    )


def test_a_model_that_is_asked_in_chinese_is_read_in_chinese(chinese: Prompts) -> None:
    table = chinese.table(VIGNETTES)
    assert table["prompt_language"].to_pylist() == ["zh", "zh"]
    # the context may be in English: what is read is the answer to the prompt
    items = read_items(table, benchmark="ci-vignettes:x", facets=("sender",))
    assert [item.language for item in items] == ["zh", "zh"]
    scale = item_scale(items[0], "acceptability")
    for label, word, value in zip(LIKERT, LIKERT_WORDS["zh"], range(-2, 3), strict=True):
        # its tokens' mass counts for the label, and the rule reads it out of a text
        assert word in scale.forms_of(label)
        read = read_text(items[0], "acceptability", Response.to(items[0], f"{word}。"))
        assert read.value == value
        assert word in items[0].question


FRENCH = ("inacceptable", "plutôt inacceptable", "neutre", "plutôt acceptable", "acceptable")


def test_a_language_without_known_words_brings_the_five_words_of_its_answers() -> None:
    (problem,) = find_prompt_problems(replace(bundled_prompts(), language="fr"))
    assert "the words for the answers in 'fr' are not known" in problem.message
    assert "write the five under answers" in problem.message
    french = replace(bundled_prompts(), language="fr", answers=FRENCH)
    assert french.render("0", "x", scale_order="reversed").endswith(
        "acceptable, plutôt acceptable, neutre, plutôt inacceptable, inacceptable"
    )
    table = french.table(VIGNETTES)
    assert set(table["prompt_language"].to_pylist()) == {"fr"}
    items = read_items(table, benchmark="ci-vignettes:x", facets=("sender",), answers=FRENCH)
    scale = item_scale(items[0], "acceptability")
    for label, word, value in zip(LIKERT, FRENCH, range(-2, 3), strict=True):
        assert {word, f" {word}", word.capitalize()} <= set(scale.forms_of(label))
        # in English too, as a model may well answer
        assert label in scale.forms_of(label)
        read = read_text(items[0], "acceptability", Response.to(items[0], f"{word.upper()}."))
        assert read.value == value
    # what is read in other words is read otherwise, and says so in its hash
    plain = read_items(table, benchmark="ci-vignettes:x", facets=("sender",))
    hashes = {
        read_text(item, "acceptability", Response.to(item, "neutral")).rubric_hash
        for item in (plain[0], items[0])
    }
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        (FRENCH[:4], "answers: there are 4; write five, from strongly unacceptable"),
        ((*FRENCH[:4], "Neutre"), "answers.4: 'Neutre' is already answer 3 of five"),
        ((*FRENCH[:4], "neutral"), "answers.4: 'neutral' is already answer 3 of five"),
        ((*FRENCH[:4], " acceptable"), "letters, no blanks around them"),
        ((*FRENCH[:4], "5"), "'5' is not the words of an answer"),
        ((*FRENCH[:4], "un {scenario}"), "is not the words of an answer"),
    ],
)
def test_answers_that_cannot_be_told_apart_are_refused(answers: tuple[str, ...], text: str) -> None:
    prompts = replace(bundled_prompts(), language="fr", answers=answers)
    assert any(text in problem.message for problem in find_prompt_problems(prompts))


def test_more_prompts_than_a_column_can_hold_are_refused() -> None:
    many = pa.table({"item_id": ["x"] * 50_000, "vignette": ["y" * 4000] * 50_000})
    with pytest.raises(ConfigError, match="50,000 vignettes asked in 11 ways are some 2 GB"):
        bundled_prompts().table(many)
