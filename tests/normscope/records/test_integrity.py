"""A run's tables are what its stages wrote, each row once, or whatever reads them refuses."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from finished_runs import normscope, scripted

from normscope.cli import commands
from normscope.errors import DataError, RunError
from normscope.files import read_parquet, write_parquet, write_text
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.verify import verify
from normscope.records.folder import opened
from normscope.records.integrity import JOURNAL, check, is_whole
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import read

TABLES = ("items.parquet", "responses.parquet", "judgements.parquet")
OTHERS = ("judging.json", "scores.json", "norms.parquet", "norms.csv")


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[FakeEngine]:
    """The engines that the command line has loaded."""
    made: list[FakeEngine] = []

    def load(spec: ModelSpec) -> FakeEngine:
        made.append(scripted(spec))
        return made[-1]

    monkeypatch.setattr(commands, "load", load)
    return made


def contents(run: Path) -> dict[str, bytes]:
    """The run's files, without those that tell where it lies."""
    names = (*TABLES, *OTHERS, "config.yaml")
    return {name: (run / name).read_bytes() for name in names}


def change(run: Path, name: str, to: Callable[[pa.Table], pa.Table]) -> None:
    write_parquet(run / name, to(read_parquet(run / name)))


def moral_is_one(table: pa.Table) -> pa.Table:
    values = pc.if_else(pc.equal(table["criterion"], "moral"), 1.0, table["value"])
    return table.set_column(table.schema.get_field_index("value"), "value", values)


def without_first(table: pa.Table) -> pa.Table:
    return table.slice(1)


def first_twice(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table.slice(0, 1)])


@pytest.mark.parametrize(
    ("to", "manifest"),
    [
        pytest.param(moral_is_one, True, marks=pytest.mark.slow),
        pytest.param(without_first, True, marks=pytest.mark.slow),
        (first_twice, True),
        (moral_is_one, False),
    ],
)
def test_changed_judgements_are_refused_by_every_verb_and_the_journal_restores_them(
    run: Path,
    to: Callable[[pa.Table], pa.Table],
    manifest: bool,
    engines: list[FakeEngine],
    tmp_path: Path,
) -> None:
    before = contents(run)
    change(run, "judgements.parquet", to)
    if not manifest:
        (run / "manifest.json").unlink()
    commands = [
        ("score", run),
        ("report", run),
        ("report", run, "--format", "md"),
        ("compare", run, run.parent / "other"),
        ("validate", "graded-set", run),
        ("annotate", "sample", run, "--n", 4, "--out", tmp_path / "labels"),
    ]
    for command in commands:
        with pytest.raises(
            RunError, match=rf"(?s)normscope judge {run}`.*judgements\.parquet: it was changed"
        ):
            normscope(*command)
    assert not is_whole(run)
    assert normscope("judge", run).exit_code == 0
    assert [engine.requests for engine in engines] == [[]]
    normscope("score", run)
    normscope("report", run)
    assert contents(run) == before
    assert is_whole(run)


def test_lost_and_repeated_rows_are_counted_and_named(run: Path) -> None:
    config = read(run / "config.yaml")
    rows = read_parquet(run / "judgements.parquet").to_pylist()
    lost = [f"{row['benchmark']} {row['item_id']} {row['criterion']}" for row in rows[-2:]]
    change(run, "judgements.parquet", lambda table: table.slice(0, len(table) - 2))
    found = check(run, config, stages=("judge",))
    assert [(one.problem, one.count, one.keys) for one in found[1:]] == [
        ("lost", 2, tuple(sorted(lost)))
    ]
    change(
        run, "judgements.parquet", lambda table: pa.concat_tables([table, *[table.slice(0, 5)] * 3])
    )
    repeated = check(run, config, stages=("judge",))[-1]
    # five rows, three times too often each; three of the five are named
    assert (repeated.problem, repeated.count, len(repeated.keys)) == ("repeated", 15, 3)
    assert str(repeated).endswith("; …)")


def test_rows_of_an_item_that_was_not_asked_are_unknown(run: Path) -> None:
    def strange(table: pa.Table) -> pa.Table:
        row = table.slice(0, 1)
        return pa.concat_tables([table, row.set_column(1, table.field(1), pa.array(["nobody"]))])

    for name in TABLES[1:]:
        change(run, name, strange)
    found = {
        one.file: one for one in check(run, read(run / "config.yaml")) if one.problem == "unknown"
    }
    assert {name: one.count for name, one in found.items()} == dict.fromkeys(TABLES[1:], 1)
    assert "nobody" in str(found["judgements.parquet"])


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("items.parquet", "rows lost"),
        ("items.parquet", "file lost"),
        pytest.param("responses.parquet", "rows lost", marks=pytest.mark.slow),
        pytest.param("responses.parquet", "no table", marks=pytest.mark.slow),
    ],
)
def test_what_the_model_was_asked_and_said_is_restored_too(
    run: Path, name: str, how: str, engines: list[FakeEngine]
) -> None:
    before = contents(run)
    if how == "rows lost":
        change(run, name, without_first)
    elif how == "file lost":
        (run / name).unlink()
    else:
        write_text(run / name, "no table")
    for verb in ("score", "report", "judge"):
        with pytest.raises(RunError, match=rf"(?s)normscope respond --out {run}`.*{name}: it "):
            normscope(verb, run)
    for command in (("respond", "--out", run), ("judge", run), ("score", run), ("report", run)):
        normscope(*command)
    assert not any(engine.requests for engine in engines)
    assert contents(run) == before
    assert is_whole(run)


def test_a_row_that_is_amiss_is_found_whoever_sealed_it(run: Path) -> None:
    (run / "manifest.json").unlink()
    change(run, "judgements.parquet", without_first)
    with opened(run) as begun, pytest.raises(RunError, match="rows are missing: 1 "):
        begun.seal("judge")


def test_of_a_damaged_journal_the_damaged_unit_alone_is_asked_again(
    run: Path, engines: list[FakeEngine]
) -> None:
    before = contents(run)
    # the judge's one unit of six answers, with a byte changed
    with closing(sqlite3.connect(run / JOURNAL)) as journal, journal:
        ((rows,),) = journal.execute("select rows from unit where stage = 'judge'").fetchall()
        journal.execute("update unit set rows = ? where stage = 'judge'", (b"x" + rows[1:],))
    (finding,) = verify(run).findings
    assert str(finding) == "journal.sqlite: units are not done, or not wholly: 1 (judge 0)"
    # a table is written anew
    (run / "judgements.parquet").unlink()
    assert normscope("run", "--out", run).exit_code == 0
    asked = {engine.name: len(engine.requests) for engine in engines}
    assert asked == {"model": 0, "judge": 6 * 3}
    assert contents(run) == before
    assert verify(run).proven


def test_a_table_of_other_types_or_a_manifest_of_nothing_is_an_error_of_ours(run: Path) -> None:
    def lettered(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index("sample")
        return table.set_column(at, "sample", pa.array(["one"] * len(table)))

    change(run, "responses.parquet", lettered)
    with pytest.raises(
        RunError, match=r"responses\.parquet: it cannot be read as a table of a run"
    ):
        normscope("score", run)
    for content in ("[]", '{"files": {}}', '{"files": {"scores.json": 3}}', '{"files": ["x"]}'):
        write_text(run / "manifest.json", content)
        with pytest.raises(DataError, match="names no files"):
            normscope("score", run)
