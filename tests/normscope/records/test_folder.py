"""What may change when a run goes on, and what may not."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from finished_runs import CONFIG, scripted

from normscope.errors import RunError
from normscope.judges.engine import LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.verify import verify
from normscope.pipeline.workers.here import Here
from normscope.records import folder
from normscope.records.folder import fork, opened
from normscope.records.integrity import JOURNAL
from normscope.records.model_spec import EndpointSettings, ModelSpec
from normscope.records.provenance import ResponsesProvenance
from normscope.records.settings import Settings
from normscope.report.write import report

MODEL = ModelSpec("http://localhost:8000/v1#m")
SERVED = ResponsesProvenance(model={"engine": "endpoint"})


def asked(**settings: object) -> Settings:
    return Settings(model=replace(MODEL, endpoint=replace(EndpointSettings(), **settings)))  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", [{"max_requests": 9}, {"concurrency": 2}, {"timeout_s": 5.0}])
def test_a_run_goes_on_when_a_server_is_asked_more_slowly_or_with_more_to_spend(
    settings: dict[str, object], tmp_path: Path
) -> None:
    with opened(tmp_path / "run", create=True) as run:
        run.begin("respond", asked(), SERVED)
        run.begin("respond", asked(**settings), SERVED)


def test_a_run_does_not_go_on_with_other_marks_or_another_date(tmp_path: Path) -> None:
    with opened(tmp_path / "run", create=True) as run:
        run.begin("respond", asked(), SERVED)
        with pytest.raises(RunError, match=r"model\.endpoint\.marks: was \[\], now \['<x>'\]"):
            run.begin("respond", asked(marks=("<x>",)), SERVED)
        dated = Settings(model=replace(MODEL, date="2026-02-03"))
        with pytest.raises(RunError, match=r"model\.date: was '2026-01-01', now '2026-02-03'"):
            run.begin("respond", dated, SERVED)


@pytest.fixture
def dead() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_folder_whose_process_was_killed_in_its_very_first_write_is_a_run_to_be(
    tmp_path: Path, dead: int
) -> None:
    (tmp_path / ".lock").touch()
    (tmp_path / f".config.yaml.{dead}.part").write_text("benchm")
    with opened(tmp_path, create=True):
        assert [path.name for path in tmp_path.iterdir()] == [".lock"]


@pytest.mark.parametrize("names", [["notes.txt"], ["items.parquet"], [".notes.1.part"]])
def test_a_folder_of_somebody_elses_is_refused_and_left_alone(
    tmp_path: Path, names: list[str]
) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(RunError, match="is no run folder but holds"), opened(tmp_path, create=True):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_what_killed_processes_left_is_swept_and_what_others_write_is_not(
    tmp_path: Path, dead: int
) -> None:
    run = tmp_path / "run"
    with opened(run, create=True) as begun:
        begun.begin("respond", asked(), ResponsesProvenance())
    living = [f".report.zh.html.{process}.part" for process in (1, os.getpid())]
    for name in (f".report.zh.html.{dead}.part", f".scores.json.{dead}.part", *living):
        (run / name).touch()
    with opened(run):
        parts = sorted(path.name for path in run.glob(".*.part"))
        assert parts == sorted(living)


def test_a_fork_that_was_killed_before_its_configuration_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(spec: ModelSpec) -> FakeEngine:
        return FakeEngine(lambda _: LabelResult((-1.0, -2.0)), lambda _: TextResult("No."))

    settings = Settings(benchmark=("safety-gradient",), limit={"all": 2})
    with opened(tmp_path / "run", create=True) as begun:
        respond(begun, settings, Here(load))
    with monkeypatch.context() as patched:
        patched.setattr(folder, "write_text", interrupt)
        with pytest.raises(KeyboardInterrupt):
            fork(tmp_path / "run", tmp_path / "fork")
    assert (tmp_path / "fork" / "responses.parquet").is_file()
    for _ in range(2):
        fork(tmp_path / "run", tmp_path / "fork")
    with opened(tmp_path / "fork") as forked:
        assert len(forked.read().items) == 2
    with opened(tmp_path / "other", create=True) as other:
        respond(other, replace(settings, limit={"all": 1}), Here(load))
    with pytest.raises(RunError, match="is a run already"):
        fork(tmp_path / "other", tmp_path / "fork")


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_journal_may_lie_elsewhere_and_stands_beside_the_run_when_it_is_whole(
    tmp_path: Path,
) -> None:
    path, local = tmp_path / "run", tmp_path / "local"
    with opened(path, create=True, journal=local) as run:
        for stage in (respond, judge):
            stage(run, CONFIG, Here(scripted))
        assert [each.name for each in local.glob("*/*.sqlite")] == [JOURNAL]
        assert not (path / JOURNAL).exists()
        score(run)
        report(run)
    assert verify(path).proven
    # the local disk is another one now
    shutil.rmtree(local)
    with opened(path, journal=local) as run:
        assert all(run.journal.counts(n).units for n in ("respond:labels", "judge", "judge:facts"))
