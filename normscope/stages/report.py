"""A finished run as one HTML page, and its scores as a table in the terminal."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from .. import format as fmt
from ..config import RunConfig, dump
from ..files import hash_file, write_text
from ..metrics.estimate import Statistic
from ..report import BenchmarkScores, ReportData, render
from ..run.folder import CONFIG, ITEMS, JUDGEMENTS, REPORT, RESPONSES, SCORES, RunFolder
from .score import Scores, read_scores


def report(run: RunFolder) -> Path:
    """Writes `report.html`, then the manifest; returns the page's path."""
    scores = read_scores(run)
    data = ReportData(
        name=run.path.name,
        config=asdict(run.config),
        config_text=dump(run.config),
        scores=tuple(BenchmarkScores(name, rows) for name, rows in scores.items()),
        items=run.items(),
        responses=run.table(RESPONSES, made_by="respond"),
        judgements=run.table(JUDGEMENTS, made_by="judge"),
        warnings=tuple(warnings(run.config)),
        command=command(run.path),
        files={n: hash_file(run.path / n) for n in (ITEMS, RESPONSES, JUDGEMENTS, SCORES)},
    )
    write_text(run.path / REPORT, render(data))
    run.finish()
    return run.path / REPORT


def warnings(config: RunConfig) -> list[str]:
    """What a reader must know before any number of the run."""
    told = []
    for stage, role in (("respond", "model"), ("judge", "judge")):
        identity: dict[str, Any] = config.resolved.get(stage, {}).get(role) or {}
        if note := identity.get("note"):
            who = "The model under test" if role == "model" else "The judge"
            told.append(f"{who} ({identity['model']}) is {note}.")
    for name, chosen in config.resolved.get("respond", {}).get("benchmarks", {}).items():
        if chosen["items"] < chosen["items_in_dataset"]:
            some, every = fmt.count(chosen["items"]), fmt.count(chosen["items_in_dataset"])
            told.append(f"{name}: a balanced slice of {some} of {every} items.")
    return told


def command(run: Path) -> str:
    """The command that asks for the same run again, into a folder of its own."""
    again = run.with_name(f"{run.name}-again")
    return shlex.join(["normscope", "run", "--config", str(run / CONFIG), "--out", str(again)])


def show(config: RunConfig, scores: Scores, console: Console) -> None:
    """Prints the overall scores of each benchmark as one table, warnings first."""
    for warning in warnings(config):
        console.print(f"[yellow]![/yellow] {warning}", highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("benchmark", "score"):
        table.add_column(column)
    for column in ("value", "95 % interval", "n", "unscored"):
        table.add_column(column, justify="right")
    for name, rows in scores.items():
        for at, row in enumerate(row for row in rows if not row.group):
            table.add_row("" if at else name, *_cells(row))
    console.print(table)


def _cells(row: Statistic) -> tuple[str, ...]:
    estimate, rate = row.estimate, row.unit == "rate"
    value = fmt.percent(estimate.value) if rate else fmt.number(estimate.value)
    interval = fmt.interval(estimate.low, estimate.high, rate=rate)
    counts = (fmt.count(estimate.n), fmt.count(estimate.unscored))
    return (row.name, value, interval, *counts)
