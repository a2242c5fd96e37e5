"""A run's page in a real browser: it is drawn whole and the browser has nothing to complain of."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_runs import large_run, small_run

from normscope.comparison import compare, read_runs
from normscope.report import LANGUAGES, Language, Report, ReportData, norm_charts, render
from normscope.report.blocks import Beside, Page, titled
from normscope.report.write import data_of
from normscope.report.writers import html
from tests.shared.viewed_runs import aligned, base

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a run's page in a language; fails on a complaint of the page or a request of it."""
    complaints: list[str] = []
    requests: list[str] = []
    context = browser.new_context(viewport={"width": 1200, "height": 900})

    def open_page(data: ReportData | Report, language: Language = "en", **how: Any) -> Any:
        path = tmp_path / f"report.{language}.html"
        path.write_text(render(data, language), encoding="utf-8")
        page = (browser.new_context(**how) if how else context).new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: requests.append(asked.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    assert complaints == []
    assert [url for url in requests if not url.startswith(tmp_path.as_uri())] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_click_on_a_column_sorts_the_table(
    opened: Callable[..., Any], language: Language
) -> None:
    page = opened(small_run(), language)
    section = page.locator("#statistics")
    section.locator("summary").first.click()
    section.locator("details > summary").first.click()
    table = section.locator("details table.scores").first
    first = table.locator("tbody th").first
    table.get_by_role("button").first.click()
    assert table.locator("thead th").first.get_attribute("aria-sort") == "ascending"
    lowest = first.inner_text()
    table.get_by_role("button").first.press("Enter")
    assert first.inner_text() != lowest
    assert table.locator("tbody tr").count() == 4


def test_everything_can_be_read_without_the_script(opened: Callable[..., Any]) -> None:
    page = opened(small_run(), java_script_enabled=False)
    assert page.locator(".lead").first.is_visible()
    assert page.locator(".answer").first.is_visible()
    assert page.locator("input, thead button").count() == 0
    page.locator("#statistics > summary").click()
    assert page.locator("#statistics table.scores").first.is_visible()


SIZES = ((1440, 900), (390, 844))


def several(folder: Path) -> Report:
    runs = read_runs((base(folder), aligned(folder)))
    return Report(tuple(map(data_of, runs)), compare(runs))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("of", "language"), [("one", "en"), ("one", "zh"), ("several", "en")])
def test_the_first_screen_is_the_answer_a_row_per_model_and_what_limits_it(
    opened: Callable[..., Any], of: str, language: Language, size: tuple[int, int], tmp_path: Path
) -> None:
    width, height = size
    data = several(tmp_path) if of == "several" else large_run(vignettes=24, answers=40)
    page = opened(data, language, viewport={"width": width, "height": height})
    for locator in (page.locator(".lead"), page.locator(".answer"), page.locator("main > details")):
        box = locator.first.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    # what is open within a fold that is not is not seen
    assert page.locator("details[open] > summary:visible").count() == 0
    assert len(page.locator("body").inner_text().split()) < 300


def test_what_is_wider_than_a_phone_scrolls_in_its_own_box(opened: Callable[..., Any]) -> None:
    page = opened(large_run(vignettes=24, answers=20), viewport={"width": 390, "height": 800})
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # the rows of the answer are never cut
    fits = "[...document.querySelectorAll('.answer')].every(t => t.scrollWidth <= innerWidth - 20)"
    assert page.evaluate(fits)


_OF_CHARTS = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  return [...document.querySelectorAll("img.chart")].map(chart => {
    const box = chart.parentElement;
    const whole = chart.getBoundingClientRect();
    return {
      name: chart.alt, source: atob(chart.src.split(",")[1]), width: whole.width,
      fits: whole.width <= box.clientWidth + 1, scrolls: box.scrollWidth >= whole.width - 1,
    };
  });
}"""

_CUT = """source => {
  document.body.innerHTML = source;
  const whole = document.querySelector("svg").getBoundingClientRect();
  return [whole.width, [...document.querySelectorAll("svg text")].filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < whole.left - 1 || box.right > whole.right + 1
      || box.top < whole.top - 1 || box.bottom > whole.bottom + 1;
  }).map(text => text.textContent)];
}"""


def demo_charts() -> Page:
    """Every chart of vignettes, of four models with names as long as those of the demo."""
    models = ["gpt-4o-mini-8B", "tulu-2-7b", "tulu-2-dpo-7b", "Meta-Llama-3.1-8B-Instruct"]
    levels = {
        "sender": ["a refrigerator", "a personal assistant (e.g., Siri, Amazon echo)"],
        "attribute": ["owner's sleeping habits", "the times it is used", "audio of owner"],
        "recipient": [f"owner's social media accounts, {n}" for n in range(8)],
        "transmission_principle": [f"if the information is not used {n} times" for n in range(12)],
    }
    facets = [dict(zip(levels, flow, strict=True)) for flow in product(*levels.values())]
    factors = {name: [flow[name] for flow in facets] for name in levels}
    draw = np.random.default_rng(0)
    states = draw.integers(0, 6, (4, len(facets)))
    answers = draw.integers(-2, 3, (4, len(facets), 3)).astype(float)
    variants = ["0", "1", "2"]
    means = [dict(zip(variants, of.mean(axis=0).tolist(), strict=True)) for of in answers]
    pairs = {(a, b): 0.06 for at, a in enumerate(models) for b in models[at + 1 :]}
    plots = [
        norm_charts.norm_shares(models, [*states]),
        norm_charts.prompt_means(models, means),
        norm_charts.variance_ridges(models, [of.var(axis=1) for of in answers]),
        norm_charts.agreement_matrix(models, pairs),
        norm_charts.mean_norms(models, [*states], factors),
        norm_charts.level_means(
            models, [(of, of > 2) for of in answers], variants, "sender", factors["sender"]
        ),
        next(norm_charts.norm_maps(facets, states[0]))[1],
    ]
    return Page("charts", (Beside(tuple(map(titled, plots))),))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_chart_is_cut_or_made_too_small_to_be_read(
    browser: Any, language: Language, tmp_path: Path
) -> None:
    charts = tmp_path / "charts.html"
    charts.write_text(html.page(demo_charts(), language), encoding="utf-8")
    report = tmp_path / "report.html"
    run = large_run(vignettes=360, answers=20)
    report.write_text(render(run, language), encoding="utf-8")
    drawn = browser.new_page()
    for width in (1440, 390):
        page = browser.new_page(viewport={"width": width, "height": 900})
        for path, least in ((charts, 7), (report, 3)):
            page.goto(path.as_uri())
            seen = page.evaluate(_OF_CHARTS)
            assert len(seen) >= least
            for chart in seen:
                source = chart["source"].encode("latin-1").decode()
                size, cut = drawn.evaluate(_CUT, source[source.index("<svg") :])
                assert cut == [], chart["name"]
                # never smaller than it was drawn: a phone scrolls it in its box
                assert chart["width"] == pytest.approx(size, abs=2), chart["name"]
                assert chart["fits"] if width == 1440 else chart["scrolls"], chart["name"]
