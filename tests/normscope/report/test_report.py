"""The report as a page: what it says, what it never does, and what it does with hostile text."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from report_runs import Page, holding, large_run, small_run
from undrawn import no_charts

from normscope.metrics.cfsafety import cfsafety_score
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.response import SCHEMA as RESPONSES
from normscope.records.settings import Settings
from normscope.report import LANGUAGES, Language, render

GOLDEN = Path(__file__).with_name("test_report_golden.txt")
STYLE = Path(render.__code__.co_filename).parent / "writers" / "style.css"
SCRIPT = STYLE.with_name("script.js.jinja")
INJECTION = "</td><script>alert(1)</script>{{ 7*7 }}{% raw %}\" onload='x' <img src=//evil>&amp;"


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(render(small_run()))


def test_the_page_says_what_the_golden_file_says(page: Page) -> None:
    if "NORMSCOPE_WRITE_GOLDEN" in os.environ:
        GOLDEN.write_text(page.text, encoding="utf-8")
    told = "run with NORMSCOPE_WRITE_GOLDEN=1 and read the difference before you keep it"
    assert page.text == GOLDEN.read_text(encoding="utf-8"), told


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes_in_another_process() -> None:
    code = (
        "import hashlib, report_runs, normscope.report as r;"
        "print(hashlib.sha256(r.render(report_runs.small_run()).encode()).hexdigest());"
        "print(hashlib.sha256(r.render(report_runs.small_run(), form='md').encode()).hexdigest())"
    )
    found = set()
    shared = Path(__file__).parents[2] / "shared"
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(shared)},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert render(small_run()) == render(small_run())


def test_the_answer_comes_first_then_what_limits_it_then_everything_folded(page: Page) -> None:
    text = page.text
    parts = (
        "Of 3 answers 33 % [6, 79] are harmful.",
        "its numbers mean nothing",
        "What was asked of whom",
        "Every statistic",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert [a["id"] for a in page.named("details") if "part" in a.get("class", "")] == [
        *("asked", "norms", "figures", "statistics", "limits", "reproduce")
    ]


def test_the_page_asks_for_nothing_outside_itself_and_runs_its_own_script_alone(page: Page) -> None:
    assert {tag for tag, _ in page.tags}.isdisjoint({"iframe", "object", "base"})
    assert [tag for tag, _ in page.tags if tag == "script"] == ["script"]
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert "style" not in attributes, tag
        assert attributes.get("href", "#").startswith(("#", "data:")), tag
        # a chart is an image that the page holds
        assert attributes.get("src", "data:").startswith("data:"), tag
    for source in (STYLE, SCRIPT):
        text = source.read_text(encoding="utf-8")
        assert not re.search(r"url\(|@import|https?:|fetch|import\(|innerHTML|eval|XMLHttp", text)


def test_the_policy_allows_exactly_the_style_and_the_script_of_the_page() -> None:
    html = render(small_run())
    (policy,) = [m["content"] for m in Page(html).named("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (held,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.S)
        digest = base64.b64encode(hashlib.sha256(held.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_changes_no_tag_and_is_shown_as_it_is(language: Language) -> None:
    with no_charts():
        page, hostile = (Page(render(small_run(w), language)) for w in ("plain", INJECTION))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in page.tags]
    assert [sorted(a) for _, a in hostile.tags] == [sorted(a) for _, a in page.tags]
    for place in ("run", "model", "judge", "maker", "category", "items"):
        assert f"{place} {INJECTION}" in hostile.text, place


def test_characters_of_every_plane_are_encoded_and_forbidden_ones_are_not_there() -> None:
    planes = "".join(chr(plane * 0x10000 + 0x100) for plane in range(17))
    forbidden = "".join(
        map(chr, (0, 1, 0x1B, 0x7F, 0x85, 0xFDD0, 0xFFFE, 0x10FFFF, 0x202E, 0xE0041))
    )
    html = render(small_run(planes + forbidden))
    assert not set(forbidden) & set(html)
    assert planes in html
    assert "\\u{202e}" in html
    assert html.encode("utf-8").decode("utf-8") == html


def test_a_run_without_any_row_says_so() -> None:
    tables = {"responses": RESPONSES.empty_table(), "judgements": JUDGEMENTS.empty_table()}
    run = holding(small_run(), scores={}, items=[], **tables)
    run = replace(run, files={}, config=Settings())
    page = Page(render(run))
    assert "Nothing in this run was scored." in page.text
    assert "none recorded" in page.text
    assert page.open == []


def test_a_run_in_which_everything_failed_is_shown_with_its_reasons() -> None:
    run = small_run()
    rows = [
        {**row, "value": None, "probs": None, "coverage": None, "reason": "call_failed"}
        for row in run.judgements.to_pylist()
    ]
    failed = {"safety-gradient": tuple(cfsafety_score([None, None], [None, None]))}
    judgements = pa.Table.from_pylist(rows, schema=JUDGEMENTS)
    data = holding(run, judgements=judgements, scores=failed)
    text = Page(render(data)).text
    assert "mean score: none of 2 could be scored." in text
    assert "0 without a majority, 0 without an answer, 2 unscored" in text


def test_every_tag_is_closed_every_id_unique_and_every_link_leads_somewhere(page: Page) -> None:
    assert page.open == []
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = [a["href"][1:] for a in page.named("a")]
    assert links
    assert set(links) <= set(ids)


def test_no_answer_stands_on_the_page(page: Page) -> None:
    assert "answer plain" not in page.text + render(small_run(), form="md")
    assert "normscope view RUN" in page.text


def test_a_run_of_the_demos_size_is_small_and_quick() -> None:
    data = large_run()
    assert data.judgements.num_rows == 240 * 11 + 3000
    begun = time.process_time()
    html = render(data)
    assert time.process_time() - begun < 3
    assert len(html.encode()) < 300_000


def test_all_vignettes_of_a_context_are_one_map() -> None:
    page = Page(render(large_run(vignettes=400, answers=0)))
    ids = [a.get("id") for _, a in page.tags]
    panels = page.tags[ids.index("norms") + 1 : ids.index("statistics")]
    assert ["open" in a for tag, a in panels if tag == "details" and not a.get("id")] == [True]
