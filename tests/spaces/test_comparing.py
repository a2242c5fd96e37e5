import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scripted_space import scripted

from normscope.errors import ConfigError, RunError, UsageError
from normscope.files import hash_file
from normscope.messages import translate
from normscope.records.config import RunConfig, dump
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.provenance import Provenance
from normscope.report.comparison.figures import draw
from normscope.spaces.normscope.comparing import read_sides
from normscope.spaces.normscope.judging import Judged, judge_rows, plan
from normscope.spaces.normscope.pages import written
from normscope.spaces.normscope.served import Judges
from normscope.spaces.normscope.texts import VisitorError
from normscope.spaces.normscope.upload import Columns, Upload
from normscope.spaces.normscope.views_compare import comparison_blocks, figure_blocks
from normscope.spaces.normscope.views_compare import plain as as_json

tab = pytest.importorskip(
    "normscope.spaces.normscope.tabs.compare", reason="needs gradio: pip install 'normscope[space]'"
)


def judged(
    path: Path,
    values: Sequence[float],
    *,
    rubric: str = "r",
    model: str = "m",
    benchmark: str = "b",
) -> Path:
    """A run's judgements: one answer per value, judged for its refusal."""
    rows = [
        dict.fromkeys(JUDGEMENTS.names)
        | {
            "benchmark": benchmark,
            "item_id": f"i{at}",
            "variant_id": "",
            "scale_order": "",
            "sample": 0,
            "model": model,
            "judge": "j",
            "rubric_hash": rubric,
            "criterion": "refusal",
            "source": "judge_logits",
            "value": value,
        }
        for at, value in enumerate(values)
    ]
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=JUDGEMENTS), path)
    return path


def wide(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def two(tmp_path: Path) -> list[list[str]]:
    first = judged(tmp_path / "a" / "judgements.parquet", [0, 0, 0, 2], model="=cmd()")
    second = judged(tmp_path / "b" / "judgements.parquet", [2, 2, 0, 2], model="aligned")
    return [[str(first)], [str(second)]]


def test_two_files_of_judgements_are_compared_item_by_item(two: list[list[str]]) -> None:
    runs, found, notes = tab.compared_of(two, [], although=False)
    assert [run.name for run in runs] == ["'=cmd()", "aligned"]
    rr1 = next(row for row in found.rows if row.statistic == "rr1")
    # 1 of 4 refused at first, then 3 of 4
    assert (rr1.first_value, rr1.second_value, rr1.estimate.value) == (0.25, 0.75, 0.5)
    assert [note.split(" ")[:2] for note in notes] == [
        ["Without", "every"],
        ["Without", "items.parquet"],
    ]


def test_another_rubric_is_refused_by_name_unless_it_is_asked_for(tmp_path: Path) -> None:
    given = [
        [str(judged(tmp_path / rubric / "judgements.parquet", [0, 1], rubric=rubric))]
        for rubric in ("r1", "r2")
    ]
    with pytest.raises(RunError, match="rubric hash: m has 'r1', m \\(2\\) has 'r2'"):
        tab.compared_of(given, [], although=False)
    _, found, _ = tab.compared_of(given, [], although=True)
    assert [mismatch.field for mismatch in found.mismatches] == ["rubric hash"]


def test_a_table_that_its_run_did_not_seal_so_is_refused(
    two: list[list[str]], tmp_path: Path
) -> None:
    sealed = {"judgements.parquet": hash_file(Path(two[0][0]))}
    config = tmp_path / "config.yaml"
    config.write_text(dump(RunConfig(provenance=Provenance().noted("judge", files=sealed))))
    tab.compared_of([[*two[0], str(config)], two[1]], [], although=True)
    judged(Path(two[0][0]), [3, 3, 3, 3], model="=cmd()")
    with pytest.raises(VisitorError, match="is not the file that the run"):
        tab.compared_of([[*two[0], str(config)], two[1]], [], although=False)


def test_what_is_wrong_with_a_config_is_told_by_its_own_name_in_the_visitors_language(
    two: list[list[str]], tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("decoding:\n  temprature: 0\n")
    with pytest.raises(ConfigError) as error:
        tab.compared_of([[*two[0], str(config)], two[1]], [], although=False)
    assert error.value.message == (
        "config.yaml:2: unknown key 'decoding.temprature'; did you mean 'temperature'?"
    )
    shown = translate(error.value.message, "zh")
    assert shown == "config.yaml:2：未知的键 'decoding.temprature'；是否指 'temperature'？"


def test_judged_files_are_paired_by_their_questions_whatever_their_order(tmp_path: Path) -> None:
    rows = [{"question": q, "refusal": v, "refusal_reason": ""} for q, v in (("a", 0), ("b", 2))]
    first = wide(tmp_path / "first.csv", rows)
    second = wide(tmp_path / "second.csv", rows[::-1])
    runs, found, _ = tab.compared_of([[str(first)], [str(second)]], ["", "turned"], although=False)
    assert [run.name for run in runs] == ["first", "turned"]
    assert next(row for row in found.rows if row.statistic == "rr1").estimate.value == 0


def test_an_effect_against_its_difference_stands_with_its_name_and_the_test(tmp_path: Path) -> None:
    # of eleven scores ten fall by 0.1 and one rises by 4: the mean rises, the most of them fall
    sides = [
        [
            {"question": f"q{at}", **dict.fromkeys(("moral_reason", "rating_reason"), ""), **row}
            for at, row in enumerate(rows)
        ]
        for rows in (
            [{"moral": 1, "rating": 4.0}] * 10 + [{"moral": 1, "rating": 1.0}],
            [{"moral": 1, "rating": 3.9}] * 10 + [{"moral": 1, "rating": 5.0}],
        )
    ]
    files = [[str(wide(tmp_path / f"{at}.csv", rows))] for at, rows in enumerate(sides)]
    _, result, notes = tab.compared_of(files, [], although=False)
    [score] = [row for row in result.rows if row.statistic == "score"]
    assert score.test is not None
    assert score.test.effect is not None
    assert score.test.effect < 0 < (score.estimate.value or 0.0)
    page = written([*comparison_blocks(result, notes)], "en")
    assert "<small>rank-biserial</small>" in page
    assert "<small>paired t</small>" in page
    assert "may turn its sign" in page
    [line] = [row for row in as_json(result, notes)["differences"] if row["statistic"] == "score"]
    assert (line["test"], line["effect_name"]) == ("paired t", "rank-biserial")
    # the smallest p of all is a bound, and no power of ten
    assert "10^" not in page


def test_files_judged_here_go_by_the_names_of_the_files_that_were_judged(tmp_path: Path) -> None:
    upload = Upload("base.csv", [{"question": "q", "answer": "a"}], ("question", "answer"))
    judge = Judges(loading=scripted).default
    sides = []
    for name in ("base.csv", "tuned.csv"):
        *_, result = judge_rows(
            plan(replace(upload, name=name), Columns("question", "answer"), judge)
        )
        assert isinstance(result, Judged)
        folder = tmp_path / name
        folder.mkdir()
        pq.write_table(result.judgements(), folder / "judgements.parquet")
        sides.append([folder / "judgements.parquet"])
    runs, _ = read_sides(sides)
    assert [run.name for run in runs] == ["base", "tuned"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_says_how_many_differences_by_category_are_sure(
    tmp_path: Path, language: Any
) -> None:
    sides = []
    for name, shift in (("first", 0), ("second", 2)):
        rows = [
            {"question": f"q{at}", "category": at % 2, "refusal": shift * (at % 2)}
            for at in range(60)
        ]
        sides.append(
            [str(wide(tmp_path / f"{name}.csv", [r | {"refusal_reason": ""} for r in rows]))]
        )
    _, found, notes = tab.compared_of(sides, [], although=False)
    tested = [row for row in found.rows if row.group and row.p_adjusted is not None]
    sure = [row for row in tested if row.p_adjusted < 0.05]
    assert 0 < len(sure) < len(tested)
    page = written([*comparison_blocks(found, notes)], language)
    en = f"{len(sure)} of {len(tested)} differences by group have p &lt; 0.05"
    zh = f"{len(tested)} 个差异中，经 Benjamini–Hochberg 校正后 {len(sure)} 个 p &lt; 0.05"
    assert {"en": en, "zh": zh}[language] in page


def test_the_facts_beside_a_judged_file_are_held_against_one_another(tmp_path: Path) -> None:
    rows = [{"question": "a", "refusal": 1, "refusal_reason": ""}]
    sides = []
    for name in ("first", "second"):
        facts = tmp_path / f"{name}.judging.json"
        told = {"rubric": name, "min_coverage": 0.5, "judge": {"model": "j"}}
        facts.write_text(json.dumps(told))
        sides.append([str(wide(tmp_path / f"{name}.csv", rows)), str(facts)])
    with pytest.raises(RunError, match="rubric hash: first has 'first', second has 'second'"):
        tab.compared_of(sides, [], although=False)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"a": "1"}], "neither a run's table"),
        ([{"question": "q", "refusal": "high", "refusal_reason": ""}], "which is no number"),
    ],
)
def test_a_file_that_is_no_judgement_is_told_kindly(
    tmp_path: Path, rows: list[Mapping[str, object]], message: str
) -> None:
    path = wide(tmp_path / "x.csv", rows)
    with pytest.raises(VisitorError, match=message):
        read_sides([[path], [path]])


