"""How corrections look in the terminal and in a report."""

from dataclasses import replace

import pytest
from rich.console import Console
from shown_pages import lines, within

from normscope.judges.trust.corrections import Corrected, Correction
from normscope.metrics.estimate import Estimate
from normscope.report.blocks import Table
from normscope.report.corrected import corrected_blocks
from normscope.report.writers import html, terminal


def estimate(value: float, low: float, high: float, target: str = "these items") -> Estimate:
    return Estimate(value, low, high, 200, 0, value, value, target, "method")  # type: ignore[arg-type]


HR = Corrected(
    name="hr",
    unit="rate",
    raw=estimate(0.234, 0.2, 0.27),
    these=estimate(0.345, 0.294, 0.396),
    new=estimate(0.345, 0.282, 0.407, "new items of the kind"),
    rectifier=0.111,
    tuning=1.0,
    labelled=200,
    judged=573,
    rows=600,
)


def correction(*rows: Corrected) -> Correction:
    return Correction(
        method="prediction-powered inference",
        benchmark="<b>set</b>",
        judge="judge & co",
        basis="200 answers",
        judgements="x",
        rows=rows,
        caveats=("People <i>agree</i>.",),
    )


def row_of(row: Corrected) -> tuple[str, ...]:
    """The numbers of the row as the table of its correction has them."""
    (table,) = within(tuple(corrected_blocks([correction(row)])), Table)
    return tuple(lines(table)[0][1:])


def test_rates_are_percent_and_what_is_added_percentage_points() -> None:
    texts = ("23.4 %", "34.5 %", "[29.4, 39.6] %", "[28.2, 40.7] %", "+11.1 pp", "200", "573")
    assert row_of(HR) == texts


@pytest.mark.parametrize(
    ("added", "tuning", "unit", "text"),
    [
        (-0.02, 1.0, "rate", "−2.00 pp"),
        (0.5, 0.25, "score", "+0.500 (λ 0.250)"),
    ],
)
def test_the_rectifier_tells_its_factor(added: float, tuning: float, unit: str, text: str) -> None:
    row = replace(HR, rectifier=added, tuning=tuning, unit=unit)  # type: ignore[arg-type]
    assert row_of(row)[4] == text


def test_the_terminal_shows_the_overall_numbers_and_every_note() -> None:
    level = replace(HR, group="language", member="zh")
    console = Console(width=140, record=True)
    terminal.show_blocks(corrected_blocks([correction(HR, level)]), console)
    text = console.export_text()
    assert text.count("HR") == 1
    assert "People <i>agree</i>." in text


def test_the_section_escapes_what_it_shows_and_has_the_groups_apart() -> None:
    level = replace(HR, group="language", member="zh")
    blocks = tuple(corrected_blocks([correction(HR, level)], stale=1))
    overall, by_group = within(blocks, Table)
    assert [row[0] for row in lines(overall)] == ["HR"]
    assert by_group.columns[0].title == "language"
    assert [row[0] for row in lines(by_group)] == ["zh"]
    page = html.fragment(blocks)
    assert "<b>set</b>" not in page
    assert "&lt;b&gt;set&lt;/b&gt;" in page
    assert "judge &amp; co" in page
    assert "People &lt;i&gt;agree&lt;/i&gt;." in page
    assert "no longer there" in page


def test_a_run_without_corrections_has_no_section() -> None:
    assert list(corrected_blocks([])) == []
