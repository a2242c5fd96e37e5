"""The pages that are written to files, for who cannot see them or point at them: axe-core."""

from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from accessible import cut_off, held_still, unseen_focus, violations
from annotated_runs import call
from report_runs import large_run, small_run
from served_space import CHROMIUM, VIEWS, View, language_of
from trust_pages import PAGES

from normscope.comparison import compare, read_runs
from normscope.messages import Language
from normscope.report import render
from normscope.report.comparison.page import comparison_page
from normscope.report.write import write_report
from normscope.report.writers import html
from normscope.viewer import Answers, answers_page
from tests.shared.mixed_runs import items_of, mixed_run, rows_of
from tests.shared.viewed_runs import aligned, base

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian's package chromium)"),
]
pytest.importorskip("axe_playwright_python", reason="needs axe: pip install 'normscope[browser]'")

Runs = tuple[Path, Path]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("runs")
    return base(folder), aligned(folder)


def _trust(name: str) -> Callable[[Runs, Path, Language], str]:
    return lambda _, __, language: html.page(PAGES[name](), language)


def _several(runs: Runs, folder: Path, language: Language) -> str:
    path = write_report(runs, folder / "several.html", form="html", language=language)
    return path.read_text(encoding="utf-8")


def _items(_: Runs, __: Path, language: Language) -> str:
    items = items_of()
    both = [mixed_run(f"run {n}", items, rows_of(items, n)) for n in (1, 2)]
    return answers_page(Answers(both), language=language)


def _labelling(runs: Runs, folder: Path, language: Language) -> str:
    out = folder / language
    call("sample", runs[0], "--n", 4, "--raters", 1, "--out", out)
    (path,) = (out / "sheets").glob("*.html")
    return path.read_text(encoding="utf-8")


WRITTEN: dict[str, Callable[[Runs, Path, Language], str]] = {
    "report": lambda _, __, language: render(large_run(vignettes=24, answers=40), language),
    "report of a few": lambda _, __, language: render(small_run(), language),
    "report of several": _several,
    "comparison": lambda runs, _, language: html.page(
        comparison_page(compare(read_runs(runs))), language
    ),
    "items": _items,
    "labelling": _labelling,
    **{name: _trust(name) for name in PAGES},
}
"""Each page that a command writes, by what it is called here."""


def wrong(page: Any) -> list[str]:
    found = [*map(str, violations(page))]
    found += [f"cut off: {text}" for text in cut_off(page)]
    return found + [f"no focus is seen: {text}" for text in unseen_focus(page)]


# one writer draws them all: light and dark take turns, each page is wide and narrow
@pytest.mark.parametrize(("name", "views"), [*zip(WRITTEN, cycle((VIEWS[::2], VIEWS[1::2])))])
def test_nothing_on_a_page_shuts_anybody_out(
    browser: Any, runs: Runs, tmp_path: Path, name: str, views: Sequence[View]
) -> None:
    complaints = []
    for view in views:
        locale, width, scheme = view
        path = tmp_path / "page.html"
        language: Language = "zh" if language_of(view) == "zh" else "en"
        path.write_text(WRITTEN[name](runs, tmp_path, language), encoding="utf-8")
        context = browser.new_context(
            locale=locale, viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        page = context.new_page()
        page.goto(path.as_uri())
        held_still(page)
        page.evaluate("for (const e of document.querySelectorAll('details')) e.open = true")
        complaints += [f"{view}: {text}" for text in wrong(page)]
        # what 200 % and 400 % of zoom leave of a screen
        page.set_viewport_size({"width": 320, "height": 900})
        complaints += [f"{locale}, 320 px: {text}" for text in cut_off(page)]
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        context.close()
    assert complaints == [], "\n".join(complaints)
