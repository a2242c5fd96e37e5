"""What a run's report says on its first screen of the judge: a card, or why there is none."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from normscope.judges.trust.card import Card
from normscope.judges.trust.cards import KnownCards
from normscope.judges.trust.training_data import training_data
from normscope.records.item import Item, Turn
from normscope.records.items import Items
from normscope.records.judgement import SCHEMA as COLUMNS
from normscope.records.provenance import JudgementsProvenance, Provenance
from normscope.records.settings import Settings
from normscope.report.blocks import plain
from normscope.report.judge_caveats import card_caveats

IDENTITY = {"engine": "fake", "model": "toy", "note": None}


def config(**other: Any) -> Settings:
    judge = IDENTITY | other.pop("identity", {})
    return Settings(provenance=Provenance(judgements=JudgementsProvenance(judge=judge)), **other)


def judgements(*rows: dict[str, Any]) -> pa.Table:
    usual = {
        "benchmark": "cfsafety",
        "item_id": "0",
        "variant_id": "",
        "scale_order": "",
        "sample": 0,
        "model": "m",
        "criterion": "moral",
        "source": "judge_logits",
        "judge": "toy",
    }
    return pa.Table.from_pylist([usual | row for row in rows], schema=COLUMNS)


def items(*languages: str) -> Items:
    turns = (Turn("user", "?"),)
    return Items.of(
        Item("cfsafety", str(at), turns, language) for at, language in enumerate(languages)
    )


def shown(card: Card | None, *, language: str = "en", **other: Any) -> tuple[bool, str]:
    """Whether the one statement warns, and what it says."""
    rubric_hash = other.pop("rubric_hash", card.rubric.hash if card else "ab" * 32)
    criterion = other.pop("criterion", "moral")
    table = judgements({"rubric_hash": rubric_hash, "criterion": criterion})
    known = KnownCards(() if card is None else (card,))
    (caveat,) = card_caveats(config(**other), table, items(language), known)
    return caveat.warns, plain(caveat.text)


def test_a_judge_without_a_card_is_unknown() -> None:
    assert shown(None) == (
        True,
        "No card says how the judge toy agrees with people on moral.",
    )


def test_a_card_that_holds_tells_the_agreement_of_the_language(card: Card) -> None:
    warns, text = shown(card)
    assert warns
    assert text.startswith(
        "Judge toy, moral in en: on labels, 11 answers to 6 questions "
        "(2026-09-21) it agrees with people at κ 0.820"
    )
    assert "list of keywords" in text


def better_than_a_list(card: Card) -> Card:
    part = card.slice_of("language", "en")
    assert part is not None
    gain = part.gains["keywords"][0]
    better = replace(gain, estimate=replace(gain.estimate, value=0.2, low=0.1, high=0.3))
    return replace(card, slices=(card.overall, replace(part, gains={"keywords": (better,)})))


def test_a_judge_that_beats_the_list_gives_no_warning(card: Card) -> None:
    warns, text = shown(better_than_a_list(card))
    assert not warns
    assert text.endswith("Better than a list of keywords: κ +0.200 [0.100, 0.300].")


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ({"rubric_hash": "cd" * 32}, "rubric hash: card "),
        ({"identity": {"chat_template": "x"}}, "chat template: card none, this run x"),
        ({"language": "fr", "rubric_hash": "cd" * 32}, "language: card en, zh, this run another"),
        ({"label_orders": "both"}, "label orders: card given, this run both"),
    ],
)
def test_a_card_of_something_else_says_in_which_field(
    card: Card, other: dict[str, Any], problem: str
) -> None:
    warns, text = shown(card, **other)
    assert warns
    assert "the card does not hold here" in text
    assert problem in text
    assert text.endswith("agreement with people is unknown.")


def test_languages_that_no_card_is_of_are_named_once(card: Card) -> None:
    rows = [{"rubric_hash": card.rubric.hash, "item_id": str(at)} for at in range(2)]
    table, known = judgements(*rows), KnownCards((card,))
    (caveat,) = card_caveats(config(), table, items("fr", "sw"), known)
    assert plain(caveat.text) == (
        "No card says how the judge toy agrees with people in these languages: fr, sw."
    )


def test_a_card_on_what_the_judge_was_trained_on_warns(card: Card) -> None:
    good = better_than_a_list(card)
    same = replace(good, training=training_data(["lab/Labels"], ["labels"]))
    other = replace(good, training=training_data(["labels:train"], ["labels:test"]))
    assert shown(good)[0] is False
    warns, text = shown(same)
    assert warns
    assert "Contaminated: labels is among the judge's declared training data (lab/Labels)" in text
    warns, text = shown(other)
    assert not warns
    assert "Another part of the set labels is among" in text


def test_warnings_come_first_and_unreadable_cards_are_told(card: Card) -> None:
    table = judgements(
        {"rubric_hash": card.rubric.hash},
        {"rubric_hash": card.rubric.hash, "criterion": "rating"},
        {"rubric_hash": card.rubric.hash, "item_id": "1"},
        {"criterion": "acceptability", "source": "model_logits"},
    )
    known = KnownCards((card,), ("old.json is a card of another format",))
    lines = card_caveats(config(), table, items("en", "zh"), known)
    texts = [plain(line.text) for line in lines]
    assert texts[0] == "A judge's card was passed by: old.json is a card of another format"
    for of_kind in ("No card", "it agrees with people at"):
        assert any(of_kind in text for text in texts)
    assert [line.warns for line in lines] == sorted((line.warns for line in lines), reverse=True)
    assert not any("acceptability" in text for text in texts)
