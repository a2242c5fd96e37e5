"""The page of answers: whole, in both languages, with nobody's markup but ours."""

import base64
import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import normscope as ns
from normscope.cli.report import view
from normscope.errors import RunError, UsageError
from normscope.files import read_parquet
from normscope.records.run import Run
from normscope.viewer import Answers, answers_page, opened
from tests.shared.viewed_runs import CHANGED, EVIL, N, aligned, base


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return base(folder), aligned(folder)


@pytest.fixture(scope="module")
def both(runs: tuple[Path, Path]) -> Answers:
    return Answers([*map(Run.open, runs)])


def rows_of(page: str) -> list[dict[str, Any]]:
    """What the script of the page reads of each answer."""
    found = re.search(r'id="data">([^<]*)<', page)
    assert found
    rows: list[dict[str, Any]] = json.loads(gzip.decompress(base64.b64decode(found[1])))["rows"]
    return rows


def test_a_page_has_every_answer_and_no_markup_of_others(both: Answers) -> None:
    page = answers_page(both)
    assert page == answers_page(both)
    rows = rows_of(page)
    assert len({row["key"] for row in rows}) == len(rows) == N
    assert sum("changed" in row["flags"] for row in rows) == CHANGED
    assert {response["text"] for response in rows[0]["responses"]} == {EVIL}
    assert not re.search(r"<(script|img)", re.sub(r"<script.*?</script>", "", page, flags=re.S))


def test_an_opened_answer_is_what_the_tables_say(runs: tuple[Path, Path], both: Answers) -> None:
    given = both.records(both.where())
    for at, run in enumerate(runs):
        judged = [each["judgement"] for of in given for each in of[at]["judgements"]]
        assert judged == read_parquet(run / "judgements.parquet").to_pylist()
        responses = [of[at]["response"] for of in given]
        assert responses == read_parquet(run / "responses.parquet").to_pylist()


def test_the_first_stand_on_a_page_that_cannot_hold_all(both: Answers) -> None:
    page = answers_page(both, "language = 'zh'", language="zh", most=7)
    assert len(rows_of(page)) == 7
    assert '<html lang="zh">' in page
    assert "本页仅列出前 7" in page
    assert "language = &#39;zh&#39;" in page


def test_who_reads_the_first_answers_reads_no_others(runs: tuple[Path, Path]) -> None:
    first, every = (Answers([*map(opened, runs)], first=first) for first in (7, None))
    assert (len(first), len(first.where())) == (N, 7)
    assert first.rows(range(7)) == every.rows(range(7))
    assert first.records(range(7)) == every.records(range(7))
    page = answers_page(first, most=7)
    assert [row["key"] for row in rows_of(page)] == [
        row["key"] for row in rows_of(answers_page(every))
    ][:7]
    assert f"{N} of {N} answers" in page


def call(*arguments: str | Path) -> str:
    return CliRunner().invoke(view, [*map(str, arguments)], catch_exceptions=False).output.strip()


def test_the_verb_writes_the_page_and_opens_it(
    runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr("webbrowser.open", seen.append)
    assert call(runs[0]) == str(runs[0] / "answers.html")
    out = tmp_path / "changed.html"
    assert call(*runs, "--where", "changed", "--out", out, "--no-open") == str(out)
    assert len(rows_of(out.read_text())) == CHANGED
    assert seen == [(runs[0] / "answers.html").as_uri()]
    with pytest.raises(UsageError, match="columns: "):
        call(runs[0], "--where", "changed")
    with pytest.raises(UsageError, match="named twice"):
        call(runs[0], runs[0])


def test_a_run_has_its_answers_as_a_data_frame(runs: tuple[Path, Path]) -> None:
    frame = ns.Run(runs[0]).answers
    assert len(frame) == N
    assert (frame.refusal == "risky").sum() == CHANGED
    assert frame.unscored.sum() == N // 10


def test_a_run_that_was_changed_since_is_refused(tmp_path: Path) -> None:
    run = base(tmp_path)
    table = run / "responses.parquet"
    table.write_bytes(table.read_bytes().replace(b"base says", b"base lies"))
    with pytest.raises(RunError, match=r"responses\.parquet"):
        call(run)


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_search_box_and_drop_downs_choose_in_a_browser(
    browser: Any, both: Answers, tmp_path: Path
) -> None:
    path = tmp_path / "answers.html"
    path.write_text(answers_page(both), encoding="utf-8")
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request", lambda asked: complaints.append(asked.url) if "file:" not in asked.url else 0
    )
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(path.as_uri())
    status = page.locator("#status")
    assert status.inner_text() == f"1–25 of {N} answers"
    assert page.inner_text("#change") == (
        f"{CHANGED} of {N} changed, most often risky → responsible refusal ({CHANGED})"
    )
    first = page.locator(".answer").first
    assert EVIL in first.inner_text()
    assert not page.is_visible(".answer .quote")
    first.locator("summary").first.click()
    assert page.locator(".answer .quote").first.inner_text() == EVIL
    assert page.locator("#list script, #list img").count() == 0
    page.get_by_role("button", name="Next").click()
    assert status.inner_text() == f"26–50 of {N} answers"
    page.locator("#search").fill("QUESTION 1")
    assert status.inner_text() == "1–5 of 5 answers"
    page.locator("#search").fill("")
    page.get_by_label("refusal").select_option("risky")
    assert status.inner_text() == f"1–{CHANGED} of {CHANGED} answers"
    page.goto(f"{path.as_uri()}#item-{rows_of(path.read_text())[-1]['key']}")
    page.reload()
    assert page.locator(".answer[open]").count() == 1
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
