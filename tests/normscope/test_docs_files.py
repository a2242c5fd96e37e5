"""The page on files of one's own: the columns and messages that it names are those there are."""

import re
from pathlib import Path

from normscope.languages import language_code
from normscope.pipeline.judge_file import KEPT
from normscope.records.answered import FAILED, ROLES

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")


def test_every_role_of_a_column_has_its_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.partition("## What is written")[0], re.MULTILINE)
    assert sorted(rows) == sorted((*ROLES, FAILED))


def test_the_names_of_a_language_that_it_gives_are_known() -> None:
    (cell,) = re.findall(r"^\| `language` \| a code, a tag or a name: (.*?) \|", PAGE, re.MULTILINE)
    names = re.findall(r"`(.*?)`", cell)
    assert len(names) == 5
    assert {language_code(name) for name in names} == {"en"}


def test_the_name_under_which_a_column_is_kept_is_told() -> None:
    assert f"`score{KEPT}`" in PAGE
