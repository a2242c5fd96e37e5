"""The report as a page: what it says, what it never does, and what it does with hostile text."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.datasets_builders.item import Item, Message
from normscope.datasets_builders.taxonomy import LIKERT
from normscope.metrics.cfsafety import cfsafety_score
from normscope.metrics.estimate import Estimate, Statistic
from normscope.report import BenchmarkScores, ReportData, render
from normscope.run.tables import JUDGEMENTS, RESPONSES

GOLDEN = Path(__file__).with_name("test_report_golden.txt")
STYLE = Path(render.__code__.co_filename).with_name("style.css")
VOID = {"meta", "link"}
INJECTION = "</td><script>alert(1)</script>{{ 7*7 }}{% raw %}\" onload='x' <img src=//evil>&amp;"


class Page(HTMLParser):
    """The tags of a page with their attributes, its texts, and whether every tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

        if tag in {"td", "th", "dt", "dd", "a", "li"}:
            self.texts.append(" ")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    def named(self, *tags: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.tags if tag in tags]

    @property
    def text(self) -> str:
        lines = (" ".join(line.split()) for line in "".join(self.texts).split("\n"))
        return "\n".join(line for line in lines if line) + "\n"


def keys(
    benchmark: str, item_id: str, variant: str = "", model: str = "models/m"
) -> dict[str, Any]:
    return {
        "benchmark": benchmark,
        "item_id": item_id,
        "variant_id": variant,
        "scale_order": "",
        "sample": 0,
        "model": model,
    }


def tables(
    responses: list[dict[str, Any]], judgements: list[dict[str, Any]]
) -> tuple[pa.Table, pa.Table]:
    return (
        pa.Table.from_pylist(responses, schema=RESPONSES),
        pa.Table.from_pylist(judgements, schema=JUDGEMENTS),
    )


def small_run(word: str = "plain") -> ReportData:
    """Two graded answers and two vignettes; `word` stands wherever somebody else's text can."""
    ladder, vignettes = f"safety-gradient {word}", f"ci-vignettes:coppa {word}"
    model, judge, category = f"model {word}", f"judge {word}", f"category {word}"
    items: list[Item] = []
    responses, judgements = [], []
    for item_id, grade, moral, rating, degree in (
        (f"bad {word}", "1", 0.125, 1.5, 0.0),
        ("good", "5", 1.0, 4.5, 3.0),
    ):
        facets = {"grade": grade, "refusal_degree": "0" if grade == "1" else "3"}
        items.append(
            Item(ladder, item_id, (Message("user", "?"),), "en", category=category, facets=facets)
        )
        responses.append({**keys(ladder, item_id, model=model), "text": f"answer {word}"})
        judgements += [
            {
                **keys(ladder, item_id, model=model),
                "judge": judge,
                "rubric_hash": f"hash {word}",
                "head": head,
                "source": "judge_logits",
                "labels": ["0", "1"],
                "probs": [0.25, 0.75],
                "value": value,
                "coverage": 0.75,
            }
            for head, value in (("moral", moral), ("rating", rating), ("refusal", degree))
        ]
    judgements.append(
        {
            **keys(ladder, "lost", model=model),
            "head": "moral",
            "source": "judge_logits",
            "coverage": 0.25,
            "reason": f"reason {word}",
        }
    )
    for item_id, sender, values in (("v1", "doll", (2, 2, 1)), ("v2", f"robot {word}", (-2, 0, 2))):
        flow = {"sender": sender, "recipient": f"maker {word}"}
        for n, value in enumerate(values):
            items.append(
                Item(vignettes, item_id, (Message("user", "?"),), "en", f"w{n}", facets=flow)
            )
            responses.append(
                {
                    **keys(vignettes, item_id, f"w{n}", model),
                    "labels": list(LIKERT),
                    "coverage": 1.0,
                }
            )
            judgements.append(
                {
                    **keys(vignettes, item_id, f"w{n}", model),
                    "head": "acceptability",
                    "source": "model_logits",
                    "labels": list(LIKERT),
                    "value": float(value),
                    "coverage": 1.0,
                }
            )
    about: dict[str, Any] = {
        "target": "new items of the kind",
        "method": f"t over 2 clusters {word}",
    }
    score = Estimate(2.34375, 1.25, 4.5, n=2, unscored=1, worst=1.5625, best=3.2291, **about)
    share = Estimate(1 / 3, 0.0615, 0.792, n=3, unscored=0, worst=1 / 3, best=1 / 3, **about)
    nothing = Estimate(None, None, None, n=0, unscored=1, worst=0.0, best=1.0, **about)
    exact = Estimate(0.5, 0.5, 0.5, 2, 0, 0.5, 0.5, target="these items", method="exact")
    statistics = (
        Statistic("score", "score", score),
        Statistic("hr", "rate", share),
        Statistic("score", "score", score, "category", category),
        Statistic("hr", "rate", share, "category", category),
        Statistic("hr", "rate", replace(nothing, method="nothing scored"), "category", "other"),
    )
    norms = (Statistic("simple_majority", "rate", exact),)
    answered, judged = tables(responses, judgements)
    return ReportData(
        name=f"run {word}",
        config={
            "min_coverage": 0.5,
            "model": {"revision": f"revision {word}"},
            "packages": {"torch": f"2 {word}"},
        },
        config_text=f"min_coverage: 0.5\nname: {word}\n",
        scores=(BenchmarkScores(ladder, statistics), BenchmarkScores(vignettes, norms)),
        items=items,
        responses=answered,
        judgements=judged,
        warnings=(f"The judge is untrained: its numbers mean nothing. {word}",),
        command=f"normscope run --out runs/x {word}",
        files={"scores.json": "ab" * 32, f"items {word}": "cd" * 32},
    )


