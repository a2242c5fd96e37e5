"""What a run's report says on its first screen of the judge: a card, or why there is none."""

import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.trust.card import Card, read_card
from normscope.judges.trust.cards import Known
from normscope.judges.trust.training_data import training_data
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.records.config import RunConfig
from normscope.records.folder import JUDGEMENTS, opened
from normscope.records.item import Item, Turn
from normscope.records.judgement import SCHEMA as COLUMNS
from normscope.records.model_spec import ModelSpec
from normscope.report.judge_card import CardLine, card_lines
from normscope.report.limits import limits_section
from normscope.report.writers import html

IDENTITY = {"engine": "fake", "model": "toy", "note": None}


@pytest.fixture
def card(make_card: Callable[..., Any], labels: Path, tmp_path: Path) -> Card:
    make_card("--labels", labels, "--criterion", "moral", "--map", "safe=1,unsafe=0")
    (path,) = (tmp_path / "cards").glob("*.json")
    return read_card(path)


def config(**other: Any) -> dict[str, Any]:
    provenance = {"judgements": {"judge": IDENTITY | other.pop("identity", {})}}
    return {"min_coverage": 0.5, "label_orders": "given", "provenance": provenance, **other}


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


def items(*languages: str) -> list[Item]:
    turns = (Turn("user", "?"),)
    return [Item("cfsafety", str(at), turns, language) for at, language in enumerate(languages)]


def one(card: Card | None, *, language: str = "en", **other: Any) -> CardLine:
    rubric_hash = other.pop("rubric_hash", card.rubric.hash if card else "ab" * 32)
    criterion = other.pop("criterion", "moral")
    table = judgements({"rubric_hash": rubric_hash, "criterion": criterion})
    known = Known(() if card is None else (card,))
    (line,) = card_lines(config(**other), table, items(language), known)
    return line


def test_a_judge_without_a_card_is_unknown() -> None:
    line = one(None)
    assert line.kind == "none"
    assert line.text == (
        "Judge toy, criterion moral in en, on cfsafety: no card, agreement with people is unknown."
    )


def test_chinese_degrees_name_the_way_to_labels() -> None:
    assert (
        "`normscope annotate` makes them from a run"
        in one(None, criterion="refusal", language="zh").text
    )


def test_a_card_that_holds_tells_the_agreement_of_the_language(card: Card) -> None:
    line = one(card)
    assert line.kind == "weak"
    kappa = card.part("language", "en")
    assert kappa is not None
    assert "agrees with people at κ 0.820" in line.text
    assert "measured on labels, 11 answers to 6 questions, 2026-09-21" in line.text
    assert "list of keywords" in line.text


def better_than_a_list(card: Card) -> Card:
    part = card.part("language", "en")
    assert part is not None
    gain = part.gains["keywords"][0]
    better = replace(gain, estimate=replace(gain.estimate, value=0.2, low=0.1, high=0.3))
    return replace(card, slices=(card.overall, replace(part, gains={"keywords": (better,)})))


def test_a_judge_that_beats_the_list_gives_no_warning(card: Card) -> None:
    line = one(better_than_a_list(card))
    assert (line.kind, line.warns) == ("holds", False)
    assert line.text.endswith("Better than a list of keywords: κ +0.200 [0.100, 0.300].")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"rubric_hash": "cd" * 32}, "rubric hash: card "),
        ({"identity": {"chat_template": "x"}}, "chat template: card none, this run x"),
        ({"language": "fr", "rubric_hash": "cd" * 32}, "language: card en, zh, this run another"),
        ({"label_orders": "both"}, "label orders: card given, this run both"),
    ],
)
def test_a_card_of_something_else_says_in_which_field(
    card: Card, other: dict[str, Any], told: str
) -> None:
    line = one(card, **other)
    assert (line.kind, line.warns) == ("differs", True)
    assert told in line.text
    assert line.text.endswith("agreement with people is unknown.")


def test_a_card_in_other_languages_is_none_in_this_one(card: Card) -> None:
    line = one(card, language="fr")
    assert (line.kind, line.warns) == ("none", True)
    assert "no card in this language (there is one in en, zh)" in line.text


def test_a_card_on_what_the_judge_was_trained_on_warns(card: Card) -> None:
    good = better_than_a_list(card)
    same = replace(good, training=training_data(["lab/Labels"], ["labels"]))
    other = replace(good, training=training_data(["labels:train"], ["labels:test"]))
    assert one(good).warns is False
    line = one(same)
    assert (line.kind, line.warns) == ("weak", True)
    assert "Contaminated: labels is among the judge's declared training data (lab/Labels)" in (
        line.text
    )
    line = one(other)
    assert (line.kind, line.warns) == ("holds", False)
    assert "Another part of the set labels is among" in line.text


def test_warnings_come_first_and_unreadable_cards_are_told(card: Card) -> None:
    table = judgements(
        {"rubric_hash": card.rubric.hash},
        {"rubric_hash": card.rubric.hash, "criterion": "rating"},
        {"rubric_hash": card.rubric.hash, "item_id": "1"},
        {"criterion": "acceptability", "source": "model_logits"},
    )
    known = Known((card,), ("old.json is a card of another format",))
    lines = card_lines(config(), table, items("en", "zh"), known)
    assert {line.kind for line in lines} == {"problem", "none", "weak"}
    assert lines[0].text == "A judge's card was passed by: old.json is a card of another format"
    assert [line.warns for line in lines] == sorted((line.warns for line in lines), reverse=True)
    assert not any("acceptability" in line.text for line in lines)


def test_a_run_without_a_judge_says_nothing() -> None:
    assert card_lines({"provenance": {}}, judgements(), [], Known(())) == ()


def test_the_partial_escapes_what_it_shows() -> None:
    lines = (CardLine("none", "Judge <b>x</b>: no card"), CardLine("holds", "agrees"))
    page = html.fragment([limits_section(lines, ())])
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert page.count('class="banner"') == 1


def test_a_run_is_told_whether_its_judge_has_a_card(
    card: Card, tmp_path: Path, small_source: Path
) -> None:
    def answer(request: LabelRequest) -> LabelResult:
        return LabelResult(logprobs=(math.log(0.4),) * len(request.scale.labels))

    def reply(_: TextRequest) -> TextResult:
        return TextResult("No.")

    asked = RunConfig(
        benchmark=("cfsafety",),
        model=ModelSpec("model"),
        judge=ModelSpec("toy"),
        source=str(small_source),
        unpinned=True,
        limit={"cfsafety": 20},
    )
    with opened(tmp_path / "run", create=True) as folder:
        respond(folder, asked, lambda spec: FakeEngine(answer, reply, name=spec.model))
        judge(folder, asked, lambda spec: FakeEngine(answer, reply, name=spec.model))
        lines = card_lines(
            asdict(folder.config),
            folder.table(JUDGEMENTS, made_by="judge"),
            folder.items(),
            Known((card,)),
        )
    # the small source's other questions are too short to be told for English
    assert [(line.kind, line.text.split(", on cfsafety: ")[0]) for line in lines] == [
        ("none", "Judge toy, criterion moral in it"),
        ("none", "Judge toy, criterion rating in it, zh"),
        ("weak", "Judge toy, criterion moral in zh"),
    ]
