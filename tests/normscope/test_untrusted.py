"""Text of others in a terminal: a note with markup in it is shown, not obeyed."""

import io
from types import SimpleNamespace
from typing import cast

import pytest
from rich.console import Console

from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.scores import ScoreTable
from normscope.records.provenance import JudgementsProvenance, Provenance
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.report.blocks import Bullets, Page, Table, columns
from normscope.report.write import show
from normscope.report.writers.terminal import show as show_page
from normscope.untrusted import guarded, inert

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
    row = Statistic(f"rr1 {HOSTILE}", "rate", estimate)
    scores = ScoreTable.of([row], benchmark=f"toy {HOSTILE}")
    data = SimpleNamespace(scores=scores, counted={})
    monkeypatch.setattr("normscope.report.write.data_of", lambda _: data)
    monkeypatch.setattr("normscope.report.write.sentence", lambda *_: HOSTILE)
    monkeypatch.setattr("normscope.report.write.wholly_unscored", lambda *_: ())
    judged = JudgementsProvenance(judge={"model": "toy", "note": HOSTILE})
    config = Settings(provenance=Provenance(judgements=judged))
    run = SimpleNamespace(config=config, table=lambda *_, **__: None)
    console = screen()
    show(cast("Run", run), console)
    assert_shown(said(console))


def test_what_a_check_says_is_printed_as_it_is() -> None:
    console = screen()
    table = Table(columns(HOSTILE, "n"), ((HOSTILE, "1"),), title=HOSTILE)
    show_page(Page(HOSTILE, (Bullets((HOSTILE,)), table)), console)
    assert_shown(said(console))


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


def test_a_cell_is_no_longer_than_a_spreadsheet_takes_and_keeps_both_ends() -> None:
    cell = guarded("a" * 50_000 + "b" * 50_000)
    assert len(cell) < 32_767
    assert cell.startswith("a" * 14_000)
    assert cell.endswith("b" * 14_000)
    assert "72,000 characters" in cell
