"""Text of others in a terminal: a note with markup in it is shown, not obeyed."""

import io
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from plain_runs import judged_run
from rich.console import Console

from normscope.comparison import compare
from normscope.comparison.by import compare_by
from normscope.metrics.estimate import Estimate, Statistic
from normscope.records.config import RunConfig
from normscope.records.folder import RunFolder
from normscope.records.provenance import JudgementsProvenance, Provenance
from normscope.report.blocks import Bullets, Page, Table, columns
from normscope.report.comparison.page import comparison_page, groups_page
from normscope.report.write import show
from normscope.report.writers.terminal import show as show_page
from normscope.untrusted import guarded, inert, printed, visible

HOSTILE = (
    "x [/bold] [red] [link=https://evil.example]y[/link] \\[z] \x1b]8;;https://evil.example\x07"
)


def screen() -> Console:
    return Console(file=io.StringIO(), width=400, force_terminal=True)


def said(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def assert_shown(text: str) -> None:
    assert "[/bold]" in text
    assert "]8;;https://evil.example\x07" not in text
    assert "\\u{1b}]8;;" in text


def test_a_note_of_a_model_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    estimate = Estimate(0.5, 0.25, 0.75, 10, 0, 0.5, 0.5, "these items", "exact")
    scores = {f"toy {HOSTILE}": (Statistic(f"rr1 {HOSTILE}", "rate", estimate),)}
    monkeypatch.setattr("normscope.report.write.read_scores", lambda _: scores)
    monkeypatch.setattr("normscope.report.write.wholly_unscored", lambda *_: ())
    judged = JudgementsProvenance(judge={"model": "toy", "note": HOSTILE})
    config = RunConfig(provenance=Provenance(judgements=judged))
    run = SimpleNamespace(config=config, table=lambda *_, **__: None)
    console = screen()
    show(cast("RunFolder", run), console)
    assert_shown(said(console))


def test_names_of_runs_are_printed_as_they_are() -> None:
    values = {"refusal": [3.0, 0.0, 3.0, 1.0] * 5}
    runs = []
    for level in ("7B", "13B"):
        one = judged_run(f"{level} {HOSTILE}", f"toy {HOSTILE}", values)
        attributes = {"capacity": f"{level} {HOSTILE}"}
        runs.append(replace(one, config=replace(one.config, attributes=attributes)))
    console = screen()
    show_page(comparison_page(compare(runs)), console)
    assert_shown(said(console))
    console = screen()
    show_page(groups_page(compare_by(runs, "capacity")), console)
    assert_shown(said(console))


def test_what_a_check_says_is_printed_as_it_is() -> None:
    console = screen()
    table = Table(columns(HOSTILE, "n"), ((HOSTILE, "1"),), title=HOSTILE)
    show_page(Page(HOSTILE, (Bullets((HOSTILE,)), table)), console)
    assert_shown(said(console))


def test_half_a_character_is_shown_by_its_code_point() -> None:
    assert visible("a\ud800b") == "a\\u{d800}b"
    assert printed("[b]a\ud800") == "\\[b]a\\u{d800}"
    visible("".join(map(chr, range(0x110000)))).encode()


FORMULAS = [
    *("=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\t=1", " =1", "\r=1", "\ufeff=1", "\ufeff =1"),
    *("\u3000=1", "\n=1"),
    *("＝1+1", "＋1", "－1", "＠SUM(1)", "﹦1", "﹢1", "﹣1", "﹫SUM(1)"),
    *("\u200b=1", "\u2060＝1", "\u00ad=1", "\u202e=1"),
]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_can_be_run_as_a_formula(text: str) -> None:
    assert inert(text) == f"'{text}"
    assert guarded(text).startswith("'")


@pytest.mark.parametrize("text", ["B", "选B", "1 = 1", "", "a\nb", "'quoted'"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert inert(text) == guarded(text) == text


def test_a_cell_is_no_longer_than_a_spreadsheet_takes_and_keeps_both_ends() -> None:
    cell = guarded("a" * 50_000 + "b" * 50_000)
    assert len(cell) < 32_767
    assert cell.startswith("a" * 14_000)
    assert cell.endswith("b" * 14_000)
    assert "72,000 characters" in cell


def test_what_no_spreadsheet_can_hold_is_taken_out() -> None:
    assert guarded("a\x00b\x1bc\ud800") == "a b c?"
