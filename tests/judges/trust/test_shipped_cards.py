"""The cards that come along are of the judge that comes along, as it is now."""

from pathlib import Path
from typing import Any

import pytest

from normscope.judges import bundled
from normscope.judges.engines import load
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.card import Card, read_card
from normscope.judges.trust.cards import SHIPPED, Use, find_cards
from normscope.records.model_spec import ModelSpec
from normscope.report.judge_caveats import summary

CARDS = sorted(SHIPPED.glob("*.json"))


@pytest.fixture(scope="module")
def identity() -> dict[str, Any]:
    return load(ModelSpec(bundled.NAME)).identity


@pytest.fixture(params=CARDS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    result: Path = request.param
    return result


@pytest.fixture
def card(path: Path) -> Card:
    return read_card(path)


def test_it_holds_for_the_bundled_judge_under_its_own_rubric(
    card: Card, identity: dict[str, Any]
) -> None:
    """If this fails, what decides the judge's answers has changed: make the cards anew.

    `normscope validate --judge bundled --labels NAME --source FOLDER --out judges/cards`
    """
    for language in card.languages:
        use = Use(identity, rubric(bundled.NAME).hash, card.rubric.criterion, language)
        assert [result.differences for result in find_cards([card], use)] == [()]


def test_it_says_that_another_part_of_its_set_was_learnt_from(
    card: Card, identity: dict[str, Any]
) -> None:
    assert identity["trained_on"]
    assert card.training.declared == tuple(identity["trained_on"])
    assert card.training.overlap == "other part"
    assert next(summary(card)).startswith("Another part of the set ")


def test_the_same_weights_are_read_alike_by_name_and_as_a_folder(
    identity: dict[str, Any],
) -> None:
    there = load(ModelSpec(str(bundled.path()))).identity
    assert {**there, "model": bundled.NAME} == identity
    assert identity["dtype"] == identity["checkpoint_dtype"] == "float32"
    halved = load(ModelSpec(bundled.NAME, dtype="bfloat16")).identity
    assert (halved["dtype"], halved["checkpoint_dtype"]) == ("bfloat16", "float32")
