"""How corrections look in the terminal and in a report."""

from dataclasses import replace

from shown_pages import lines, within

from normscope.judges.trust.corrections import Corrected, Correction
from normscope.metrics.estimate import Estimate
from normscope.report.blocks import Table
from normscope.report.people import corrected_blocks
from normscope.report.writers import html


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


def test_rates_are_percent_and_what_is_added_percentage_points_with_its_factor() -> None:
    tuned = replace(HR, rectifier=0.5, tuning=0.25, unit="score", group="language", member="zh")
    (table,) = within(tuple(corrected_blocks([correction(HR, tuned)])), Table)
    numbers = ("23.4 %", "34.5 %", "[29.4, 39.6] %", "[28.2, 40.7] %", "+11.1 pp", "200", "573")
    first, second = lines(table)
    assert first == ("HR", "", "", *numbers)
    assert (second[:3], second[7]) == (("HR", "language", "zh"), "+0.500 (λ 0.250)")


def test_the_section_escapes_what_it_shows() -> None:
    page = html.fragment(tuple(corrected_blocks([correction(HR)])))
    assert "&lt;b&gt;set&lt;/b&gt;" in page
    assert "judge &amp; co" in page
    assert "People &lt;i&gt;agree&lt;/i&gt;." in page
    assert "<b>set</b>" not in page
    assert list(corrected_blocks([])) == []
