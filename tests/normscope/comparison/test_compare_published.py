"""Published results beside those of runs: what stands there, and what is said to differ."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from shown_pages import within

from normscope.comparison import compare, read_runs
from normscope.comparison.published import AGREEMENT, published_beside
from normscope.comparison.result import NormsCompared
from normscope.metrics.estimate import Statistic
from normscope.metrics.rates import rate
from normscope.records.integrity import ITEMS, SCORES
from normscope.records.item import Item
from normscope.records.items import Items
from normscope.records.provenance import (
    BenchmarkItems,
    JudgementsProvenance,
    Provenance,
    ResponsesProvenance,
    RubricVersion,
)
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.report.blocks import Details, Page
from normscope.report.published import published_section
from normscope.report.writers import markdown

MakeRun = Callable[..., Path]
QA, COPPA = "chisafetybench:qa", "ci-vignettes:coppa"
VARIANTS = tuple(map(str, range(11)))


def shown(runs: Sequence[Run], norms: Mapping[str, NormsCompared] | None = None) -> str:
    parts = within((published_section(runs, norms),), Details)
    return markdown.page(Page("", tuple(block for part in parts for block in part.blocks)))


def items(benchmark: str, n: int, **other: Any) -> Items:
    """Items of which nothing matters but that they are there."""
    described = {"language": "zh", **other}
    return Items.of(Item(benchmark, f"i{at}", (), **described) for at in range(n))


def measured(
    asked: Items, scores: Mapping[str, Sequence[Statistic]], config: Settings | None = None
) -> Run:
    rows = {name: [asdict(row) for row in table] for name, table in scores.items()}
    contents = {ITEMS: asked.table, SCORES: rows}
    return Run("ours", config or Settings(), contents=contents)


def as_in_the_paper(benchmark: str) -> Run:
    """A run that was measured as the paper's, as far as a run can be: but for the rubric."""
    judged = benchmark == QA
    asked = BenchmarkItems(variants=() if judged else VARIANTS)
    config = Settings(
        channels=("text",),
        judge_channels=("text",),
        rule="default" if judged else "published",
        provenance=Provenance(
            responses=ResponsesProvenance(benchmarks={benchmark: asked}),
            judgements=JudgementsProvenance(
                judge={"model": "Qwen/Qwen-72B"} if judged else None,
                rubrics={QA: RubricVersion("hash", name="mine")} if judged else {},
            ),
        ),
    )
    n, language = (563, "zh") if judged else (1800, "en")
    scores = {benchmark: (Statistic("rr1", "rate", rate([1.0, 1.0, 0.0])),)}
    return measured(items(benchmark, n, language=language), scores, config)


def differs(run: Run) -> tuple[str, ...]:
    (published,) = published_beside([run])
    return published.differs[run.name]


def asking(run: Run, asked: Items) -> Run:
    return replace(run, contents={**run.contents, ITEMS: asked.table})


def judged_by(run: Run, **judgements: Any) -> Run:
    provenance = run.config.provenance.noted("judge", **judgements)
    return replace(run, config=replace(run.config, provenance=provenance))


def test_a_run_that_was_measured_as_in_the_paper_differs_in_nothing() -> None:
    run = as_in_the_paper(COPPA)
    assert differs(run) == ()
    own = {COPPA: (Statistic("unanswered", "rate", rate([1.0, 0.0])),)}
    page = shown([measured(run.items, own, run.config)])
    assert "Nothing that is known of the two differs." in page
    assert "Not comparable" not in page


def test_another_judge_and_rubric_and_a_slice_are_said() -> None:
    run = as_in_the_paper(QA)
    assert differs(run) == ("rubric mine instead of theirs",)
    other = judged_by(run, judge={"model": "judges/small"})
    assert differs(other)[0] == "judge judges/small instead of Qwen-72B"
    assert differs(asking(run, items(QA, 200)))[-1] == "200 of 563 items"
    assert differs(asking(run, items(QA, 563, language="de")))[-1] == "items in de"


@pytest.mark.parametrize(
    ("inside", "outside", "line"),
    [(5000, 0, None), (20, 0, "20 of 5,000 items"), (20, 80, "20 of 5,000 items + 80 other items")],
)
def test_items_of_cfsafety_outside_the_published_subset_are_others(
    inside: int, outside: int, line: str | None
) -> None:
    prompts = [
        replace(item, facets={"published_subset": "true" if at < inside else "false"})
        for at, item in enumerate(items("cfsafety", inside + outside))
    ]
    scores = {"cfsafety": (Statistic("macro_score", "score", rate([1.0])),)}
    lines = differs(measured(Items.of(prompts), scores))
    assert [text for text in lines if "items" in text] == ([line] if line else [])
    assert "how the answers were drawn and read is not known" in lines
    assert "whole answers instead of their first 100 characters" in lines


@pytest.mark.parametrize(
    ("benchmark", "names", "chosen"),
    [
        ("cfsafety", ("macro_score",), "macro_score"),
        ("cfsafety", ("macro_score", "published_macro_score"), "published_macro_score"),
        ("chisafetybench:mcq", ("silver_agreement",), "silver_agreement"),
        ("chisafetybench:mcq", ("silver_agreement", "agreement"), "agreement"),
    ],
)
def test_the_statistic_nearest_to_the_published_stands_beside_it_by_its_name(
    benchmark: str, names: tuple[str, ...], chosen: str
) -> None:
    scores = {benchmark: tuple(Statistic(name, "rate", rate([1.0, 0.0])) for name in names)}
    run = measured(items(benchmark, 2), scores)
    (published,) = published_beside([run])
    (own,) = published.own
    assert own.statistic.name == chosen
    (line,) = (line for line in shown([run]).splitlines() if "ours" in line)
    # another arithmetic or key goes wherever the number goes
    assert ("silver" in line or "published" in line) == (chosen != own.beside)


def test_a_run_s_report_shows_its_numbers_beside_those_published(make_run: MakeRun) -> None:
    run = make_run("chat", benchmark=("cfsafety", "safety-gradient"), limit={"safety-gradient": 4})
    text = " ".join(shown([Run.open(run)]).replace("|", " ").split())
    assert "GPT4 (published) 4.02" in text
    assert "Not comparable as they stand: judge judge instead of GPT-3.5" in text
    assert "safety-gradient" not in text


def test_agreement_of_models_stands_beside_that_of_the_runs(make_run: MakeRun) -> None:
    few = {"benchmark": (COPPA,), "limit": {COPPA: 6}}
    runs = read_runs([make_run("a", **few), make_run("b", 0.3, **few)])
    norms = compare(runs).norms
    (published,) = published_beside(runs, norms)
    own = [row for row in published.own if row.beside == AGREEMENT]
    (agreed,) = norms[COPPA].agreements
    assert [(row.run, row.statistic.estimate) for row in own] == [("a and b", agreed.share)]
    assert "6 of 1,800 items" in published.differs["a"]
    last = [row for row in published.results if row.statistic == AGREEMENT][-1]
    assert round(last.value * (last.n or 0)) == 1107
    # what no run has a number of is not shown
    lines = [line for line in shown(runs, norms).splitlines() if line.startswith("| same norm |")]
    assert "| same norm | a and b (measured here) |" in lines[0].replace("**", "")
    assert len(lines) == 1 + sum(row.statistic == AGREEMENT for row in published.results)
