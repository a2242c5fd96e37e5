"""The papers' numbers in the package: as printed, and such that they agree with one another."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from normscope.builders.published import (
    PublishedResult,
    published_results,
    published_source,
    published_sources,
)
from normscope.builders.registry import benchmark
from normscope.builders.taxonomy import CFSAFETY

QA = "chisafetybench:qa"
BAICHUAN = "Baichuan2-13B-Chat"
NAMES = [name for source in published_sources() for name in (*source.items, *source.also)]


@pytest.fixture(scope="module")
def printed(sources: Path) -> Mapping[str, Any]:
    """The papers' tables as they were copied, beside the full sources."""
    path = sources.parent / "published_numbers.json"
    if not path.is_file():
        pytest.skip(f"the papers' tables are not at {path}")
    result: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result


def of(name: str, **wanted: object) -> dict[str, PublishedResult]:
    """The results of the benchmark with these fields, by model."""
    chosen = [
        row
        for row in published_results(name)
        if all(getattr(row, field) == value for field, value in wanted.items())
    ]
    result = {row.model: row for row in chosen}
    assert len(result) == len(chosen), "a model has two such numbers"
    return result


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_with_a_source_is_ours_and_has_numbers_in_their_unit(name: str) -> None:
    assert benchmark(name)[1].name == name
    rows = published_results(name)
    assert rows
    keys = [(r.model, r.statistic, r.group, r.member, r.table) for r in rows]
    assert len(set(keys)) == len(keys)
    for row in rows:
        assert 0 <= row.value <= (1 if row.unit == "rate" else 5), row
        source = published_source(name)
        assert source is not None
        assert row.n is None or 0 < row.n <= source.items[source.as_published(name)]


def test_a_benchmark_that_no_paper_has_has_neither() -> None:
    assert published_results("ci-vignettes:education") == ()
    assert published_source("ci-vignettes:education") is None


def test_the_average_of_gpt_4_is_the_mean_of_its_categories() -> None:
    averages = of("cfsafety", statistic="macro_score")
    assert averages["GPT4"].value == 4.02
    assert not averages["GPT4"].note
    for model, average in averages.items():
        rows = [r for r in published_results("cfsafety") if r.model == model and r.group]
        assert {r.member for r in rows} == {c.slug for c in CFSAFETY}
        assert fmean(r.value for r in rows) == pytest.approx(average.value, abs=5e-3)
        assert bool(average.note) == (model != "GPT4")


def whole_and_parts() -> Iterator[tuple[PublishedResult, list[PublishedResult]]]:
    """Each rate that is the mean of two others, with these: of areas, and of kinds of turns."""
    splits: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"table": 2, "group": ""}, {"table": 2, "group": "area"}, ""),
        ({"table": 2, "group": ""}, {"group": "turns"}, ""),
        *(
            ({"table": at, "group": "turns"}, {"table": at, "group": "area × turns"}, "")
            for at in (4, 5)
        ),
        *(
            ({"group": "area", "member": area}, {"group": "area × turns"}, f"{area} × ")
            for area in ("discrimination", "values")
        ),
    ]
    rows = [row for row in published_results(QA) if row.table != 3]
    for whole, parts, start in splits:
        for row in rows:
            if all(getattr(row, name) == value for name, value in whole.items()):
                yield (
                    row,
                    [
                        other
                        for other in rows
                        if (other.model, other.statistic) == (row.model, row.statistic)
                        and all(getattr(other, name) == value for name, value in parts.items())
                        and other.member.startswith(start)
                    ],
                )


def test_the_tables_of_chisafetybench_agree_with_one_another() -> None:
    seen = 0
    for whole, parts in whole_and_parts():
        sizes = [part.n or 0 for part in parts]
        assert len(parts) == 2
        assert sum(sizes) == whole.n
        mean = sum(part.value * n for part, n in zip(parts, sizes, strict=True)) / sum(sizes)
        # printed with two decimals of a percent
        assert mean == pytest.approx(whole.value, abs=1.01e-4), (whole, parts)
        seen += 1
    assert seen == 6 * 30


def test_the_misprint_stands_as_it_is_printed_and_says_so() -> None:
    third = [row for row in published_results(QA) if row.table == 3]
    finer = {
        (row.model, row.statistic, row.member): row.value
        for row in published_results(QA)
        if row.group == "turns" and row.table in {4, 5}
    }
    odd = [row for row in third if row.value != finer[row.model, row.statistic, row.member]]
    assert [(row.model, row.statistic, row.member, row.value) for row in odd] == [
        (BAICHUAN, "hr", "multi", 0.2673)
    ]
    assert [row for row in third if row.note] == odd
    assert finer[BAICHUAN, "hr", "multi"] == 0.1683


def test_tables_2_to_5_are_as_they_were_copied(printed: Mapping[str, Any]) -> None:
    paper = printed["chisafetybench"]
    copied = {
        (2, model, statistic, area): value
        for model, areas in paper["table_2"].items()
        for area, rates in areas.items()
        for statistic, value in rates.items()
    }
    for at, turns in ((4, "single"), (5, "multi")):
        for model, areas in paper[f"table_{at}"].items():
            for area, rates in areas.items():
                name = turns if area == "overall" else f"{area} × {turns}"
                copied |= {(at, model, s, name): value for s, value in rates.items()}
    for model, kinds in paper["table_3"].items():
        for kind, rates in kinds.items():
            copied |= {(3, model, s, kind.partition("_")[0]): v for s, v in rates.items()}
    ours = {
        (row.table, row.model, row.statistic, row.member or "overall"): round(row.value * 100, 2)
        for row in published_results(QA)
    }
    assert ours == copied


def test_the_other_numbers_are_as_they_were_copied(printed: Mapping[str, Any]) -> None:
    labels = {category.labels[0]: category.slug for category in CFSAFETY}
    for model, means in printed["cfsafety"]["category_means"].items():
        rows = [r for r in published_results("cfsafety") if r.model == model and r.group]
        assert {r.member: r.value for r in rows} == {labels[k]: v for k, v in means.items()}
    accuracies = printed["chisafetybench"]["mcq_accuracy"]
    for name in ("chisafetybench:mcq", "chisafetybench:mcq_plain"):
        values = {r.model: round(r.value * 100, 2) for r in published_results(name)}
        assert values == accuracies["best"] | accuracies["worst"]
    for context, pairs in printed["llm_ci"]["flows_agreed"].items():
        agreed = of(f"ci-vignettes:{context}", statistic="norm_agreement")
        assert {model: round(r.value * (r.n or 0), 9) for model, r in agreed.items()} == pairs
        (invalid,) = of(f"ci-vignettes:{context}", statistic="unanswered").values()
        assert invalid.value * 100 == pytest.approx(
            printed["llm_ci"]["invalid_responses"]["percent"]
        )
