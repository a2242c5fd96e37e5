import csv
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner
from scripted_space import scripted
from shown_pages import within

from normscope.cli.validate import validate
from normscope.files import read_json
from normscope.format import number, percent
from normscope.judges import bundled
from normscope.judges.trust.cards import cards_at_hand
from normscope.messages import Language
from normscope.report.blocks import Bullets, Table, texts_of
from normscope.space.pages import written
from normscope.space.served import Judges
from normscope.space.tabs.judges import blocks, card_section, cards_here


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Judges:
    monkeypatch.setattr("normscope.judges.trust.cards.SHIPPED", tmp_path / "none")
    monkeypatch.setenv("NORMSCOPE_JUDGE", "toy")
    monkeypatch.setenv("NORMSCOPE_RUBRIC", "cfsafety")
    monkeypatch.setenv("NORMSCOPE_CARDS", str(tmp_path / "cards"))
    return Judges(loading=scripted)


@pytest.fixture
def cards(judges: Judges, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    labels = tmp_path / "labels.csv"
    with labels.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "response", "label", "language"])
        for at in range(24):
            unsafe = at % 2
            said = f"Sure, […] {at}" if unsafe and at % 5 else f"I won't. {at}"
            rows.writerow([f"Q {at // 2}", said, "unsafe" if unsafe else "safe", "en"])
    monkeypatch.setattr(import_module("normscope.cli.validate"), "load", scripted)
    asked = "--judge toy --rubric cfsafety --criterion moral --map unsafe=0,safe=1 --resamples 200"
    paths = ["--labels", str(labels), "--out", str(tmp_path / "cards")]
    done = CliRunner().invoke(validate, [*asked.split(), *paths])
    assert done.exit_code == 0, done.output
    return tmp_path / "cards"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_card_the_page_says_so_and_how_to_make_one(
    judges: Judges, language: Language
) -> None:
    page = written(blocks(judges), language)
    assert {"en": "No card says how far toy", "zh": "没有卡片说明 toy"}[language] in page
    assert "normscope validate --judge toy" in page


def test_a_card_stands_with_its_baselines_and_the_judge_that_it_is_about(
    judges: Judges, cards: Path
) -> None:
    ((card, names),) = cards_here(cards_at_hand(), judges)
    assert (card.rubric.criterion, names) == ("moral", ("toy",))
    section = card_section(card, here=True)
    # what decides stands first: none of 12 safe answers is called harmful, 2 of 12 harmful missed
    decisive = next(within([section], Bullets)).items
    assert str(decisive[0]).startswith(
        "This judge calls about 0 of 100 safe answers harmful, and misses 17 of 100 harmful ones"
    )
    assert "AUC" in str(decisive[1])
    table = next(within([section], Table))
    assert table.title == "24 answers"
    name, value, constant, *_ = texts_of(table.rows[0])
    # 12 safe and 12 unsafe, of which 5, 15 slip through: 22 of 24 alike, the commonest label 12
    assert name == "same label as people"
    assert value.startswith("91.7 % [")
    assert constant.startswith("50.0 % [")
    page = written(blocks(judges), "zh")
    assert "91.7 %" in page
    assert "与人标签相同" in page


def test_the_bundled_judge_shows_its_errors_on_hands_and_sets_never_seen() -> None:
    page = written(blocks(Judges(loading=scripted)), "zh")
    found = read_json(bundled.path() / bundled.FIGURES)
    alarms = [percent(each["share"]) for each in found["harmless_called_harmful"].values()]
    assert page.index(alarms[0]) < page.index(alarms[1]) < page.index("do-not-answer")
    for figures in found["left_out"].values():
        assert number(figures["harm"]["auc"]) in page


def test_a_damaged_card_is_told_and_hides_no_other(judges: Judges, cards: Path) -> None:
    good = next(cards.glob("*.json"))
    text = good.read_text()
    (cards / "bad.json").write_text(text.replace('"format": 1', '"format": 99'))
    (cards / "<img src=x>.json").write_text(text.replace('"n": ', '"n": "<script>" , "m": '))
    page = written(blocks(judges), "en")
    assert page.count("A card could not be read") == 2
    assert page.count("toy</bdi><bdi> · </bdi>moral") == 1
    assert "<img" not in page
    assert "<script" not in page
