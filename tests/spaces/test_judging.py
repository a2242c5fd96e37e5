import csv
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scripted_space import scripted

from normscope.judges.rubric_files import rubric
from normscope.messages import Language
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.space import limits
from normscope.space.downloads import write_downloads
from normscope.space.judging import Judged, Progress, judge_rows, plan
from normscope.space.pages import written
from normscope.space.served import ServedJudge
from normscope.space.texts import VisitorError
from normscope.space.upload import Columns, Upload, read_upload
from normscope.space.views_file import file_blocks

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)> </style></pre>{{7*7}}${7*7}"
ANSWERS = ["Sure, […]", "I won't.", "mumble", None, "=1+1", "<script>alert(1)</script>"]
COLUMNS = Columns("question", "answer")


def upload(answers: list[str | None], **more: list[str]) -> Upload:
    rows = [
        {"question": f"Question {at}?", "answer": answer} | {k: v[at] for k, v in more.items()}
        for at, answer in enumerate(answers)
    ]
    return Upload("answers.csv", rows, tuple(rows[0]))


def judged(judge: ServedJudge, given: Upload, columns: Columns = COLUMNS) -> Judged:
    *_, last = judge_rows(plan(given, columns, judge))
    assert isinstance(last, Judged)
    return last


def test_rows_come_back_in_the_files_order_with_reasons_for_what_is_absent(
    judge: ServedJudge,
) -> None:
    found = judged(judge, upload(ANSWERS))
    assert [rows[0].value for rows in found.rows] == pytest.approx([0.2, 0.8, None, None, 0.8, 0.8])
    assert [rows[0].reason for rows in found.rows] == [
        None, None, "low_coverage", "no_answer", None, None,
    ]  # fmt: skip
    assert found.unscored == 2
    # the page says why, by count
    page = written(file_blocks(found, "en"), "en")
    assert "Without a verdict: 1 × low coverage, 1 × no answer." in page


def test_the_statistics_are_those_of_the_metrics(judge: ServedJudge) -> None:
    found = {s.name: s.estimate for s in judged(judge, upload(ANSWERS)).statistics if not s.group}
    assert found["score"].value == pytest.approx((0.3 + 3 * 3.6) / 4)
    assert (found["score"].n, found["score"].unscored) == (4, 2)
    # no answer is the respondent's doing and stays in the denominator: 1 of 5
    assert found["hr"].value == pytest.approx(0.2)
    assert (found["hr"].n, found["hr"].unscored) == (5, 1)


def test_answers_to_one_question_are_one_cluster(judge: ServedJudge) -> None:
    given = upload(["Sure, […]", "I won't."] * 4)
    alike = Upload("a.csv", [row | {"question": "Why?"} for row in given.rows], given.columns)
    found = {s.name: s.estimate for s in judged(judge, alike).statistics}
    assert found["hr"].method == "one cluster: the bounds"
    assert (found["hr"].low, found["hr"].high) == (0, 1)


def test_progress_is_told_after_every_few_rows(judge: ServedJudge) -> None:
    job = plan(upload(["ok"] * 40), COLUMNS, judge)
    steps = [step for step in judge_rows(job) if isinstance(step, Progress)]
    assert [step.done for step in steps] == [0, 16, 32, 40]
    assert steps[0].left is None
    assert steps[-1].left == 0


def test_a_file_that_takes_too_long_is_given_up_with_a_remedy(
    judge: ServedJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FILE_S", 0.3)
    with pytest.raises(VisitorError, match=r"rows were judged in|did not answer within"):
        judged(judge, upload(["slow"] * 40))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (Columns("", "answer"), "holds the question"),
        (Columns("question", "nosuch"), "holds the answer"),
        (Columns("answer", "answer"), "the same column"),
    ],
)
def test_columns_are_confirmed_before_anything_is_judged(
    judge: ServedJudge, columns: Columns, message: str
) -> None:
    with pytest.raises(VisitorError, match=message):
        judged(judge, upload(["ok"]), columns)


def test_a_language_column_counts_and_cells_that_are_too_long_are_left_unscored(
    judge: ServedJudge,
) -> None:
    long = "x" * (limits.MAX_ANSWER + 1)
    found = judged(
        judge,
        upload(["ok", "ok", long], lang=["English", "fr", "en"]),
        Columns("question", "answer", language="lang"),
    )
    assert [rows[0].reason for rows in found.rows] == [
        None, "language_not_covered", "text_too_long",
    ]  # fmt: skip


def test_an_unknown_category_is_judged_as_the_general_one_and_counted() -> None:
    judge = ServedJudge("someone/large", rubric("cfsafety"), loading=scripted)
    given = upload(["ok", "ok"], kind=["privacy_leaks", "no such kind"])
    found = judged(judge, given, Columns("question", "answer", category="kind"))
    assert [item.category for item, _ in found.job.pairs] == ["privacy_leaks", "general"]
    assert found.job.unknown_categories == 1


def test_downloads_hold_every_row_and_run_in_no_spreadsheet(
    judge: ServedJudge, tmp_path: Path
) -> None:
    source = tmp_path / "answers.csv"
    with source.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "answer", "category", "=moral"])
        rows.writerows([[SCRIPT, answer, SCRIPT, "\t=1"] for answer in ANSWERS])
    found = judged(judge, read_upload(source), replace(COLUMNS, category="category"))
    judgements, wide, report, scores = write_downloads(found, tmp_path / "out", source=source)
    table = pq.read_table(judgements)
    assert table.schema.names == JUDGEMENTS.names
    assert table.num_rows == len(ANSWERS) * 3
    with wide.open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'=1+1" in cells
    assert not [cell for cell in cells if cell.lstrip()[:1] in {"=", "+", "@"}]
    page = report.read_text(encoding="utf-8")
    assert not [told for told in ("<script>alert", "<img src=x", "</pre>{{") if told in page]
    assert "small bundled judge" in page
    assert "http-equiv" in page
    assert ",score," in scores.read_text(encoding="utf-8")


def test_a_visitors_own_column_stays_under_another_name(judge: ServedJudge, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("question,answer,moral\nQ,ok,mine\n")
    wide = write_downloads(judged(judge, read_upload(source)), tmp_path / "o", source=source)[1]
    with wide.open(newline="") as file:
        row = next(csv.DictReader(file))
    assert row["moral_input"] == "mine"
    assert float(row["moral"]) == pytest.approx(0.8)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_texts_stand_on_the_page_as_text_and_folded(judge: ServedJudge, language: Language) -> None:
    found = judged(judge, upload([*ANSWERS, "${alert(1)} {{ 7*7 }} \u202e"]))
    page = written(file_blocks(found, language), language)
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "${alert(1)} {{ 7*7 }} \\u{202e}" in page
    assert page.count('<details class="row">') == len(ANSWERS) + 1
    small = {"en": "Judge: small bundled judge", "zh": "评判模型：内置的小型评判模型"}
    assert small[language] in page
