import time

import pytest
from llm_ci import LLM_CI

from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.context_file import (
    PARAMETERS,
    ContextFile,
    Factor,
    Practice,
)
from normscope.builders.ci_vignettes.vignettes import vignette_table
from normscope.errors import ConfigError


def _context(
    factors: dict[str, Factor],
    *practices: Practice,
    exclusions: tuple[dict[str, str], ...] = (),
) -> ContextFile:
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
        exclusions=exclusions,
    )


BASKET = {
    "fruit": Factor(levels=("apple", "plum")),
    "kind": Factor(tied_to="fruit", levels_for={"apple": ("red", "green"), "plum": ("blue",)}),
    "size": Factor(levels=("big", "small")),
}


def test_the_last_factor_changes_fastest_and_tied_levels_go_with_their_own() -> None:
    texts = vignette_table(_context(BASKET, Practice("a {size} {kind} {fruit}")))["vignette"]
    assert texts.to_pylist() == [
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
    assert vignette_table(context)["vignette"].to_pylist() == [
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
    table = vignette_table(_context(factors, Practice("{fruit} {size}")))
    assert table["vignette"].to_pylist() == ["{size} big"]


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
