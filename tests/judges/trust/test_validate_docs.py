"""The page by which a stranger makes a card: its file and its command do what it says."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from normscope.cli.validate import validate
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.trust.card import read_card
from normscope.judges.trust.public_sets import label_set, label_sets
from normscope.judges.trust.slices import MOST_LEVELS
from normscope.metrics.calibration import BINS

PAGE = (Path(__file__).parents[3] / "docs" / "validate.md").read_text(encoding="utf-8")


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


def test_every_flag_of_the_page_is_one_of_the_command() -> None:
    known = {name for option in validate.params for name in option.opts}
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    assert told <= known


def test_every_public_set_is_in_the_table_with_its_criteria_and_splits() -> None:
    for name in label_sets():
        (row,) = re.findall(rf"^\| `{name}` \|.*$", PAGE, re.MULTILINE)
        chosen = label_set(name)
        assert all(word in row for word in (*chosen.criteria, *chosen.splits))


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    assert f"{BINS} bins of equal width" in PAGE
    assert f"the {MOST_LEVELS} largest" in PAGE
