"""What can happen to a run folder: each damage changes a copy of a whole run, and nothing else."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

Damage = Callable[[Path], object]

DAMAGES: dict[str, Damage] = {}
"""Every damage by its name. What is found later gets a line here."""

TABLES = ("items.parquet", "responses.parquet", "judgements.parquet")
TEXTS = ("config.yaml", "journal.sqlite", "judging.json", "scores.json", "manifest.json")


def damage(function: Damage) -> Damage:
    """Takes the function into the corpus under its name."""
    DAMAGES[function.__name__.strip("_").replace("_", " ")] = function
    return function


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


@damage
def manifest_of_another_shape(run: Path) -> None:
    (run / "manifest.json").write_text('{"files": {"items.parquet": 3, "../x": null}}')


@damage
def manifest_that_names_a_file_outside(run: Path) -> None:
    (run / "manifest.json").write_text('{"files": {"/dev/zero": "0", "../../etc/passwd": "0"}}')


@damage
def every_moral_is_1(run: Path) -> None:
    table = pq.read_table(run / "judgements.parquet")
    at = table.column_names.index("value")
    ones = pa.array([1.0] * len(table))
    pq.write_table(table.set_column(at, table.field(at), ones), run / "judgements.parquet")


@damage
def judgements_dropped(run: Path) -> None:
    table = pq.read_table(run / "judgements.parquet")
    pq.write_table(table.slice(1), run / "judgements.parquet")


@damage
def judgements_doubled(run: Path) -> None:
    table = pq.read_table(run / "judgements.parquet")
    pq.write_table(pa.concat_tables([table, table.slice(0, 2)]), run / "judgements.parquet")


@damage
def judgements_of_strangers(run: Path) -> None:
    table = pq.read_table(run / "judgements.parquet")
    at = table.column_names.index("item_id")
    strange = pc.binary_join_element_wise(table.column(at), "x", "-")
    pq.write_table(table.set_column(at, table.field(at), strange), run / "judgements.parquet")


@damage
def judgements_without_a_column(run: Path) -> None:
    table = pq.read_table(run / "judgements.parquet")
    pq.write_table(table.drop_columns(["reason"]), run / "judgements.parquet")


@damage
def values_as_text(run: Path) -> None:
    table = pq.read_table(run / "judgements.parquet")
    at = table.column_names.index("value")
    words = table.column(at).cast(pa.string())
    pq.write_table(table.set_column(at, "value", words), run / "judgements.parquet")


@damage
def no_rows_at_all(run: Path) -> None:
    for name in TABLES:
        pq.write_table(pq.read_table(run / name).slice(0, 0), run / name)


@damage
def control_characters_in_ids(run: Path) -> None:
    for name in TABLES:
        table = pq.read_table(run / name)
        at = table.column_names.index("item_id")
        ids = pc.binary_join_element_wise(table.column(at), "\x1b[31m\0[/bold]<script>", "")
        pq.write_table(table.set_column(at, table.field(at), ids), run / name)


@damage
def journal_with_a_unit_less(run: Path) -> None:
    _in_journal(run, "delete from unit where id = 0")


@damage
def journal_of_damaged_rows(run: Path) -> None:
    _in_journal(run, "update unit set rows = x'28b52ffd00'")


@damage
def journal_of_other_types(run: Path) -> None:
    _in_journal(run, "update unit set keys = 'none', sum = 'one', failed = 'many'")


@damage
def journal_of_somebody_else(run: Path) -> None:
    _in_journal(run, "pragma application_id = 7")


def _in_journal(run: Path, statement: str) -> None:
    with closing(sqlite3.connect(run / "journal.sqlite")) as journal, journal:
        journal.execute(statement)


@damage
def scores_of_another_shape(run: Path) -> None:
    (run / "scores.json").write_text('{"safety-gradient": [{"name": 3, "estimate": null}]}')


@damage
def judging_of_another_shape(run: Path) -> None:
    (run / "judging.json").write_text('{"criteria": {"a": []}, "priors": 3, "fixed_answers": [[]]}')


@damage
def config_with_a_list_as_key(run: Path) -> None:
    (run / "config.yaml").write_text("? [a, b]\n: c\n")


@damage
def config_with_a_timestamp(run: Path) -> None:
    text = (run / "config.yaml").read_text(encoding="utf-8")
    (run / "config.yaml").write_text(f"{text}rubric: 2026-01-01 00:00:00\n", encoding="utf-8")


@damage
def config_with_an_object(run: Path) -> None:
    (run / "config.yaml").write_text("model: !!python/object/apply:os.system [id]\n")


@damage
def config_that_laughs(run: Path) -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    (run / "config.yaml").write_text("\n".join(lines))


@damage
def config_with_a_provenance_of_nonsense(run: Path) -> None:
    text = (run / "config.yaml").read_text(encoding="utf-8")
    text = text.partition("\nprovenance:")[0]
    (run / "config.yaml").write_text(f"{text}\nprovenance: {{responses: [1], judgements: x}}\n")


@damage
def leftovers_of_a_write(run: Path) -> None:
    (run / ".judgements.parquet.99999999.part").write_bytes(b"half")


@damage
def a_link_to_itself(run: Path) -> None:
    (run / "report.html").unlink()
    (run / "report.html").symlink_to("report.html")


@damage
def a_report_that_is_a_folder(run: Path) -> None:
    (run / "report.html").unlink()
    (run / "report.html").mkdir()


@damage
def strange_neighbours(run: Path) -> None:
    (run / "corrections.json").write_text("[1, 2]")
    (run / "cards").mkdir()
    (run / "cards" / "card.json").write_text('{"judge": 1, "rubric": 2, "slices": 3}')
    os.mkfifo(run / "cards" / "pipe.json")


def damaged(whole: Path, to: Path, name: str) -> Path:
    """A copy of the whole run with the damage of this name."""
    shutil.copytree(whole, to, ignore=shutil.ignore_patterns(".lock"))
    DAMAGES[name](to)
    return to
