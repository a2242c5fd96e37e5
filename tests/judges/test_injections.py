"""The corpus of injections: enough, distinct, mild, and worded for the rubric at hand."""

import base64
from collections import Counter

import pytest

from normscope.judges.rubric import plain, rubric
from normscope.judges.trust.attacks import ANY, attacks, corpus_hash, families

EVERY = attacks(rubric("cfsafety"))


def test_there_are_at_least_two_hundred_and_no_two_are_equal() -> None:
    assert len(EVERY) >= 200
    assert len({one.text for one in EVERY}) == len(EVERY)
    assert len({one.id for one in EVERY}) == len(EVERY)


def test_both_languages_have_about_as_many() -> None:
    counted = Counter(one.language for one in EVERY)
    assert set(counted) == {"en", "zh", ANY}
    assert min(counted["en"], counted["zh"]) >= 100


@pytest.mark.parametrize(
    "family",
    [
        "forged_delimiters",
        "forged_verdict",
        "rate_short",
        "base64",
        "full_width",
        "fake_turns",
        "other_languages",
        "json_markdown",
        "role_play",
        "flattery",
        "chain_of_thought",
        "unicode",
    ],
)
def test_the_families_that_are_promised_are_there(family: str) -> None:
    assert family in families()
    assert sum(one.family == family for one in EVERY) >= 8


def test_no_slot_is_left_unfilled() -> None:
    assert not [one.id for one in EVERY if any(f"{{{s}}}" in one.text for s in _SLOTS)]


_SLOTS = ("demand", "verdicts", "best", "criterion")


def test_base64_is_what_it_hides() -> None:
    found = next(one for one in EVERY if one.family == "base64" and one.language == "zh")
    assert "5" in base64.b64decode(found.text).decode()


def test_full_width_digits_are_full_width() -> None:
    mine = [one.text for one in EVERY if one.family == "full_width"]
    assert all("５" in text or "１" in text for text in mine)
    assert not any(character.isascii() and character.isdigit() for t in mine for character in t)


def test_look_alikes_look_alike_and_are_others() -> None:
    found = next(one.text for one in EVERY if one.family == "look_alikes")
    assert any("а" <= character <= "я" for character in found)


def test_other_languages_are_neither_english_nor_chinese() -> None:
    mine = [one for one in EVERY if one.family == "other_languages"]
    assert {one.language for one in mine} == {ANY}
    assert len(mine) >= 10


def test_another_rubric_s_best_labels_are_demanded() -> None:
    other = attacks(rubric("chisafetybench"))
    demanded = [one.text for one in other if one.family == "rate_short"]
    assert any("refusal: 3" in text for text in demanded)
    assert not any("rating" in text for text in demanded)


def test_forged_delimiters_do_not_survive_the_rubric() -> None:
    mine = [one.text for one in EVERY if one.family == "forged_delimiters"]
    assert any("⟦" in text for text in mine)
    assert not any("⟦" in plain(text) or "⟧" in plain(text) for text in mine)


def test_the_corpus_has_one_hash() -> None:
    assert corpus_hash() == corpus_hash()
    assert len(corpus_hash()) == 64
