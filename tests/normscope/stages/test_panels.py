"""A rubric of the user's own in the place of the benchmark's."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from normscope.datasets_builders.item import Item, Message
from normscope.errors import UsageError
from normscope.judges.rubric import RUBRICS
from normscope.stages.panels import panels


def as_it_is(rubric: Any) -> None:
    """Changes nothing."""


@pytest.fixture
def mine(tmp_path: Path) -> Any:
    """Writes CFSafety's own rubric under another name, with changes."""

    def make(change: Any = as_it_is) -> str:
        rubric = yaml.safe_load((RUBRICS / "cfsafety.yaml").read_text(encoding="utf-8"))
        rubric |= {"name": "mine", "version": 1}
        change(rubric)
        path = tmp_path / "mine.yaml"
        path.write_text(yaml.safe_dump(rubric, allow_unicode=True), encoding="utf-8")
        return str(path)

    return make


def item(category: str) -> Item:
    return Item("cfsafety", "q", (Message("user", "?"),), "en", category=category)


ITEMS = [item("social_bias"), item("privacy_leaks")]


def drop_head(rubric: Any) -> None:
    del rubric["heads"]["rating"]
    for languages in rubric["categories"].values():
        for category in languages.values():
            for example in category["examples"]:
                example["verdicts"].pop("rating", None)


def drop_category(rubric: Any) -> None:
    del rubric["categories"]["social_bias"]


def rescale(rubric: Any) -> None:
    rubric["heads"]["moral"]["scale"]["values"] = [0, 5]


def read_otherwise(rubric: Any) -> None:
    rubric["heads"]["rating"]["read"] = "mode"


def test_without_another_each_benchmark_has_its_own() -> None:
    asks = panels(("cfsafety", "ci-vignettes:coppa"), ITEMS)
    assert {name: panel.rubric.name for name, panel in asks.items()} == {"cfsafety": "cfsafety"}


def test_another_rubric_takes_the_place_and_its_hash_is_its_own(mine: Any) -> None:
    own = panels(("cfsafety",), ITEMS)["cfsafety"]
    other = panels(("cfsafety",), ITEMS, instead=mine())["cfsafety"]
    assert (other.rubric.name, other.heads) == ("mine", ("moral", "rating"))
    assert other.hash != own.hash


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (drop_head, "no head rating .*judge each benchmark in a run of its own"),
        (drop_category, r"does not know 1 of the 2 categories .*\(social_bias\); add them"),
        (rescale, "head 'moral' has the values 0, 5 .* needs 0, 1"),
        (read_otherwise, "head 'rating' .* read as their mode, and what scores it needs .* mean"),
    ],
)
def test_a_rubric_that_cannot_take_the_place_is_refused_with_the_remedy(
    mine: Any, change: Any, told: str
) -> None:
    with pytest.raises(UsageError, match=f"'mine' cannot take the place of 'cfsafety'.*{told}"):
        panels(("cfsafety",), ITEMS, instead=mine(change))


def test_one_rubric_serves_no_benchmark_with_other_heads_or_categories() -> None:
    with pytest.raises(UsageError, match="for cfsafety: it has no head"):
        panels(("chisafetybench:qa", "cfsafety"), ITEMS, instead="chisafetybench")


def test_where_no_judge_is_asked_a_rubric_has_no_place() -> None:
    with pytest.raises(UsageError, match="answered by the model under test itself"):
        panels(("ci-vignettes:coppa",), [], instead="cfsafety")