def large_run(*, vignettes: int = 240, answers: int = 1000) -> ReportData:
    """`vignettes` × 11 wordings and `answers` with three heads."""
    names = ("sender", "recipient", "attribute", "transmission_principle")
    levels = [
        [f"the {name} number {n}" for n in range(k)]
        for name, k in zip(names, (5, 2, 12, 15), strict=True)
    ]
    items: list[Item] = []
    responses, judgements = [], []
    for number, flow in enumerate(product(*levels)):
        if number >= vignettes:
            break
        facets = dict(zip(names, flow, strict=True))
        for n in range(11):
            key = keys("ci-vignettes:coppa", f"v{number}", f"w{n}")
            items.append(
                Item(
                    key["benchmark"],
                    key["item_id"],
                    (Message("user", "?"),),
                    "en",
                    f"w{n}",
                    facets=facets,
                )
            )
            responses.append({**key, "labels": list(LIKERT), "label_probs": [0.2] * 5})
            value = float((number + n // 4) % 5 - 2)
            read = {"labels": list(LIKERT), "probs": [0.2] * 5, "value": value, "coverage": 0.9}
            judgements.append({**key, "head": "acceptability", "source": "model_logits", **read})
    for number in range(answers):
        key = keys("cfsafety", f"a{number}")
        items.append(Item("cfsafety", key["item_id"], (Message("user", "?"),), "zh"))
        responses.append({**key, "text": "回答" * 500})
        for head, value in (
            ("moral", number % 7 / 6),
            ("rating", 1 + number % 9 / 2),
            ("refusal", number % 4),
        ):
            read = {"labels": ["0", "1"], "probs": [0.5, 0.5], "value": value, "coverage": 0.9}
            judgements.append({**key, "head": head, "source": "judge_logits", **read})
    answered, judged = tables(responses, judgements)
    return replace(small_run(), items=items, responses=answered, judgements=judged)


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(render(small_run()))


def test_the_page_says_what_the_golden_file_says(page: Page) -> None:
    if "NORMSCOPE_WRITE_GOLDEN" in os.environ:
        GOLDEN.write_text(page.text, encoding="utf-8")
    told = "run with NORMSCOPE_WRITE_GOLDEN=1 and read the difference before you keep it"
    assert page.text == GOLDEN.read_text(encoding="utf-8"), told


def test_the_same_run_gives_the_same_bytes_in_another_process() -> None:
    code = (
        "import importlib.util as u, sys, hashlib;"
        "s = u.spec_from_file_location('m', sys.argv[1]); m = u.module_from_spec(s);"
        "sys.modules['m'] = m; s.loader.exec_module(m);"
        "print(hashlib.sha256(m.render(m.small_run()).encode()).hexdigest())"
    )
    found = set()
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code, __file__],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert render(small_run()) == render(small_run())


def test_warnings_come_before_any_number(page: Page) -> None:
    text = page.text
    assert text.index("its numbers mean nothing") < text.index("Scores") < text.index("unscored")


def test_the_page_asks_for_nothing_outside_itself_and_runs_nothing(page: Page) -> None:
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "iframe", "img", "object", "base"})
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert "style" not in attributes, tag
        assert attributes.get("href", "#").startswith(("#", "data:")), tag
        assert "src" not in attributes, tag
    style = STYLE.read_text(encoding="utf-8")
    assert not re.search(r"url\(|@import|https?:", style)
    (policy,) = [m["content"] for m in page.named("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none'")


def test_hostile_text_changes_no_tag_and_is_shown_as_it_is(page: Page) -> None:
    hostile = Page(render(small_run(INJECTION)))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in page.tags]
    assert [sorted(a) for _, a in hostile.tags] == [sorted(a) for _, a in page.tags]
    for place in ("answer", "run", "model", "judge", "reason", "maker", "hash", "revision"):
        assert f"{place} {INJECTION}" in hostile.text, place


