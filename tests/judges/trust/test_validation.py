"""`normscope validate` from a file to a card, on a scripted judge."""

import os
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from normscope.cli.validate import validate
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.trust.card import Card, read_card
from normscope.judges.trust.cards import Use, differences
from normscope.report.judge_caveats import over_keywords
from normscope.report.trust.card import page
from normscope.report.writers import markdown
from normscope.table_writer import write_rows

PAGE = (Path(__file__).parents[3] / "docs" / "validate.md").read_text(encoding="utf-8")
GOLDEN = Path(__file__).with_name("card_golden.md")
MORAL = ("--criterion", "moral", "--map", "safe=1,unsafe=0")

Rows = list[dict[str, Any]]


def cards(folder: Path) -> dict[str, Card]:
    result = [read_card(path) for path in (folder / "cards").glob("*.json")]
    return {card.rubric.criterion: card for card in result}


def test_a_file_of_labels_becomes_a_card(make_card: Any, labels: Path, tmp_path: Path) -> None:
    done = make_card("--labels", labels, *MORAL)
    assert done.exit_code == 0, done.output
    card = cards(tmp_path)["moral"]
    # answers 4 and 22 are unsafe and called safe, 15 is safe and called unsafe, 7 is unscored
    assert card.overall.confusion.counts == ((10, 2), (1, 10))
    assert card.overall.unscored == {"low_coverage": 1}
    assert card.languages == ("en", "zh")
    assert [part.member for part in card.slices if part.group == "category"] == [
        "kind 0",
        "kind 1",
        "kind 2",
    ]
    assert (card.date, card.source.taken, card.overall.clusters) == ("2026-09-21", 24, 12)
    assert not list((tmp_path / "cards").glob(".*.work"))


def test_a_card_of_verdicts_in_text_names_its_channel_and_holds_for_no_other(
    make_card: Any, labels: Path, tmp_path: Path
) -> None:
    done = make_card("--labels", labels, *MORAL, "--set", "judge_channels=text")
    assert done.exit_code == 0, done.output
    card = cards(tmp_path)["moral"]
    assert card.overall.confusion.counts == ((10, 2), (1, 10))
    assert card.overall.unscored == {"unreadable_verdict": 1}
    assert card.settings["channel"] == "text"
    used = Use(card.judge.all, card.rubric.hash, "moral", "en", channel="text")
    assert differences(card, used) == ()
    (difference,) = differences(card, replace(used, channel="labels"))
    assert (difference.field, difference.card, difference.used) == ("channel", "text", "labels")


def test_the_page_is_the_golden_one(make_card: Any, labels: Path, tmp_path: Path) -> None:
    make_card("--labels", labels, *MORAL)
    card = cards(tmp_path)["moral"]
    problem = markdown.page(page(card))
    # what changes with every rubric and version
    problem = problem.replace(card.rubric.hash, "RUBRIC").replace(card.normscope, "VERSION")
    problem = problem.replace(f"cfsafety, version {card.rubric.version}", "cfsafety, version N")
    if "NORMSCOPE_WRITE_GOLDEN" in os.environ:
        GOLDEN.write_text(problem, encoding="utf-8")
    assert problem == GOLDEN.read_text(encoding="utf-8")


