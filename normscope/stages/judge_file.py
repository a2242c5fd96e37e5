"""Judging a file of questions and responses: its rows come back wide, in their order."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config import RunConfig
from ..datasets_builders.item import Item, Message
from ..errors import DataError, RunError, UsageError, nearest
from ..files import hash_file, read_json, write_json
from ..judges.engine import Engine
from ..judges.engines import ModelSpec
from ..judges.rubric import Rubric, rubric
from ..rows import Rows, check_writable, read_rows, write_rows
from ..run.journal import Journal, Row
from ..run.tables import RESPONSES
from ..run.units import Unit, plan, work_off
from .bench import Bench, panel
from .packages import packages

STAGE = "file"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows were judged, and in how many a head is unscored."""

    rows: int
    unscored: int


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for rows of a file without the column."""

    category: str | None = None
    language: str | None = None


def judge_file(
    path: Path,
    out: Path,
    *,
    rubric_name: str,
    heads: tuple[str, ...],
    asked: RunConfig,
    load: Callable[[ModelSpec], Engine],
    defaults: Defaults = Defaults(),
) -> Counts:
    """Writes the file's rows with each head's reading beside them; goes on where it was stopped.

    Columns added per head: `<head>` (expected value or class, empty when unscored), and
    `<head>_probs`, `<head>_coverage`, `<head>_reason`; `score` where there are moral and rating.
    """
    check_writable(out)
    used = rubric(rubric_name)
    asks = panel(used, heads or tuple(used.heads))
    rows = read_rows(path, needed=("question", "response"))
    _refuse_clashes(path, rows, asks.heads)
    pairs = [_pair(path, n, row, used, defaults) for n, row in enumerate(rows, start=1)]
    if asked.judge is None:
        raise UsageError("no judge is named: --judge PATH_OR_HUB_ID")
    engine = load(asked.judge)
    bench = Bench(engine, {STAGE: asks}, asked.min_coverage)
    work = out.with_name(f".{out.name}.work")
    journal = _journal(
        work,
        {
            "input": hash_file(path),
            "rubric": asks.hash,
            "heads": list(asks.heads),
            "judge": engine.identity,
            "min_coverage": asked.min_coverage,
            "unit_items": asked.unit_items,
            "category": defaults.category,
            "language": defaults.language,
            "packages": packages(),
        },
    )

    def do(unit: Unit) -> list[Row]:
        return [{"heads": made} for made in bench.judge([pairs[i] for i in unit])]

    units = plan([bench.sort_key(*pair) for pair in pairs], size=asked.unit_items)
    for unit, made in work_off(journal, STAGE, units, do, label="judge"):
        for i, row in zip(unit, made, strict=True):
            rows[i] |= _wide(row["heads"])
    write_rows(out, rows)
    shutil.rmtree(work)
    return Counts(len(rows), sum(any(row[f"{h}_reason"] for h in asks.heads) for row in rows))


def _pair(path: Path, number: int, row: Row, used: Rubric, defaults: Defaults) -> tuple[Item, Row]:
    category = row.get("category") or defaults.category
    if category is None:
        known = ", ".join(used.categories)
        raise DataError(
            f"{path}, row {number}: no category; add a column 'category' or name one for all rows "
            f"with --category ({known})"
        )
    if category not in used.categories:
        told = nearest(str(category), list(used.categories))
        raise DataError(
            f"{path}, row {number}: rubric {used.name!r} has no category {category!r}; {told}"
        )
    item = Item(
        benchmark=STAGE,
        item_id=str(number),
        messages=(Message("user", str(row["question"] or "")),),
        language=row.get("language") or defaults.language or used.fallback_language,
        category=category,
    )
    keys: dict[str, Any] = dict.fromkeys(RESPONSES.names)
    text = None if row["response"] is None else str(row["response"])
    return item, keys | {"benchmark": STAGE, "item_id": item.item_id, "text": text}


def _wide(heads: Rows) -> Row:
    wide: Row = {}
    for made in heads:
        name = made["head"]
        wide[name] = made["value"]
        wide[f"{name}_probs"] = made["probs"]
        wide[f"{name}_coverage"] = made["coverage"]
        wide[f"{name}_reason"] = made["reason"]
    if {"moral", "rating"} <= set(wide):
        both = (wide["moral"], wide["rating"])
        wide["score"] = None if None in both else both[0] * both[1]
    return wide


def _refuse_clashes(path: Path, rows: Rows, heads: tuple[str, ...]) -> None:
    added = {f"{head}{end}" for head in heads for end in ("", "_probs", "_coverage", "_reason")}
    taken = sorted((added | {"score"}) & set(rows[0] if rows else ()))
    if taken:
        raise DataError(f"{path} has a column {taken[0]!r} already: rename it, judging adds one")


def _journal(work: Path, settings: dict[str, Any]) -> Journal:
    """The journal of this very task; one of another task in its place is refused."""
    noted = work / "settings.json"
    if noted.exists() and read_json(noted) != settings:
        raise RunError(f"{work} holds a judging begun with other settings: delete it to begin anew")
    if not noted.exists():
        work.mkdir(parents=True, exist_ok=True)
        write_json(noted, settings)
    return Journal.open(work / "journal.jsonl")
