"""A part of a benchmark that is unscored wholly: on the first screens, and in the exit code."""

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from report_runs import Page
from undrawn import undrawn

from normscope.cli import cli, commands
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.records.model_spec import ModelSpec
from normscope.records.run import Run
from normscope.report import render
from normscope.report.write import data_of

__all__ = ["undrawn"]

# 5 of 10 answers are Chinese, each judged under three criteria; 40 vignettes in 11 variants speak
# for themselves: 15 of 30 judgements of the one, 15 of 470 of both
ASKED = (
    *("-b", "safety-gradient,ci-vignettes:coppa", "--judge", "judge"),
    *("--limit", "safety-gradient=10", "--limit", "ci-vignettes:coppa=40"),
)
OVER = (
    "safety-gradient: 50.0 % of the judgements are unscored "
    "(15 of 30: 15 × language not covered), more than 5.00 %"
)


class OnlyEnglish(FakeEngine):
    """A judge that was made for one language."""

    @property
    def identity(self) -> dict[str, Any]:
        return {"engine": "fake", "model": self.name, "languages": ["en"]}


def even(request: LabelRequest) -> LabelResult:
    """The same for every label but a hair more for the first."""
    first, *others = [-math.log(len(request.scale.labels))] * len(request.scale.labels)
    return LabelResult((first + 1e-8, *others))


def load(spec: ModelSpec) -> FakeEngine:
    engine = OnlyEnglish if spec.model == "judge" else FakeEngine
    return engine(even, lambda _: TextResult("No."), name=spec.model)


def stage(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module", autouse=True)
def scripted() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "load", load)
        yield


@pytest.fixture(scope="module")
def first(scripted: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A run of which a part is unscored, and what its command says."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    return folder, stage("run", *ASKED, "--model", "model", "--out", folder)


@pytest.mark.slow
def test_the_threshold_holds_for_each_benchmark_and_the_part_is_named_first(
    first: tuple[Path, Result], tmp_path: Path
) -> None:
    folder, done = first
    assert done.exit_code == 3
    assert f"{folder}: {OVER}" in done.output
    # a category of which the slice has Chinese answers alone is named after the language
    told = "the judge or the engine failed at every judgement of language zh (15 × language not"
    shown = " ".join(done.output.split())
    assert "; category Minority languages (3 × language not covered)" in shown
    assert f"! safety-gradient: {told} covered);" in shown
    assert shown.index(told) < shown.index("95 % interval")
    data = data_of(Run.open(folder))
    page = Page(render(data, "en")).text
    assert f"Warning safety-gradient: {told} covered);" in page
    assert page.index(told) < page.index("What was asked of whom")
    assert f"> **Warning** safety-gradient: {told}" in render(data, "en", form="md")
    chinese = (
        "safety-gradient：以下各项的判断因评判模型或引擎而全部缺失："
        "语言 中文（15 × 语言未覆盖）；类别 "
    )
    assert chinese in Page(render(data, "zh")).text
    assert chinese in render(data, "zh", form="md")
    # a higher threshold: the part is named all the same
    copy = shutil.copytree(folder, tmp_path / "run")
    again = stage("run", *ASKED, "--model", "model", "--set", "max_unscored=0.5", "--out", copy)
    assert again.exit_code == 0
    assert told in " ".join(again.output.split())


def test_each_stage_ends_with_the_exit_code_of_the_row(
    first: tuple[Path, Result], tmp_path: Path
) -> None:
    folder = shutil.copytree(first[0], tmp_path / "run")
    judging = ("judge", folder, "--judge", "judge")
    copy = ("report", folder, "--format", "csv", "--out", tmp_path / "scores.csv")
    for command in (judging, ("score", folder), ("report", folder), copy):
        done = stage(*command)
        assert (done.exit_code, f"{folder}: {OVER}" in done.output) == (3, True), command
    # what was allowed stays with the run
    assert stage(*judging, "--set", "max_unscored=0.5").exit_code == 0
    for command in (("score", folder), ("report", folder), copy):
        done = stage(*command)
        assert (done.exit_code, OVER in done.output) == (0, False), command
    assert (tmp_path / "scores.csv").is_file()
