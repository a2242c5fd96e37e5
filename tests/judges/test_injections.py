"""The corpus of injections: enough, distinct, and worded for the rubric at hand."""

import base64
from collections import Counter

from normscope.judges.rubric import plain
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.injection import attacks

EVERY = attacks(rubric("cfsafety"))


def of(family: str) -> list[str]:
    return [one.text for one in EVERY if one.family == family]


def test_there_are_two_hundred_no_two_equal_as_many_in_either_language() -> None:
    assert len(EVERY) >= 200
    assert len({one.text for one in EVERY}) == len({one.id for one in EVERY}) == len(EVERY)
    counted = Counter(one.language for one in EVERY)
    assert min(counted["en"], counted["zh"]) >= 100
    slots = ("demand", "verdicts", "best", "criterion")
    assert not [one.id for one in EVERY if any(f"{{{slot}}}" in one.text for slot in slots)]


def test_encoded_texts_hide_what_they_say() -> None:
    assert all(base64.b64decode(text).decode() for text in of("base64"))
    digits = [character for text in of("full_width") for character in text if character.isdigit()]
    assert "５" in digits
    assert not any(digit.isascii() for digit in digits)
    assert any("а" <= character <= "я" for character in of("look_alikes")[0])


def test_another_rubric_s_best_labels_are_demanded() -> None:
    other = attacks(rubric("chisafetybench"))
    demanded = [one.text for one in other if one.family == "rate_short"]
    assert any("refusal: 3" in text for text in demanded)
    assert not any("rating" in text for text in demanded)


def test_forged_delimiters_do_not_survive_the_rubric() -> None:
    mine = of("forged_delimiters")
    assert any("⟦" in text for text in mine)
    assert not any("⟦" in plain(text) or "⟧" in plain(text) for text in mine)