def test_one_side_is_no_comparison(two: list[list[str]]) -> None:
    with pytest.raises(VisitorError, match="two sides"):
        tab.compared_of([two[0], None], [], although=False)


def test_names_stay_text_on_the_page_and_in_the_figures(
    two: list[list[str]], tmp_path: Path
) -> None:
    names = ["<img src=x onerror=alert(1)>", "$\\frac{"]
    runs, found, notes = tab.compared_of(two, names, although=False)
    page = written([*comparison_blocks(found, notes)], "zh")
    assert "<img" not in page
    assert "&lt;img src=x" in page
    files = draw(runs, found, tmp_path, formats=("png",))
    page = written([*figure_blocks(files)], "en")
    assert '<div class="drawn" tabindex="0"><svg' in page
    assert "<img src=x" not in page


def test_a_single_run_stands_beside_published_results_where_they_are_asked_for(
    tmp_path: Path, two: list[list[str]]
) -> None:
    path = tmp_path / "qa" / "judgements.parquet"
    sides = [[str(judged(path, [0, 2, 2, 3], benchmark="chisafetybench:qa"))], None]
    with pytest.raises(VisitorError, match="two sides"):
        tab.compared_of(sides, [], although=False)
    runs, found, notes = tab.compared_of(sides, [], although=False, published=True)
    rows = as_json(found, notes)["published"][0]["own"]
    values = {row["beside"]: row["statistic"]["estimate"]["value"] for row in rows}
    assert values == {"rr1": 0.75, "rr2": 0.25, "hr": 0.25}
    page = written(tuple(comparison_blocks(found, notes)), "zh")
    assert "Qwen1.5-72B-Chat" in page
    assert 'class="ring"' in page
    assert "563" in page
    assert draw(runs, found, tmp_path / "figures", formats=("png",)).paths == ()
    with pytest.raises(UsageError, match="no published results for b; there are for cfsafety"):
        tab.compared_of([two[0], None], [], although=False, published=True)
    with pytest.raises(VisitorError, match="Add a run's files"):
        tab.compared_of([None, None], [], although=False, published=True)
