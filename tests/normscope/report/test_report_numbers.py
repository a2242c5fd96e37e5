"""The numbers of a report are those of `scores.json`, through the one formatter."""

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st
from report_runs import small_run
from shown_pages import lines, tables_of
from undrawn import undrawn

from normscope import format as fmt
from normscope.metrics.estimate import Estimate, Statistic
from normscope.report import render
from normscope.report.blocks import plain
from normscope.report.names import name_of
from normscope.report.scores import scores_section

__all__ = ["undrawn"]

SHARE = st.floats(0, 1)
GROUPS = (
    ("", "score", "score"),
    ("", "hr", "rate"),
    ("", "alpha", "score"),
    ("category", "rr1", "rate"),
    ("turn difference", "rr2", "rate difference"),
    ("min_coverage", "score", "score"),
    ("channel", "agreement", "rate"),
    ("reason in text", "unanswered", "rate"),
)


class Rows(HTMLParser):
    """The cells of every table row of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the base class's
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
            self.inside = True
        elif tag == "small" and self.inside:
            self.rows[-1][-1] += " "

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.inside = False
            self.rows[-1][-1] = " ".join(self.rows[-1][-1].split())

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def shown(statistic: Statistic) -> tuple[str, str, str, str, str]:
    """Value, interval, n, unscored and lowest – highest, straight from the formatter."""
    e, unit = statistic.estimate, statistic.unit
    if unit == "rate difference":
        value = fmt.signed(e.value, rate=True)
        between, bounds = (
            fmt.interval(*ends, rate=True, signs=True)
            for ends in ((e.low, e.high), (e.lowest, e.highest))
        )
    else:
        rate = unit == "rate"
        value = fmt.percent(e.value) if rate else fmt.number(e.value)
        between = fmt.interval(e.low, e.high, rate=rate)
        bounds = fmt.interval(e.lowest, e.highest, rate=rate)
    return value, between, fmt.count(e.n), fmt.count(e.unscored), bounds


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    value = draw(st.none() | SHARE)
    low, high = sorted(draw(st.tuples(SHARE, SHARE)))
    worst, best = sorted(draw(st.tuples(SHARE, SHARE)))
    # where nothing is unscored no table has a worst and a best case
    n, unscored = draw(st.tuples(st.integers(0, 30_000), st.integers(1, 30_000)))
    return Estimate(value, low, high, n, unscored, worst, best, "these items", "Wilson")


@st.composite
def tables(draw: st.DrawFn) -> tuple[Statistic, ...]:
    found = []
    for group, name, unit in GROUPS:
        members = ("",) if not group else ("first", "second")
        found += [Statistic(name, unit, draw(estimates()), group, m) for m in members]  # type: ignore[arg-type]
    return tuple(found)


def rows_of(markdown: str) -> Iterator[list[str]]:
    for line in markdown.splitlines():
        if line.startswith("| "):
            yield [cell.replace("\\", "").strip() for cell in line.strip("|").split(" | ")]


@settings(max_examples=10, deadline=None)
@given(statistics=tables())
def test_every_statistic_stands_on_the_page_as_the_formatter_writes_it(
    statistics: tuple[Statistic, ...],
) -> None:
    run = replace(small_run(), scores={"b": statistics})
    page, markdown = Rows(render(run)).rows, list(rows_of(render(run, form="md")))
    for statistic in statistics:
        label = name_of(statistic.member or statistic.name)
        value, between, n, unscored, bounds = shown(statistic)
        if statistic.group in {"min_coverage", "channel"}:
            assert any(row[0] == label and f"{value} {between}" in row[1] for row in page), label
            cell = f"{value} ({between}"
            assert any(row[0] == label and row[1].startswith(cell) for row in markdown), label
            continue
        if statistic.group in {"category", "turn difference"}:
            about = f"{between} · lowest – highest {bounds}"
            for rows, cell in ((page, f"{value} {about}"), (markdown, f"**{value}** ({about})")):
                shown_rows = [row for row in rows if row[:2] == [label, cell]]
                assert any(row[-2:] == [n, unscored] for row in shown_rows), (label, cell)
            continue
        numbers = {value, n, unscored, bounds}
        assert any(
            row[0].startswith(label)
            and numbers <= set(row)
            and any(cell.startswith(between) for cell in row)
            for row in page
        ), (label, shown(statistic))
        assert any(
            row[0].startswith(label)
            and row[1] == value
            and row[2].startswith(between)
            and row[3:] == [n, unscored, bounds]
            for row in markdown
        ), (label, shown(statistic))


def test_the_worst_and_the_best_case_have_a_column_only_where_something_is_unscored() -> None:
    whole = Estimate(0.5, 0.25, 0.75, 9, 0, 0.5, 0.5, "these items", "Wilson")
    for unscored, titles in ((0, []), (2, ["lowest – highest"])):
        row = Statistic("hr", "rate", replace(whole, unscored=unscored))
        data = replace(small_run(), scores={"b": (row,)})
        (table,) = tables_of(scores_section(data, {}))
        assert [plain(column.title) for column in table.columns[5:]] == titles


def test_where_there_is_no_interval_its_level_is_not_named() -> None:
    bare = Estimate(1.77, None, None, 39, 6, None, None, "new items of the kind", "t")
    whole = replace(bare, low=1.25, high=2.5)
    data = small_run()
    notes = []
    for estimate in (bare, whole):
        scores = {"b": (Statistic("published_score", "score", estimate),)}
        (table,) = tables_of(scores_section(replace(data, scores=scores), {}))
        notes.append(lines(table)[0][2])
    assert notes == ["– (t)", "[1.25, 2.50] (95 % for new items of the kind; t)"]