def test_a_stopped_command_goes_on_where_it_was(
    make_card: Any, script: Any, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer: Callable[[LabelRequest], LabelResult] = script.labels

    def stops(request: LabelRequest) -> LabelResult:
        if len(script.asked) == 10:
            raise KeyboardInterrupt
        return answer(request)

    monkeypatch.setattr(script, "labels", stops)
    done = make_card("--labels", labels, *MORAL, "--set", "unit_items=4")
    assert done.exit_code != 0
    assert list((tmp_path / "cards").glob(".*.work/journal.sqlite"))
    stopped = list(script.asked)
    monkeypatch.setattr(script, "labels", answer)
    assert make_card("--labels", labels, *MORAL, "--set", "unit_items=4").exit_code == 0
    # two whole units of four were kept, the third is done anew
    assert len(script.asked) - len(stopped) == 24 - 8
    resumed = cards(tmp_path)["moral"]
    for path in (tmp_path / "cards").glob("*"):
        path.unlink()
    make_card("--labels", labels, *MORAL, "--set", "unit_items=4")
    assert cards(tmp_path)["moral"] == resumed


def test_labels_the_wrong_way_round_are_no_praise_of_the_judge(
    make_card: Any, labels: Path, tmp_path: Path
) -> None:
    # of 12 + 11 answers it calls 10 and 10 as the labels say: κ and AUC are below chance
    done = make_card("--labels", labels, "--criterion", "moral", "--map", "safe=0,unsafe=1")
    assert done.exit_code == 0, done.output
    card = cards(tmp_path)["moral"]
    auc = card.overall.statistic("auc_harmful").estimate
    assert auc.high is not None
    assert auc.high < 0.5
    shown = " ".join(done.output.split())
    assert "The labels seem reversed: check which value stands for which label" in shown
    assert "etter than a list of keywords" not in shown
    assert over_keywords(card.overall)[0] is False


def test_a_public_set_is_judged_under_every_criterion_it_has_labels_for(
    make_card: Any, rows: Rows, tmp_path: Path
) -> None:
    path = tmp_path / "do-not-answer" / "human_all_5634.csv"
    path.parent.mkdir()
    harm = {"safe": 0, "unsafe": 1}
    kept = [
        {"question": row["question"], "response": row["response"], "harmful": harm[row["label"]]}
        for row in rows
    ]
    write_rows(path, [row | {"action": 5 * row["harmful"]} for row in kept])
    done = make_card("--labels", "do-not-answer", "--source", tmp_path)
    # nine of the scripted judge's refusals are ties
    assert done.exit_code == 3, done.output
    result = cards(tmp_path)
    assert sorted(result) == ["moral", "refusal"]
    assert result["moral"].source.benchmark == "do-not-answer"
    assert result["moral"].overall.confusion.counts == ((10, 2), (1, 10))
    assert "Six actions are not four degrees" in result["refusal"].source.notes[0]
    assert "Language zh: no evidence" in done.output


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        ([], 2, "needs people's labels: --labels FILE"),
        (
            ["--labels", "LABELS"],
            2,
            "'cfsafety' has several criteria: --criterion=moral|rating|refusal",
        ),
        (["--labels", "nowhere.csv", "--criterion", "moral"], 1, "nowhere.csv does not exist"),
        (["--labels", "LABELS", *MORAL, "--harmful", "0,1"], 2, "not all of 0, 1 can be harmful"),
        (
            ["--labels", "LABELS", *MORAL, "--set", "judge_channels=labels,text"],
            2,
            "labels, or text",
        ),
        (["--labels", "cvalue", "--source", "."], 2, "did you mean 'cvalues'"),
        (["--labels", "cvalues"], 2, "need --source"),
        (
            ["--labels", "cvalues", "--source", ".", "--criterion", "rating"],
            2,
            "it has them for moral",
        ),
    ],
)
def test_what_cannot_be_meant_is_told_with_the_remedy(
    make_card: Any, labels: Path, arguments: list[str], code: int, problem: str
) -> None:
    done = make_card(*(str(labels) if one == "LABELS" else one for one in arguments))
    error = done.exception
    shown = done.output if isinstance(error, SystemExit) else error.message
    assert problem in shown
    assert (done.exit_code if isinstance(error, SystemExit) else error.exit_code) == code


def test_the_file_and_the_command_of_the_page_make_a_card(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = re.findall(r"^    (question,response,label|How do I .*)$", PAGE, re.MULTILINE)
    command = re.search(r"^ +normscope (validate --judge \./judge .*\\\n.*)$", PAGE, re.MULTILINE)
    assert (len(lines), command is not None) == (3, True)
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def always_safe(_: LabelRequest) -> LabelResult:
        return LabelResult(logprobs=(-3.0, -0.1))

    monkeypatch.setattr(script, "labels", always_safe)
    words = shlex.split(command[1].replace("\\\n", " ")) if command else []
    done = CliRunner().invoke(validate, words[1:])
    assert done.exit_code == 0, done.output
    (path,) = Path("runs/cards").glob("*.json")
    assert read_card(path).overall.confusion.counts == ((0, 1), (0, 1))
