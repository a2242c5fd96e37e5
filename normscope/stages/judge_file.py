"""Judging a file of questions and responses: its rows come back wide, in their order.

Beside the judged file stands `<name>.judging.json`: with what it was judged, what was taken for
granted, and what the judge brings along (its label prior, its bias for an order).
"""

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
from ..judges.rubric import Rubric
from ..rows import Rows, check_writable, read_rows, write_rows
from ..run.journal import Journal, Row
from ..run.tables import RESPONSES
from ..run.units import Unit, plan, work_off
from .bench import Bench, panel
from .judging import judging_facts
from .packages import packages

STAGE = "file"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows were judged, in how many a head is unscored, and what is to be told besides."""

    rows: int
    unscored: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for rows of a file that name none; null: what the rubric falls back on."""

    category: str | None = None
    language: str | None = None


def judge_file(
    path: Path,
    out: Path,
    *,
    used: Rubric,
    heads: tuple[str, ...],
    asked: RunConfig,
    load: Callable[[ModelSpec], Engine],
    defaults: Defaults = Defaults(),
) -> Counts:
    """Writes the file's rows with each head's reading beside them; goes on where it was stopped.

    Columns added per head: `<head>` (expected value or class, empty when unscored), and
    `<head>_probs`, `<head>_coverage`, `<head>_reason`; `<head>_coverage_high` where the judge's
    server tells no more than its top tokens; `windows` where an answer was too long to be judged in
    one piece; `score` where there are moral and rating.
    """
    check_writable(out)
    asks = panel(used, heads or tuple(used.heads))
    rows = read_rows(path, needed=("question", "response"))
    _refuse_clashes(path, rows, asks.heads)
    taken = _complete(used, defaults)
    pairs = [_pair(path, n, row, used, taken) for n, row in enumerate(rows, start=1)]
    if asked.judge is None:
        raise UsageError("no judge is named: --judge PATH_OR_HUB_ID")
    engine = load(asked.judge)
    bench = Bench(engine, {STAGE: asks}, asked.min_coverage, asked.label_orders)
    work = out.with_name(f".{out.name}.work")
    settings = {
        "input": hash_file(path),
        "rubric": asks.hash,
        "heads": list(asks.heads),
        "judge": engine.identity,
        "min_coverage": asked.min_coverage,
        "label_orders": asked.label_orders,
        "unit_items": asked.unit_items,
        "category": taken.category,
        "language": taken.language,
        "packages": packages(),
    }
    journal = _journal(work, settings)

    def do(unit: Unit) -> list[Row]:
        return [{"heads": made} for made in bench.judge([pairs[i] for i in unit])]

    units = plan([bench.sort_key(*pair) for pair in pairs], size=asked.unit_items)
    judged: list[list[Row]] = [[] for _ in rows]
    for unit, made in work_off(journal, STAGE, units, do, label="judge"):
        for i, row in zip(unit, made, strict=True):
            judged[i] = row["heads"]
    notes = _notes(rows, taken, used)
    facts = judging_facts(bench, pairs, judged)
    write_json(facts_path(out), settings | {"notes": list(notes)} | facts)
    write_rows(out, _beside(rows, judged))
    shutil.rmtree(work)
    unscored = sum(any(made["reason"] for made in heads) for heads in judged)
    return Counts(len(rows), unscored, notes)


def facts_path(out: Path) -> Path:
    """Where the facts about a judged file stand.

    >>> facts_path(Path("judged.csv")).name
    'judged.judging.json'
    """
    return out.with_suffix(".judging.json")


def _complete(used: Rubric, defaults: Defaults) -> Defaults:
    """The defaults with what the rubric falls back on where none is given."""
    if defaults.category is not None:
        used.refuse_category(defaults.category)
    return Defaults(
        category=defaults.category or used.fallback_category,
        language=defaults.language or used.fallback_language,
    )


def _notes(rows: Rows, taken: Defaults, used: Rubric) -> tuple[str, ...]:
    """What was taken for granted about rows that do not say it."""
    told = []
    for name, value in (("category", taken.category), ("language", taken.language)):
        count = sum(not row.get(name) for row in rows)
        if count and value is not None:
            many = "no row names" if count == len(rows) else f"{count:,} of {len(rows):,} rows lack"
            told.append(f"{many} a {name}: judged as {value!r} by rubric {used.name!r}")
    return tuple(told)


def _pair(path: Path, number: int, row: Row, used: Rubric, taken: Defaults) -> tuple[Item, Row]:
    category = row.get("category") or taken.category or ""
    if used.categories and not category:
        known = ", ".join(used.categories)
        raise DataError(
            f"{path}, row {number}: no category; add a column 'category' or name one for all rows "
            f"with --category ({known})"
        )
    if used.categories and category not in used.categories:
        told = nearest(str(category), list(used.categories))
        raise DataError(
            f"{path}, row {number}: rubric {used.name!r} has no category {category!r}; {told}"
        )
    item = Item(
        benchmark=STAGE,
        item_id=str(number),
        messages=(Message("user", str(row["question"] or "")),),
        language=str(row.get("language") or taken.language),
        category=str(category),
    )
    keys: dict[str, Any] = dict.fromkeys(RESPONSES.names)
    text = None if row["response"] is None else str(row["response"])
    return item, keys | {"benchmark": STAGE, "item_id": item.item_id, "text": text}


def _beside(rows: Rows, judged: list[list[Row]]) -> Rows:
    """The rows with their readings; every row has the same columns."""
    every = [made for heads in judged for made in heads]
    bounded = any(made["coverage_high"] is not None for made in every)
    several = any(made["windows"] > 1 for made in every)
    return [
        {**row, **_wide(heads, bounded=bounded, several=several)}
        for row, heads in zip(rows, judged, strict=True)
    ]


def _wide(heads: Rows, *, bounded: bool, several: bool) -> Row:
    wide: Row = {}
    for made in heads:
        name = made["head"]
        wide[name] = made["value"]
        wide[f"{name}_probs"] = made["probs"]
        wide[f"{name}_coverage"] = made["coverage"]
        if bounded:
            wide[f"{name}_coverage_high"] = made["coverage_high"]
        wide[f"{name}_reason"] = made["reason"]
    if several:
        wide["windows"] = max(made["windows"] for made in heads)
    if {"moral", "rating"} <= set(wide):
        both = (wide["moral"], wide["rating"])
        wide["score"] = None if None in both else both[0] * both[1]
    return wide


def _refuse_clashes(path: Path, rows: Rows, heads: tuple[str, ...]) -> None:
    ends = ("", "_probs", "_coverage", "_coverage_high", "_reason")
    added = {f"{head}{end}" for head in heads for end in ends} | {"score", "windows"}
    taken = sorted(added & set(rows[0] if rows else ()))
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
