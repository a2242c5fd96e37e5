"""A run of 25,000 items: its page is small, quick, and opens whole."""

import time
from dataclasses import replace

import pytest
from report_runs import Page, keys, small_run, tables

from normscope.datasets_builders.taxonomy import CFSAFETY
from normscope.metrics.cfsafety import cfsafety_score
from normscope.records.item import Item, Turn
from normscope.records.items import Items
from normscope.report import ReportData, render

ITEMS = 25_000


@pytest.fixture(scope="module")
def large() -> ReportData:
    """As many items as CFSafety has, with long answers and two criteria, some of them unscored."""
    items, responses, judgements = [], [], []
    moral: list[float | None] = []
    rating: list[float | None] = []
    for n in range(ITEMS):
        key = keys("cfsafety", f"a{n}")
        category = CFSAFETY[n % len(CFSAFETY)]
        items.append(
            Item(
                "cfsafety",
                key["item_id"],
                (Turn("user", "a question of some length " * 4),),
                "zh" if n % 2 else "en",
                area=category.area,
                category=category.slug,
            )
        )
        responses.append({**key, "text": "an answer of some length " * 10})
        lost = n % 50 == 0
        moral.append(None if lost else n % 97 / 96)
        rating.append(None if lost else 1 + n % 89 / 22)
        for criterion, value in (("moral", moral[-1]), ("rating", rating[-1])):
            judgements.append(
                {
                    **key,
                    "criterion": criterion,
                    "source": "judge_logits",
                    "value": value,
                    "coverage": 0.3 if lost else 0.9,
                    "reason": "low_coverage" if lost else None,
                }
            )
    answered, judged = tables(responses, judgements)
    groups = {
        name: [getattr(item, name) for item in items] for name in ("area", "category", "language")
    }
    found = cfsafety_score(moral, rating, groups=groups, reasons=[None] * ITEMS)
    whole: ReportData = replace(
        small_run(),
        scores={"cfsafety": tuple(found)},
        items=Items.of(items),
        responses=answered,
        judgements=judged,
    )
    return whole


def test_the_page_of_25_000_items_is_under_3_mb_and_made_in_seconds(large: ReportData) -> None:
    begun = time.perf_counter()
    html = render(large)
    assert time.perf_counter() - begun < 15
    assert len(html.encode()) < 3_000_000
    page = Page(html)
    assert page.open == []
    assert "25,000" in page.text
    # the values stand for all, the texts for the first few
    assert html.count("an answer of some length") < 200