@settings(max_examples=30, deadline=None)
@given(word=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_no_text_whatever_changes_the_tags_of_the_page(word: str) -> None:
    html = render(small_run(f"a{word}"))
    assert [tag for tag, _ in Page(html).tags] == [tag for tag, _ in Page(render(small_run())).tags]


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


def test_a_long_answer_is_cut_at_200_characters() -> None:
    run = small_run()
    long = run.responses.to_pylist()
    long[0]["text"] = "龍" * 100_000
    html = render(replace(run, responses=pa.Table.from_pylist(long, schema=RESPONSES)))
    assert html.count("龍") == 200


def test_answers_are_folded_behind_a_note_and_stay_so_on_paper(page: Page) -> None:
    (folded,) = [d for d in page.named("details") if d.get("class") == "sensitive"]
    assert "open" not in folded
    assert "may contain harmful or offensive text" in page.text
    assert ".sensitive" not in STYLE.read_text(encoding="utf-8").partition("@media print")[2]


def test_a_run_without_any_row_says_so() -> None:
    run = replace(
        small_run(),
        scores=(),
        items=[],
        responses=RESPONSES.empty_table(),
        judgements=JUDGEMENTS.empty_table(),
        warnings=(),
        files={},
        config={},
    )
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
    failed = BenchmarkScores("safety-gradient", tuple(cfsafety_score([None, None], [None, None])))
    data = replace(run, judgements=pa.Table.from_pylist(rows, schema=JUDGEMENTS), scores=(failed,))
    text = Page(render(data)).text
    assert "No judgement of this head has a value." in text
    assert "engine" in text
    assert "2 without a majority" in text


def test_every_tag_is_closed_every_id_unique_and_every_link_leads_somewhere(page: Page) -> None:
    assert page.open == []
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = [a["href"][1:] for a in page.named("a")]
    assert links
    assert set(links) <= set(ids)


def test_drawings_are_described_or_hidden_and_heads_have_a_scope(page: Page) -> None:
    assert page.named("svg")
    for svg in page.named("svg"):
        assert svg.get("aria-hidden") == "true" or (svg["role"] == "img" and svg["aria-label"])
    assert all(head.get("scope") for head in page.named("th"))
    assert page.named("html") == [{"lang": "en"}]


def test_a_run_of_the_demos_size_is_small_and_quick() -> None:
    data = large_run()
    assert data.judgements.num_rows == 240 * 11 + 3000
    begun = time.perf_counter()
    html = render(data)
    assert time.perf_counter() - begun < 3
    assert len(html.encode()) < 3_000_000


def test_only_the_first_panel_of_many_is_open() -> None:
    # 1,800 vignettes: 5 senders × 2 recipients
    page = Page(render(large_run(vignettes=1800, answers=0)))
    at = [n for n, (tag, a) in enumerate(page.tags) if tag == "section" and a.get("id") == "norms"]
    end = [n for n, (tag, a) in enumerate(page.tags) if a.get("id") == "reproduce"]
    panels = [a for tag, a in page.tags[at[0] : end[0]] if tag == "details"]
    assert ["open" in panel for panel in panels] == [True] + [False] * 9


# the colours


def schemes() -> Iterator[dict[str, str]]:
    """The custom properties of the light and of the dark scheme."""
    light, dark = re.findall(r":root \{(.*?)\}", STYLE.read_text(encoding="utf-8"), re.S)[:2]
    for block in (light, dark):
        yield dict(re.findall(r"--([\w-]+): (#[0-9a-f]+)", block))


def luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    digits = colour[1:] if len(colour) == 7 else "".join(d * 2 for d in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_has_the_contrast_that_wcag_asks_for_in_both_schemes() -> None:
    assert contrast("#fff", "#000000") == pytest.approx(21)
    pairs = [
        ("ink", "paper"),
        ("muted", "paper"),
        ("muted", "panel"),
        ("blue", "paper"),
        ("ink", "orange-soft"),
        ("ink", "blue-soft"),
        ("on-u4", "u4"),
        ("on-a4", "a4"),
        *(("on-steps", step) for step in ("u3", "u2", "u1", "mid", "a1", "a2", "a3")),
    ]
    for scheme in schemes():
        for text, ground in pairs:
            assert contrast(scheme[text], scheme[ground]) >= 4.5, (text, ground)


def test_norms_grow_stronger_away_from_the_middle_in_both_schemes() -> None:
    for scheme in schemes():
        for side in "ua":
            steps = ["paper", *(f"{side}{n}" for n in (1, 2, 3, 4))]
            away = [contrast(scheme[step], scheme["paper"]) for step in steps]
            assert away == sorted(away), side
