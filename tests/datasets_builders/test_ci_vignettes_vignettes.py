"""The tables of a context: the product, corrections, anchors, people's ratings."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from llm_ci import LLM_CI

from normscope.builders.ci_vignettes.check import find_problems
from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.context_file import (
    PARAMETERS,
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


def _context(factors: Mapping[str, Factor], *practices: Practice, **fields: Any) -> ContextFile:
    return ContextFile(
        name="example",
        title="An example",
        language="en",
        population="nobody",
        instrument="written for this test",
        year=2026,
        license="CC0-1.0",
        source="written for this test",
        contributors=("a test",),
        factors=factors,
        practices={f"p{number}": practice for number, practice in enumerate(practices)},
        absent={name: "not in this test" for name in PARAMETERS if name not in factors},
        **fields,
    )


def _texts(context: ContextFile) -> list[str]:
    texts: list[str] = vignette_table(context)["vignette"].to_pylist()
    return texts


BASKET = {
    "fruit": Factor(levels=("apple", "plum")),
    "kind": Factor(tied_to="fruit", levels_for={"apple": ("red", "green"), "plum": ("blue",)}),
    "size": Factor(levels=("big", "small")),
}


def test_the_last_factor_changes_fastest_and_tied_levels_go_with_their_own() -> None:
    assert _texts(_context(BASKET, Practice("a {size} {kind} {fruit}"))) == [
        "a big red apple",
        "a small red apple",
        "a big green apple",
        "a small green apple",
        "a big blue plum",
        "a small blue plum",
    ]


def test_excluded_combinations_are_left_out() -> None:
    context = _context(
        BASKET,
        Practice("a {size} {kind} {fruit}"),
        exclusions=({"size": "big", "fruit": "plum"}, {"kind": "red"}),
    )
    assert _texts(context) == [
        "a big green apple",
        "a small green apple",
        "a small blue plum",
    ]


def test_exclusions_that_leave_nothing_are_refused() -> None:
    out = ({"fruit": "apple"}, {"fruit": "plum"})
    with pytest.raises(ConfigError, match="exclusions leave nothing of 'p0'"):
        vignette_table(_context({"fruit": BASKET["fruit"]}, Practice("{fruit}"), exclusions=out))


def test_what_a_practice_lacks_is_null_and_what_it_holds_constant_is_told() -> None:
    factors = {"sender": Factor(levels=("a clerk",)), "place": Factor(levels=("here",))}
    context = _context(
        factors,
        Practice("{sender} speaks {place}"),
        Practice("{sender} writes", constants={"recipient": "a reader"}),
    )
    rows = vignette_table(context).select(["sender", "recipient", "subject", "place"]).to_pylist()
    assert rows == [
        {"sender": "a clerk", "recipient": None, "subject": None, "place": "here"},
        {"sender": "a clerk", "recipient": "a reader", "subject": None, "place": None},
    ]


def test_a_level_is_never_scanned_for_slots() -> None:
    factors = {"fruit": Factor(levels=("{size}",)), "size": Factor(levels=("big",))}
    assert _texts(_context(factors, Practice("{fruit} {size}"))) == ["{size} big"]


def test_two_combinations_with_one_text_are_refused() -> None:
    factors = {"one": Factor(levels=("a", "a b")), "two": Factor(levels=("c", "b c"))}
    with pytest.raises(ConfigError, match="the same text, 'a b c'"):
        vignette_table(_context(factors, Practice("{one} {two}")))


def test_ids_are_unique_over_all_contexts() -> None:
    ids = {
        name: [
            row
            for null in (False, True)[: 1 + context.has_null_control]
            for row in vignette_table(context, null_control=null)["item_id"].to_pylist()
        ]
        for name, context in bundled_contexts().items()
    }
    # 15,328 vignettes and 696 null controls
    assert sum(len(ids[name]) for name in LLM_CI) == 16_024
    every = [row for rows in ids.values() for row in rows]
    assert len(set(every)) == len(every)


def test_ids_stay_when_levels_and_practices_are_added() -> None:
    before = _context(BASKET, Practice("a {size} {kind} {fruit}"))
    size = Factor(levels=("huge", *BASKET["size"].levels))
    after = _context(
        {**BASKET, "size": size}, Practice("{fruit}!"), Practice("a {size} {kind} {fruit}")
    )
    ids = {
        name: set(vignette_table(c)["item_id"].to_pylist())
        for name, c in [("b", before), ("a", after)]
    }
    assert ids["b"] < ids["a"]


def test_a_billion_vignettes_by_ties_are_refused_before_they_are_made() -> None:
    # a chain of ties in which every level leads to both levels of the next factor: 2 to the 30th
    levels = ("a", "b")
    factors = {"f0": Factor(levels=levels)}
    for n in range(1, 30):
        factors[f"f{n}"] = Factor(tied_to=f"f{n - 1}", levels_for=dict.fromkeys(levels, levels))
    context = _context(factors, Practice(" ".join(f"{{{name}}}" for name in factors)))
    started = time.perf_counter()
    with pytest.raises(ConfigError, match="more than 50,000 vignettes"):
        vignette_table(context)
    assert time.perf_counter() - started < 1


SHOP = _context(
    {
        "sender": Factor(levels=("a shop", "a bnak")),
        "attribute": Factor(levels=("your name", "the time")),
    },
    Practice("{sender} keeps your {attribute}"),
)


def _ratings(*values: Rating) -> ContextFile:
    question, source = "How acceptable?", "written for this test"
    return replace(
        SHOP, ratings=Ratings(question=question, low=-2, high=2, source=source, values=values)
    )


def test_corrections_are_made_in_the_text_and_not_in_the_levels() -> None:
    context = replace(SHOP, corrections={"your your": "your", "bnak": "bank", "your the": "the"})
    rows = corrected_table(context).to_pylist()
    assert [row["vignette"] for row in rows] == [
        "a shop keeps your name",
        "a shop keeps the time",
        "a bank keeps your name",
        "a bank keeps the time",
    ]
    assert rows[2]["sender"] == "a bnak"
    assert [row["original_id"] for row in rows] == vignette_table(context)["item_id"].to_pylist()
    assert all(row["item_id"].startswith("example_corrected-") for row in rows)


def test_what_a_correction_puts_in_is_not_corrected_again() -> None:
    # name → shop and shop → bank: were they made in turn, the name would end as a bank
    context = replace(SHOP, corrections={"name": "shop", "a shop": "a bank"})
    assert corrected_table(context)["vignette"][0].as_py() == "a bank keeps your your shop"


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
        corrected_table(replace(SHOP, corrections=corrections))


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
        Rating({"sender": "a shop"}, mean=0.25, practice="p0"),
    )
    one, two = rating_table(context).to_pylist()
    by_text = {row["vignette"]: row["item_id"] for row in vignette_table(context).to_pylist()}
    assert one["item_id"] == by_text["a shop keeps your the time"]
    assert (len(one["item_ids"]), one["mean"], one["sd"], one["n"]) == (1, 1.5, 0.5, 40)
    # a shop with either attribute
    assert (two["item_id"], len(two["item_ids"]), two["attribute"]) == (None, 2, None)
    assert (two["sd"], two["n"], two["practice"]) == (None, None, "p0")
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
        (Rating({}, mean=0, practice="p"), "did you mean 'p0'"),
    ],
)
def test_a_rating_that_cannot_be_is_told(rating: Rating, told: str) -> None:
    (problem,) = _errors(_ratings(rating))
    assert told in problem


def test_a_rating_given_twice_is_told() -> None:
    twice = _ratings(Rating({"sender": "a shop"}, mean=0), Rating({"sender": "a shop"}, mean=1))
    (problem,) = _errors(twice)
    assert "one rating each" in problem
