"""What can happen to a run folder: each damage changes a copy of a whole run, and nothing else."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

Damage = Callable[[Path], object]

DAMAGES: dict[str, Damage] = {}
"""Every damage by its name. What is found later gets a line here."""

TABLES = ("items.parquet", "responses.parquet", "judgements.parquet")
TEXTS = ("config.yaml", "journal.sqlite", "judging.json", "scores.json", "manifest.json")


def _each(verb: str, names: tuple[str, ...], do: Damage) -> None:
    for name in names:
        DAMAGES[f"{name} {verb}"] = lambda run, name=name: do(run / name)  # type: ignore[misc]


def _cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(bytes(data))


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


_each("missing", (*TABLES, *TEXTS), Path.unlink)
_each("empty", (*TABLES, *TEXTS), lambda path: path.write_bytes(b""))
_each("cut off", (*TABLES, *TEXTS), _cut)
_each("with a flipped byte", (*TABLES, *TEXTS), _flip)
_each("a pipe", ("config.yaml", "scores.json", "items.parquet", "journal.sqlite"), _pipe)
_each("a folder", ("config.yaml", "judgements.parquet", "manifest.json"), _folder)
_each(
    "a list", ("judging.json", "scores.json", "manifest.json"), lambda path: path.write_text("[]")
)
_each(
    "nested deeply",
    ("judging.json", "scores.json", "manifest.json", "journal.sqlite"),
    lambda path: path.write_text("[" * 100_000 + "]" * 100_000),
)


def _texts(name: str, text: str) -> Damage:
    return lambda run: (run / name).write_text(text)


def _in_config(change: Callable[[str], str]) -> Damage:
    def do(run: Path) -> None:
        path = run / "config.yaml"
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    return do


def _rows(change: Callable[[pa.Table], pa.Table], *names: str) -> Damage:
    def do(run: Path) -> None:
        for name in names or ("judgements.parquet",):
            pq.write_table(change(pq.read_table(run / name)), run / name)

    return do


def _with(column: str, change: Callable[[Any], Any]) -> Callable[[pa.Table], pa.Table]:
    def do(table: pa.Table) -> pa.Table:
        return table.set_column(table.column_names.index(column), column, change(table[column]))

    return do


def _in_journal(statement: str) -> Damage:
    def do(run: Path) -> None:
        with closing(sqlite3.connect(run / "journal.sqlite")) as journal, journal:
            journal.execute(statement)

    return do


def _joined(*around: str) -> Callable[[Any], Any]:
    return lambda ids: pc.binary_join_element_wise(ids, *around)


def _put(make: Callable[[Path], object]) -> Damage:
    def do(run: Path) -> None:
        (run / "report.html").unlink()
        make(run / "report.html")

    return do


def _strange_neighbours(run: Path) -> None:
    (run / "corrections.json").write_text("[1, 2]")
    (run / "cards").mkdir()
    (run / "cards" / "card.json").write_text('{"judge": 1, "rubric": 2, "slices": 3}')
    os.mkfifo(run / "cards" / "pipe.json")


_LAUGHS = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
DAMAGES |= {
    "manifest of another shape": _texts(
        "manifest.json", '{"files": {"items.parquet": 3, "../x": null}}'
    ),
    "manifest that names a file outside": _texts(
        "manifest.json", '{"files": {"/dev/zero": "0", "../../etc/passwd": "0"}}'
    ),
    "every moral is 1": _rows(_with("value", lambda values: pa.array([1.0] * len(values)))),
    "judgements dropped": _rows(lambda table: table.slice(1)),
    "judgements doubled": _rows(lambda table: pa.concat_tables([table, table.slice(0, 2)])),
    "judgements of strangers": _rows(_with("item_id", _joined("x", "-"))),
    "judgements without a column": _rows(lambda table: table.drop_columns(["reason"])),
    "values as text": _rows(_with("value", lambda values: values.cast(pa.string()))),
    "no rows at all": _rows(lambda table: table.slice(0, 0), *TABLES),
    "control characters in ids": _rows(
        _with("item_id", _joined("\x1b[31m\0[/bold]<script>", "")), *TABLES
    ),
    "journal with a unit less": _in_journal("delete from unit where id = 0"),
    "journal of damaged rows": _in_journal("update unit set rows = x'28b52ffd00'"),
    "journal of other types": _in_journal(
        "update unit set keys = 'none', sum = 'one', failed = 'many'"
    ),
    "journal of somebody else": _in_journal("pragma application_id = 7"),
    "scores of another shape": _texts(
        "scores.json", '{"safety-gradient": [{"name": 3, "estimate": null}]}'
    ),
    "judging of another shape": _texts("judging.json", '{"fixed_answers": [[]]}'),
    "config with a list as key": _texts("config.yaml", "? [a, b]\n: c\n"),
    "config with a timestamp": _in_config(lambda text: f"{text}rubric: 2026-01-01 00:00:00\n"),
    "config with an object": _texts("config.yaml", "model: !!python/object/apply:os.system [id]\n"),
    "config that laughs": _texts("config.yaml", "\n".join(_LAUGHS)),
    "config with a provenance of nonsense": _in_config(
        lambda text: (
            text.partition("\nprovenance:")[0] + "\nprovenance: {responses: [1], judgements: x}\n"
        )
    ),
    "leftovers of a write": lambda run: (run / ".judgements.parquet.99999999.part").write_bytes(
        b"half"
    ),
    "a link to itself": _put(lambda path: path.symlink_to("report.html")),
    "a report that is a folder": _put(Path.mkdir),
    "strange neighbours": _strange_neighbours,
}


def damaged(whole: Path, to: Path, name: str) -> Path:
    """A copy of the whole run with the damage of this name."""
    shutil.copytree(whole, to, ignore=shutil.ignore_patterns(".lock"))
    DAMAGES[name](to)
    return to
