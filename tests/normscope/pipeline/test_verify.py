"""A run is proven whole, or what it lacks is named with the command that finishes it."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from finished_runs import CONFIG, answer, judged_row, reply, scripted

from normscope.cli import cli, commands
from normscope.files import hash_file, read_parquet, write_parquet, write_text
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.respond import respond
from normscope.pipeline.verify import Verification, verify
from normscope.pipeline.workers.here import Here
from normscope.reasons import Reason
from normscope.records.folder import opened
from normscope.records.integrity import JOURNAL
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import dump, read

JUDGED = "safety-gradient"


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", scripted)


def normscope(*arguments: object) -> Any:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def counted(result: Verification) -> dict[str, tuple[int, int]]:
    return {stage.stage: (stage.rows, stage.rows_done) for stage in result.stages}


def problems(result: Verification) -> set[tuple[str, str]]:
    return {(finding.file, finding.problem) for finding in result.findings}


def test_a_finished_run_is_proven_and_left_as_it_is(run: Path) -> None:
    before = contents(run)
    result = verify(run)
    assert result.proven
    assert counted(result) == {"respond:labels": (66, 66), "judge": (6, 6), "judge:facts": (1, 1)}
    assert contents(run) == before
    done = normscope("verify", run)
    assert done.exit_code == 0
    assert "asked, answered, judged and merged exactly once" in done.stdout
    assert "respond:labels      2           2    66         66       0" in done.stdout


def in_journal(statement: str) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        with closing(sqlite3.connect(run / JOURNAL)) as journal, journal:
            journal.execute(statement)

    return damage


drop_a_unit = in_journal("delete from unit where stage = 'respond:labels' and id = 0")
damage_a_unit = in_journal("update unit set rows = x'00' where stage = 'respond:labels' and id = 1")


def change_a_table(run: Path) -> None:
    table = read_parquet(run / "judgements.parquet")
    write_parquet(run / "judgements.parquet", table.slice(1))


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (drop_a_unit, {(JOURNAL, "undone")}),
        (damage_a_unit, {(JOURNAL, "undone")}),
        (change_a_table, {("judgements.parquet", "changed"), ("judgements.parquet", "lost")}),
        (lambda run: (run / "scores.json").unlink(), {("scores.json", "missing")}),
        (lambda run: (run / "manifest.json").unlink(), {("manifest.json", "unfinished")}),
    ],
)
def test_what_is_amiss_is_named(
    damage: Callable[[Path], None], named: set[tuple[str, str]], run: Path
) -> None:
    damage(run)
    before = contents(run)
    result = verify(run)
    assert problems(result) == named
    assert result.remedies
    assert contents(run) == before


def test_the_command_that_is_named_finishes_the_run(run: Path) -> None:
    whole = contents(run)
    drop_a_unit(run)
    shown = normscope("verify", run)
    assert f"{run} is not proven (delete {run}/manifest.json" in shown.stderr
    (run / "manifest.json").unlink()
    command = f"normscope run --out {run}"
    assert command in " ".join(shown.stdout.split())
    assert normscope(*command.split()[1:]).exit_code == 0
    assert verify(run).proven
    assert contents(run)["judgements.parquet"] == whole["judgements.parquet"]


def test_a_finished_run_stands_without_its_journal(run: Path) -> None:
    (run / JOURNAL).unlink()
    assert verify(run).proven
    shown = normscope("verify", run)
    assert shown.exit_code == 0
    assert "its journal is not here" in shown.stdout
    (run / "manifest.json").unlink()
    assert (JOURNAL, "undone") in problems(verify(run))


def put_items(run: Path, items: pa.Table) -> None:
    """Writes other items and renews every hash of them."""
    write_parquet(run / "items.parquet", items)
    config = read(run / "config.yaml")
    sealed = {
        **config.provenance.files("respond"),
        "items.parquet": hash_file(run / "items.parquet"),
    }
    changed = replace(config, provenance=config.provenance.noted("respond", files=sealed))
    write_text(run / "config.yaml", dump(changed))
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"] = {name: hash_file(run / name) for name in manifest["files"]}
    write_text(run / "manifest.json", json.dumps(manifest))


@pytest.mark.parametrize("column", ["messages", "category", "language"])
def test_a_judged_row_is_that_of_its_question_category_and_language(column: str, run: Path) -> None:
    items = read_parquet(run / "items.parquet")
    put_items(run, items)
    assert verify(run).proven
    judged = [at for at, each in enumerate(items["benchmark"].to_pylist()) if each == JUDGED]
    values = items[column].to_pylist()
    first, second = next((a, b) for a, b in combinations(judged, 2) if values[a] != values[b])
    values[first], values[second] = values[second], values[first]
    at = items.schema.get_field_index(column)
    exchanged = pa.array(values, items.schema.field(column).type)
    put_items(run, items.set_column(at, items.schema.field(column), exchanged))
    result = verify(run)
    assert (JOURNAL, "undone") in problems(result)
    assert counted(result)["judge"] == (6, 4)


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Path]:
    """A run whose model was asked, in units of 8, and whose judge was not yet."""
    with opened(tmp_path / "begun", create=True) as folder:
        respond(folder, replace(CONFIG, unit_items=8), Here(scripted))
    yield tmp_path / "begun"


def test_a_run_that_was_only_answered_lacks_what_comes_after(begun: Path) -> None:
    result = verify(begun)
    assert counted(result) == {"respond:labels": (66, 66), "judge": (6, 0), "judge:facts": (1, 0)}
    assert ("judgements.parquet", "not yet") in problems(result)
    undone = next(each for each in result.findings if each.problem == "undone")
    assert undone.count == 1


def test_a_run_that_is_being_worked_on_can_be_verified(run: Path) -> None:
    with opened(run) as folder:
        assert folder.journal.counts("judge").units
        result = verify(run)
    assert result.in_use
    assert result.proven
    assert not verify(run).in_use


def test_calls_that_failed_are_counted_and_what_replaced_them_is_proven(tmp_path: Path) -> None:
    failing = {"now": True}

    def sometimes(request: LabelRequest) -> LabelResult:
        last = request.conversation[-1][1]
        if failing["now"] and len(last) % 2:
            return LabelResult(None, reason=Reason.CALL_FAILED)
        result: LabelResult = answer(request)
        return result

    def load(spec: ModelSpec) -> FakeEngine:
        return FakeEngine(sometimes, reply, name=spec.model)

    path = tmp_path / "run"
    for fails in (True, False):
        failing["now"] = fails
        with opened(path, create=True, retry_failed=not fails) as folder:
            judged_row(folder, CONFIG, load)
        result = verify(path)
        assert all(stage.rows == stage.rows_done for stage in result.stages)
        assert bool(result.stages[0].failed) is fails


def test_an_imported_run_has_no_units_of_its_answers(tmp_path: Path) -> None:
    ids = read_parquet(_asked(tmp_path / "asked") / "items.parquet")["item_id"].unique()
    answers = tmp_path / "answers.csv"
    rows = "".join(f"{item},0,neutral\n" for item in ids.to_pylist())
    answers.write_text(f"item_id,variant_id,answer\n{rows}", encoding="utf-8")
    out = tmp_path / "run"
    done = normscope(
        *("import", answers, "-b", "ci-vignettes:coppa_null", "--model", "m", "--out", out)
    )
    assert done.exit_code == 0, done.output
    assert normscope("judge", out).exit_code == 0
    result = verify(out)
    assert result.imported
    assert result.stages == ()


def _asked(folder: Path) -> Path:
    config = replace(CONFIG, benchmark=("ci-vignettes:coppa_null",), limit={})
    with opened(folder, create=True) as begun:
        respond(begun, config, Here(scripted))
    return folder


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    assert "is not a run" in str(normscope("verify", tmp_path).exception)
