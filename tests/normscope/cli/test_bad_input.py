"""A mistake in a file of one's own: its line and the remedy, and the run is as it was."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from finished_runs import finished_run
from undrawn import no_charts

from normscope.cli import cli
from normscope.errors import UsageError
from normscope.files import hash_file
from normscope.records.integrity import is_whole

CONTEXT = """\
name: library
title: A library and its readers
language: en
population: readers of public libraries in Europe
instrument: written for a test
year: 2026
license: CC-BY-4.0
source: written for a test
contributors: [A. Reader]
constants:
  subject: a reader
factors:
  sender: {levels: [a lending library, a bookshop]}
  attribute: {levels: [the titles that a reader borrowed, the days on which a reader came]}
  recipient: {levels: [a school, a publisher]}
  transmission_principle: {levels: [if the reader agreed, if the reader is told]}
practices:
  library:
    template: >-
      {sender} sends {attribute} to {recipient} under the condition: {transmission_principle}
ratings:
  question: How acceptable is this flow?
  low: 1
  high: 5
  source: written for a test
  file: people.csv
  answers: {"no": 1, "yes": 5}
"""
PROMPTS = """\
source: written for a test
variants:
  kindly: "Kindly say how acceptable this is: {scenario}. {likert_scale}"
"""
PEOPLE = "sender,answer\na lending library,yes\na bookshop,no\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with no_charts():
        path: Path = finished_run(tmp_path_factory.mktemp("runs") / "run")
    return path


MISTAKES = {
    "no scenario": (
        ("mine.yaml", ": {scenario}", ""),
        "mine.yaml:3: variants.kindly: it needs {scenario} and {likert_scale}, each once",
    ),
    "no list": (
        ("library.yaml", "[a school, a publisher]", "a school"),
        "library.yaml:15: ",
    ),
    "no column": (
        ("people.csv", "sender", "place"),
        "library.yaml:26: ratings.file: people.csv needs a row p",
    ),
    "no vignette": (
        ("people.csv", "a bookshop", "a kiosk"),
        (
            "library.yaml:26: ratings.file: people.csv, row 2: 'a kiosk' is no level of sender; "
            "known: a lending library, a bookshop"
        ),
    ),
    "no variant": (
        ("mine.yaml", "kindly:", "rudely:"),
        "ci-vignettes:library has no prompt variant 'kindly'; it has rudely",
    ),
}
"""What is written otherwise in which file, and what is said of it."""


@pytest.mark.parametrize(("change", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_with_its_line_and_costs_nothing(
    tmp_path: Path, run: Path, change: tuple[str, str, str], message: str
) -> None:
    for name, text in {"library.yaml": CONTEXT, "mine.yaml": PROMPTS, "people.csv": PEOPLE}.items():
        changed = text.replace(*change[1:]) if name == change[0] else text
        (tmp_path / name).write_text(changed, encoding="utf-8")
    before = hashes(run)
    files = ("--context", tmp_path / "library.yaml", "--prompts", tmp_path / "mine.yaml")
    told = ("-b", "ci-vignettes:library", *files, "--variants", "kindly", "--model", "m")
    done = CliRunner().invoke(cli, list(map(str, ("run", *told, "--out", run))))
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)
    assert hashes(run) == before
    assert is_whole(run)


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hash_file(path) for path in folder.iterdir() if path.is_file()}
