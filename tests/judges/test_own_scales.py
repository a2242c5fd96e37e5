"""The scales of the model under test: data with a hash, and the benchmark's own labels."""

import pytest

from normscope.datasets_builders.taxonomy import LIKERT
from normscope.errors import ConfigError, UsageError
from normscope.judges.criteria import ACCEPTABILITY, OPTION, own_scale
from normscope.judges.own_scales import OwnScale, own_scales, scale_hash, scale_of
from normscope.records.item import Item, Message, Option
from normscope.yaml import parse

TEXT = """
name: mine
version: 1
license: CC0
criterion: mine
labels: {low: 0, high: 1}
spellings: ["{label}"]
"""


def item(language: str, letters: str = "") -> Item:
    options = tuple(Option(letter, "text") for letter in letters)
    return Item("b", "1", (Message("user", "q"),), language, options=options)


def test_the_likert_labels_are_those_of_the_vignettes_from_minus_two_to_two() -> None:
    scale = own_scale(item("en"), ACCEPTABILITY)
    assert scale.labels == LIKERT
    assert scale.values == (-2.0, -1.0, 0.0, 1.0, 2.0)
    assert scale.forms_of("neutral") == ("neutral", " neutral", "Neutral", " Neutral")


def test_a_chinese_vignette_may_be_answered_in_either_language() -> None:
    scale = own_scale(item("zh"), ACCEPTABILITY)
    assert {"neutral", "中立"} <= set(scale.forms_of("neutral"))
    assert not {"中立"} & set(own_scale(item("en"), ACCEPTABILITY).forms_of("neutral"))


def test_an_item_has_the_letters_of_its_own_options() -> None:
    scale = own_scale(item("zh", "ABCD"), OPTION)
    assert scale.labels == tuple("ABCD")
    assert scale.forms_of("C") == ("C", " C", "Ｃ")
    with pytest.raises(UsageError, match="'option' has no label 'Z'"):
        own_scale(item("zh", "AZ"), OPTION)


def test_equal_questions_share_one_scale_so_that_an_engine_resolves_it_once() -> None:
    assert own_scale(item("en", "AB"), OPTION) is own_scale(item("de", "AB"), OPTION)
    assert own_scale(item("en"), ACCEPTABILITY) is scale_of(ACCEPTABILITY)


def test_the_hash_is_of_everything_the_file_says() -> None:
    assert {own.criterion for own in own_scales().values()} == {ACCEPTABILITY, OPTION}
    assert scale_hash(OPTION) != scale_hash(ACCEPTABILITY)
    mine = parse(TEXT, OwnScale)
    for old, new in (
        ("version: 1", "version: 2"),
        ("high: 1", "high: 2"),
        ('"{label}"', '" {label}"'),
    ):
        assert parse(TEXT.replace(old, new), OwnScale).hash != mine.hash


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("labels: {low: 0, high: 1}", "labels: {low: 0}", "two labels or more"),
        ('["{label}"]', '["x"]', "stands for 'low' and 'high'"),
        ('["{label}"]', '["{label}"]\nalso: {zh: {middle: [中]}}', "also.zh names 'middle'"),
    ],
)
def test_a_scale_that_could_be_misread_is_refused(old: str, new: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        parse(TEXT.replace(old, new), OwnScale)
