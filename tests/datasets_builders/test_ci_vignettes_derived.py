from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from llm_ci import LLM_CI

from normscope.builders.ci_vignettes.check import find_problems
from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.context_file import (
    ContextFile,
    Factor,
    Practice,
    Rating,
    Ratings,
)
from normscope.builders.ci_vignettes.review import find_oddities
from normscope.builders.ci_vignettes.vignettes import (
    anchor_table,
    corrected_table,
    rating_table,
    vignette_table,
)
from normscope.errors import ConfigError

PLAIN = ContextFile(
    name="shop",
    title="A shop",
    language="en",
    population="nobody",
    instrument="written for this test",
    year=2026,
    license="CC0-1.0",
    source="written for this test",
    contributors=("a test",),
    constants={"subject": "you"},
    absent={
        "recipient": "it stays there",
        "transmission_principle": "none is stated",
    },
    factors={
        "sender": Factor(levels=("a shop", "a bnak")),
        "attribute": Factor(levels=("your name", "the time")),
    },
    practices={"keep": Practice("{sender} keeps your {attribute}")},
)


def _with(**fields: Any) -> ContextFile:
    return replace(PLAIN, **fields)


def _ratings(*values: Rating) -> ContextFile:
    question, source = "How acceptable?", "written for this test"
    return _with(ratings=Ratings(question=question, low=-2, high=2, source=source, values=values))


def test_corrections_are_made_in_the_text_and_not_in_the_levels() -> None:
    context = _with(corrections={"your your": "your", "bnak": "bank", "your the": "the"})
    rows = corrected_table(context).to_pylist()
    assert [row["vignette"] for row in rows] == [
        "a shop keeps your name",
        "a shop keeps the time",
        "a bank keeps your name",
        "a bank keeps the time",
    ]
    assert rows[2]["sender"] == "a bnak"
    assert [row["original_id"] for row in rows] == vignette_table(context)["item_id"].to_pylist()
    assert all(row["item_id"].startswith("shop_corrected-") for row in rows)


def test_what_a_correction_puts_in_is_not_corrected_again() -> None:
    # name → shop and shop → bank: were they made in turn, the name would end as a bank
    context = _with(corrections={"name": "shop", "a shop": "a bank"})
    texts = corrected_table(context)["vignette"].to_pylist()
    assert texts[0] == "a bank keeps your your shop"


@pytest.mark.parametrize(
    ("corrections", "told"),
    [
        ({"data brker": "data broker"}, "no vignette has 'data brker'"),
        ({"a bnak": "a shop"}, "the same text, 'a shop keeps your your name'"),
    ],
)
def test_a_correction_that_meets_nothing_or_makes_twins_is_refused(
    corrections: Mapping[str, str], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        corrected_table(_with(corrections=corrections))


@pytest.mark.parametrize("name", ["location", "public_records", "social_contract", "web"])
def test_the_corrected_variants_read_without_an_oddity(name: str) -> None:
    context = bundled_contexts()[name]
    original = vignette_table(context)["vignette"].to_pylist()
    corrected = corrected_table(context)["vignette"].to_pylist()
    assert len(corrected) == len(original)
    assert [text for text in corrected if list(find_oddities(text))] == []


def test_every_context_of_the_paper_has_anchors_of_either_sign() -> None:
    rows = anchor_table(bundled_contexts().values()).to_pylist()
    assert {(row["context"], row["expected"]) for row in rows} >= {
        (name, sign) for name in LLM_CI for sign in ("acceptable", "unacceptable")
    }
    assert len({row["item_id"] for row in rows}) == len(rows)
    assert not [row for row in rows if list(find_oddities(row["vignette"]))]


def test_a_rating_names_its_vignette_or_how_many_it_is_averaged_over() -> None:
    context = _ratings(
        Rating({"sender": "a shop", "attribute": "the time"}, 1.5, sd=0.5, n=40),
        Rating({"sender": "a shop"}, mean=0.25, practice="keep"),
    )
    one, two = rating_table(context).to_pylist()
    by_text = {row["vignette"]: row["item_id"] for row in vignette_table(context).to_pylist()}
    assert one["item_id"] == by_text["a shop keeps your the time"]
    assert (len(one["item_ids"]), one["mean"], one["sd"], one["n"]) == (1, 1.5, 0.5, 40)
    # a shop with either attribute
    assert (two["item_id"], len(two["item_ids"]), two["attribute"]) == (None, 2, None)
    assert (two["sd"], two["n"], two["practice"]) == (None, None, "keep")
    assert (one["low"], one["high"]) == (-2, 2)


def test_a_rating_of_an_excluded_combination_is_refused() -> None:
    levels = {"sender": "a shop", "attribute": "the time"}
    context = replace(_ratings(Rating(levels, mean=0)), exclusions=(levels,))
    with pytest.raises(ConfigError, match="1 of 1 ratings are of no vignette, such as that of"):
        rating_table(context)


def _errors(context: ContextFile) -> list[str]:
    return [each.message for each in find_problems(context) if not each.warning]


@pytest.mark.parametrize(
    ("rating", "told"),
    [
        (Rating({"sender": "a shop"}, mean=3), "3 is not on the scale of -2 to 2"),
        (Rating({"sender": "a shop"}, mean=float("nan")), "not on the scale"),
        (Rating({"sender": "a shpo"}, mean=0), "did you mean 'a shop'"),
        (Rating({"sendr": "a shop"}, mean=0), "did you mean 'sender'"),
        (Rating({}, mean=0, practice="kep"), "did you mean 'keep'"),
    ],
)
def test_a_rating_that_cannot_be_is_told(rating: Rating, told: str) -> None:
    (problem,) = _errors(_ratings(rating))
    assert told in problem


def test_a_rating_given_twice_is_told() -> None:
    twice = _ratings(Rating({"sender": "a shop"}, mean=0), Rating({"sender": "a shop"}, mean=1))
    (problem,) = _errors(twice)
    assert "one rating each" in problem
