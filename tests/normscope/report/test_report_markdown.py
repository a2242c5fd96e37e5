"""The report as Markdown: whole tables, no answers, and no markup from anybody else."""

import re

import pytest
from report_runs import large_run, small_run

from normscope.report import LANGUAGES, Language, render

INJECTION = "x|y <img src=//evil> [a](javascript:b) `c` **d** https://e @f # g ![h](i)\n# j"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_of_a_table_has_as_many_cells_as_its_criterion(language: Language) -> None:
    for run in (small_run(), small_run(INJECTION), large_run(vignettes=24, answers=20)):
        width = 0
        for line in render(run, language, form="md").splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line))
            if line.startswith("|"):
                width = width or cells
                assert cells == width, line
            else:
                width = 0


def test_hostile_names_are_neither_tags_nor_links_nor_headings() -> None:
    told = render(small_run(INJECTION), form="md")
    # in code, nothing is markup
    plain = re.sub(r"`[^`]*`", "", re.sub(r"\\.", "", told))
    rest = "\n".join(line for line in plain.splitlines() if not line.startswith("    "))
    assert "<" not in rest
    assert "](" not in rest
    assert "https://" not in rest
    assert "\n# j" not in rest


def test_no_answer_stands_in_it() -> None:
    told = render(small_run(), form="md")
    assert "answer plain" not in told
    assert "2.34" in told


def test_it_ends_with_one_newline_and_has_no_holes() -> None:
    told = render(small_run(), form="md")
    assert told.endswith("\n")
    assert not told.endswith("\n\n")
    assert "\n\n\n" not in told
