"""A run whose judge answers in labels, in text, or in both: what is scored, shown and compared."""

import csv
import math
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from finished_runs import whole_row

from normscope.builders.registry import benchmark
from normscope.cli import cli, commands
from normscope.files import read_json, read_parquet
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.judge import LoadedJudge
from normscope.judges.rubric_choice import questions_for
from normscope.judges.rubric_files import rubric
from normscope.metrics.estimate import Statistic
from normscope.records.integrity import is_whole
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec
from normscope.records.response import Response
from normscope.records.settings import Settings

GRADED = "safety-gradient"
CONFIG = Settings((GRADED,), ModelSpec("model"), ModelSpec("judge"), limit={"all": 6})


def last(request: LabelRequest) -> LabelResult:
    """Nearly all of the mass on the last label."""
    k = len(request.scale.labels)
    return LabelResult(tuple(math.log(0.01 if at < k - 1 else 0.9) for at in range(k)))


def verdict(request: TextRequest) -> TextResult:
    """The last label of moral and refusal; 4 of rating for what is in English, else prose."""
    prompt = request.conversation[0][1]
    for name, reply in (("moral", "1"), ("refusal", "3"), ("rating", "4")):
        if f"verdict on the answer: {name}" in prompt or f"回答的 {name}" in prompt:
            return TextResult("难说" if name == "rating" and "回答的" in prompt else reply)
    raise AssertionError(prompt)


def load(spec: ModelSpec) -> FakeEngine:
    return FakeEngine(last, verdict, name=spec.model)


def run_of(folder: Path, **settings: Any) -> tuple[Path, tuple[Statistic, ...]]:
    scores = whole_row(folder, replace(CONFIG, **settings), load)
    return folder, scores.by_benchmark[GRADED]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, tuple[Statistic, ...]]]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "labels": run_of(folder / "labels"),
        "text": run_of(folder / "text", judge_channels=("text",)),
        "both": run_of(folder / "both", judge_channels=("text", "labels")),
    }


def values(statistics: tuple[Statistic, ...], group: str = "", member: str = "") -> dict[str, Any]:
    return {
        row.name: row.estimate for row in statistics if (row.group, row.member) == (group, member)
    }


def test_a_run_judged_in_both_channels_is_scored_by_the_labels_and_shows_the_text_beside(
    runs: Any,
) -> None:
    folder, both = runs["both"]
    assert is_whole(folder)
    _, labels = runs["labels"]
    _, text = runs["text"]
    assert values(both)["score"] == values(labels)["score"]
    assert values(both, "channel", "labels")["score"] == values(labels)["score"]
    assert values(both, "channel", "text")["score"] == values(text)["score"]
    assert "channel disagreement" in (folder / "report.html").read_text()


def test_their_disagreement_is_counted_over_the_verdicts_that_both_gave(runs: Any) -> None:
    _, both = runs["both"]
    rows = read_parquet(runs["both"][0] / "judgements.parquet").to_pylist()
    zh = sum(row["reason"] == "unreadable_verdict" for row in rows)
    n = len(rows) // 2
    assert 0 < zh < n
    shares = values(both)
    # moral and refusal agree; rating differs (5 in labels, 4 in text) where it could be read
    expected = (n / 3 - zh) / (n - zh)
    assert shares["channel_disagreement"].value == pytest.approx(expected)
    assert shares["channel_disagreement"].unscored == zh


def test_an_unreadable_verdict_is_unscored_and_named(runs: Any) -> None:
    folder, text = runs["text"]
    rating = [
        row
        for row in read_parquet(folder / "judgements.parquet").to_pylist()
        if row["criterion"] == "rating" and row["reply"] == "难说"
    ]
    assert rating and {row["reason"] for row in rating} == {"unreadable_verdict"}
    assert values(text)["score"].unscored == len(rating)
    page = (folder / "report.html").read_text()
    assert "unreadable verdict" in page


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(commands, "load", load)
    yield


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        ("text", {"refusal": "3.0", "refusal_reply": "3", "refusal_coverage": ""}),
        ("labels,text", {"refusal": "3.0", "refusal_text": "3.0", "refusal_reply": "3"}),
    ],
)
def test_a_file_is_judged_in_text_as_a_run_is(
    channel: str, expected: dict[str, str], tmp_path: Path, scripted: None
) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "judged.csv"
    source.write_text("question,response\nMay I?,No.\n", encoding="utf-8")
    flags = ["--judge", "judge", "--rubric", "cfsafety", "--criteria", "refusal"]
    result = CliRunner().invoke(
        cli, ["judge", str(source), *flags, "--set", f"judge_channels={channel}", "--out", str(out)]
    )
    assert result.exit_code == 0, result.output
    (row,) = csv.DictReader(StringIO(out.read_text(encoding="utf-8")))
    assert expected.items() <= row.items()
    facts = read_json(tmp_path / "judged.judging.json")
    assert facts["channels"] == channel.split(",")


def test_the_zero_shot_rubric_takes_the_benchmarks_place_and_its_names_are_read() -> None:

    config = replace(CONFIG, rubric="chisafetybench-zero-shot", judge_channels=("text",), limit={})
    asked = {"chisafetybench:qa": benchmark("chisafetybench:qa")[1]}
    questions = questions_for(asked, (), config)
    assert questions["chisafetybench:qa"].hash == rubric("chisafetybench-zero-shot").hash
    item = Item("chisafetybench:qa", "1", (Turn("user", "?"),), "zh", category="gender")
    engine = FakeEngine(last, lambda _: TextResult("拒绝并负责任地引导"))
    ((refusal,),) = LoadedJudge(engine, questions, 0.5, channels=("text",)).judge(
        [(item, Response.to(item, "不。"))]
    )
    assert refusal.value == 3.0
