"""The card as data: written, read back, found for a use, and no longer valid for another."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from normscope.errors import DataError
from normscope.files import write_json
from normscope.judges.rubric_files import RUBRICS, load_rubric
from normscope.judges.trust.card import Card, as_read_back, plain, read_card, write_card
from normscope.judges.trust.cards import CardMatch, Use, differences, find_cards, known_cards
from normscope.messages import translate

IDENTITY = {"engine": "fake", "model": "toy", "note": None}


def use(card: Card, **other: Any) -> Use:
    given = {"identity": IDENTITY, "rubric_hash": card.rubric.hash, "criterion": "moral"}
    return Use(**{**given, "language": "en", **other})


def only_match(card: Card, used: Use) -> CardMatch:
    (match,) = find_cards([card], used)
    return match


def test_a_card_comes_back_as_it_was_written(card: Card, tmp_path: Path) -> None:
    write_card(card, tmp_path / "again.json")
    again = read_card(tmp_path / "again.json")
    assert again == card
    method = again.overall.statistic("kappa").estimate.method
    assert translate(method, "zh").startswith("自助法（12 个聚类")
    assert as_read_back(card) == card
    assert json.loads((tmp_path / "again.json").read_text())["source"]["taken"] == 24


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda value: value.pop("judge"), "is no judge's card"),
        (lambda value: value.update(format=0), r"is damaged \(format: Input should be 1"),
        (lambda value: value.pop("slices"), r"is damaged \(slices: Field required"),
        (lambda value: value["rubric"].update(version="x"), r"is damaged \(rubric.version"),
    ],
)
def test_what_is_no_card_is_refused(
    card: Card, tmp_path: Path, change: Callable[[dict[str, Any]], Any], problem: str
) -> None:
    value = plain(card)
    change(value)
    write_json(tmp_path / "bad.json", value)
    with pytest.raises(DataError, match=problem):
        read_card(tmp_path / "bad.json")


def test_one_byte_of_the_rubric_invalidates_the_card(card: Card, tmp_path: Path) -> None:
    text = (RUBRICS / "cfsafety.yaml").read_text(encoding="utf-8")
    assert load_rubric(_saved(tmp_path, text)).hash == card.rubric.hash
    place = text.index("careful judge")
    changed = load_rubric(_saved(tmp_path, text[:place] + "C" + text[place + 1 :]))
    result = only_match(card, use(card, rubric_hash=changed.hash))
    (difference,) = result.differences
    assert difference.field == "rubric hash"
    assert (difference.card, difference.used) == (card.rubric.hash[:12], changed.hash[:12])


def _saved(folder: Path, text: str) -> Path:
    path = folder / "rubric.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("other", "field"),
    [
        ({"identity": IDENTITY | {"chat_template": "ab" * 32}}, "chat template"),
        ({"identity": IDENTITY | {"dtype": "bfloat16"}}, "dtype"),
        ({"identity": IDENTITY | {"quantisation": "awq"}}, "quantisation"),
        ({"identity": IDENTITY | {"revision": "cd" * 20}}, "revision"),
        ({"language": "fr"}, "language"),
        ({"label_orders": "both"}, "label orders"),
        ({"min_coverage": 0.1}, "min coverage"),
    ],
)
def test_the_field_that_differs_is_named(card: Card, other: dict[str, Any], field: str) -> None:
    result = only_match(card, use(card, **other))
    assert [difference.field for difference in result.differences] == [field]


def test_a_local_judge_is_known_by_its_files_and_not_by_its_name(card: Card) -> None:
    judge = replace(card.judge, content="ab" * 32)
    local = replace(card, judge=judge)
    moved = {"model": "elsewhere/toy", "content": "ab" * 32}
    assert not differences(local, use(local, identity=moved))
    changed = {"model": "toy", "content": "cd" * 32}
    assert [d.field for d in differences(local, use(local, identity=changed))] == ["content"]


def test_of_several_that_hold_the_one_with_most_answers_comes_first(card: Card) -> None:
    small = replace(card, slices=tuple(replace(part, n=2) for part in card.slices))
    outdated = replace(card, rubric=replace(card.rubric, hash="00"))
    result = find_cards([small, outdated, card], use(card))
    assert [one.card.overall.n for one in result] == [card.overall.n, 2]


def test_cards_are_found_in_folders_and_strangers_passed_by(card: Card, tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    write_card(card, shelf / "a.json")
    write_json(shelf / "settings.json", {"judge": "x"})
    (shelf / "torn.json").write_text("{")
    write_json(shelf / "old.json", plain(card) | {"format": 0})
    known = known_cards(shelf, shelf, tmp_path / "nowhere")
    shipped = known_cards(tmp_path / "nowhere").cards
    assert [one for one in known.cards if one not in shipped] == [card]
    assert len(known.problems) == 1
    assert "old.json is damaged (format: Input should be 1)" in known.problems[0]
