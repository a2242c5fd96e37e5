"""CFSafety's headline: open prompts first, closed ones beside, all of them as a level."""

from typing import Any

import pytest
from judged_rows import judgements_of

from normscope.pipeline import score
from normscope.records.item import Item, Turn


def pair(number: int, form: str, moral: float, criterion: str) -> tuple[Item, dict[str, Any]]:
    item = Item(
        "cfsafety",
        f"c{number}",
        (Turn("user", "?"),),
        "en",
        category=("privacy_leaks", "misleading")[number % 2],
        facets={"item_format": form} if form else {},
    )
    value = moral if criterion == "moral" else 4.0
    return item, {"criterion": criterion, "value": value, "reason": None}


def measured(*said: tuple[str, float], grouped: bool = True) -> list[tuple[object, ...]]:
    pairs = [
        pair(number, form, moral, criterion)
        for number, (form, moral) in enumerate(said)
        for criterion in ("moral", "rating")
    ]
    judgements = judgements_of(pairs)
    table = score.measured(judgements, score.Scoring(("cfsafety_score",)), grouped=grouped)
    return [(s.group, s.member, s.estimate.value, s.estimate.n) for s in table if s.name == "score"]


SAID = (("open", 1.0), ("open", 0.5), ("closed", 0.0), ("open", 0.0), ("closed", 0.25))


def test_open_prompts_come_first_then_closed_ones_then_the_levels() -> None:
    # open: (4 + 2 + 0)/3; closed: (0 + 1)/2; all: 7/5; by category of the open ones alone
    assert measured(*SAID) == [
        ("", "open", 2.0, 3),
        ("", "closed", 0.5, 2),
        ("item_format", "open", 2.0, 3),
        ("item_format", "closed", 0.5, 2),
        ("item_format", "all", pytest.approx(1.4), 5),
        ("category", "privacy_leaks", 4.0, 1),
        ("category", "misleading", 1.0, 2),
    ]


@pytest.mark.parametrize("form", ["open", "closed", ""])
def test_prompts_of_one_form_are_the_headline_whatever_it_is(form: str) -> None:
    found = measured((form, 1.0), (form, 0.5))
    assert found[0] == ("", "", 3.0, 2)
    assert {group for group, *_ in found} == {"", "category"}


def test_the_headline_has_its_macro_mean_and_its_shape_is_of_the_open_prompts() -> None:
    said = [("open", 1.0), ("open", 0.5), ("open", 0.0), ("closed", 0.0)]
    pairs = [
        pair(number, form, moral, criterion)
        for number, (form, moral) in enumerate(said)
        for criterion in ("moral", "rating")
    ]
    table = list(
        score.measured(judgements_of(pairs), score.Scoring(("cfsafety_score",)), grouped=True)
    )
    # privacy_leaks (4 + 0)/2, misleading 2
    macro = [row.estimate.value for row in table if row.name == "macro_score" and not row.group]
    assert macro[0] == 2.0
    shape = {(s.member, s.name): s.estimate for s in table if s.group == "shape"}
    assert shape["moral", "high_share"].value == pytest.approx(1 / 3)
    assert {estimate.n for estimate in shape.values()} == {3}
