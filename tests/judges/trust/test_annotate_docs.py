"""docs/annotate.md names verbs, flags, files and designs that there are."""

import re
from pathlib import Path

import click

from normscope.cli.annotate import annotate
from normscope.judges.trust.adjudication import LABELS, TIES
from normscope.judges.trust.key import FRAME, KEY, SHEETS
from normscope.metrics.rogan_gladen import MOST_CONDITION, RESAMPLES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "annotate.md").read_text(encoding="utf-8")


def test_every_command_of_the_page_is_one() -> None:
    told = re.findall(r"normscope annotate (\w+)(.*)", PAGE)
    assert {verb for verb, _ in told} >= set(annotate.commands)
    for verb, rest in told:
        command = annotate.commands[verb]
        known = {name for parameter in command.params for name in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest.partition("`")[0])) <= known


def test_every_flag_of_the_table_is_the_sample_s_or_the_import_s() -> None:
    flags = re.findall(r"^\| `(--[a-z]+)", PAGE, re.MULTILINE)
    commands: list[click.Command] = [annotate.commands["sample"], annotate.commands["import"]]
    known = {name for one in commands for parameter in one.params for name in parameter.opts}
    assert flags
    assert set(flags) <= known


def test_files_and_bounds_are_those_of_the_code() -> None:
    for name in (KEY, FRAME, f"{SHEETS}/", LABELS, TIES):
        assert f"| `{name}` |" in PAGE
    assert f"condition number is above {MOST_CONDITION:g}" in PAGE
    assert f"Each of {RESAMPLES:,} draws" in PAGE
