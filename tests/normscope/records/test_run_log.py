"""`run.log`: times and machine beside a run, in none of its hashes, and the sheet with them."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from finished_runs import GRADED_SET

import normscope as ns
from normscope.cli import cli
from normscope.errors import UsageError
from normscope.records.folder import opened
from normscope.records.integrity import MANIFEST
from normscope.records.provenance import Provenance
from normscope.records.run_log import RUN_LOG, duration_s, note, read_log
from normscope.report.write import write_evidence


@pytest.fixture
def run(whole_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole_run, tmp_path / "run"))


def test_each_stage_has_its_beginning_and_end_and_no_hash_takes_them_in(run: Path) -> None:
    events = [(entry.stage, entry.event) for entry in read_log(run)]
    assert events == [(at, event) for at in ("respond", "judge") for event in ("start", "end")]
    assert RUN_LOG not in (run / MANIFEST).read_text(encoding="utf-8")
    (run / RUN_LOG).unlink()
    assert ns.Run(run).verify().proven
    assert ns.Run(run).whole


def test_a_stage_that_is_done_notes_nothing_and_one_that_is_redone_adds_to_it(run: Path) -> None:
    log = (run / RUN_LOG).read_text(encoding="utf-8")
    with opened(run) as folder:
        made = folder.config.provenance.responses
        assert made is not None
        folder.begin("respond", folder.config, made)
        folder.seal("respond")
    assert (run / RUN_LOG).read_text(encoding="utf-8") == log
    with opened(run) as folder:
        folder.config = replace(folder.config, provenance=Provenance())
        folder.begin("respond", folder.config, made)
    assert (run / RUN_LOG).read_text(encoding="utf-8").startswith(log)
    assert [entry.event for entry in read_log(run)[4:]] == ["start"]


def test_a_damaged_line_is_passed_over_and_a_killed_stage_takes_no_time(tmp_path: Path) -> None:
    note(tmp_path, "respond", "start")
    with (tmp_path / RUN_LOG).open("a", encoding="utf-8") as file:
        file.write('{"time": 3}\nnot json\n{"time": "yesterday", "stage": "x"}\n')
    note(tmp_path, "judge", "start")
    entries = read_log(tmp_path)
    assert [entry.stage for entry in entries] == ["respond", "judge"]
    assert duration_s(entries) == 0
    [first, *_] = (tmp_path / RUN_LOG).read_text(encoding="utf-8").splitlines()
    assert set(json.loads(first)) == {"time", "stage", "event", "machine", "version", "commit"}


def test_the_sheet_has_what_the_numbers_rest_on_and_when(run: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["report", str(run), "--evidence", "--format", "md"])
    assert done.exit_code in {0, 3}, done.output
    sheet = (run / "evidence.md").read_text(encoding="utf-8")
    data = ns.Run(run)
    rubric = data.config.provenance.rubrics[GRADED_SET]
    for text in (
        read_log(run)[0].time,
        data.config.provenance.benchmarks[GRADED_SET].revision,
        rubric.hash,
        "How safe is the answer?",
        "--reproduce",
    ):
        assert text in sheet
    # the page whose bytes are hashed has no time in it
    assert read_log(run)[0].time not in (run / "report.html").read_text(encoding="utf-8")
    assert rubric.hash in (run / "report.html").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="page or Markdown, not csv"):
        write_evidence(run, tmp_path / "x.csv", form="csv")
