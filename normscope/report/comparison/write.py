"""A comparison as files: `compare.json` and `compare.csv` in full, `compare.md` to be read."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...compare.by import Grouped
from ...compare.result import Compared, Difference
from ...files import write_json
from ...rows import write_rows
from .. import writers
from .page import comparison_page, folder_name, folder_of, groups_page

JSON, CSV, MARKDOWN = "compare.json", "compare.csv", "compare.md"

CORRECTIONS = {
    "primary": "Holm over pairs",
    "secondary": "Holm over pairs and statistics",
    "exploratory": "Benjamini–Hochberg",
}


def write(compared: Compared, out: Path) -> tuple[Path, ...]:
    """Writes the three files into the folder."""
    write_json(out / JSON, asdict(compared))
    write_rows(out / CSV, _flat(compared))
    page = writers.write(comparison_page(compared), out / MARKDOWN)
    return out / JSON, out / CSV, page


def write_groups(grouped: Grouped, out: Path) -> tuple[Path, ...]:
    """Writes `by-<attribute>.md`, and each group's comparison into a folder of its own."""
    path = out / f"by-{folder_name(grouped.attribute)}.md"
    writers.write(groups_page(grouped), path)
    return path, *(path for g in grouped.groups for path in write(g.compared, out / folder_of(g)))


def _flat(compared: Compared) -> list[dict[str, Any]]:
    differs: dict[str, list[str]] = {name: [] for name in compared.pairings}
    for mismatch in compared.mismatches:
        differs[mismatch.benchmark].append(mismatch.field)
    return [_line(row, "; ".join(differs[row.benchmark])) for row in compared.rows]


def _line(row: Difference, differs: str) -> dict[str, Any]:
    test, estimate = row.test, row.estimate
    return {
        "benchmark": row.benchmark,
        "statistic": row.statistic,
        "role": row.role,
        "group": row.group,
        "member": row.member,
        "first": row.first,
        "second": row.second,
        "unit": row.unit,
        "first_value": row.first_value,
        "second_value": row.second_value,
        "difference": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "level": estimate.level,
        "worst": estimate.worst,
        "best": estimate.best,
        "n": estimate.n,
        "unscored": row.unscored.pairs,
        "unscored_in_both": row.unscored.in_both,
        "worst_low": row.unscored.low,
        "best_high": row.unscored.high,
        "target": estimate.target,
        "interval": estimate.method,
        "test": test.name if test else None,
        "p": test.p if test else None,
        "log10_p": test.log10_p if test else None,
        "p_adjusted": row.p_adjusted,
        "correction": CORRECTIONS[row.role] if test else None,
        "effect": test.effect if test else None,
        "effect_name": test.effect_name if test else None,
        "note": test.note if test else None,
        "not_alike": differs,
    }
