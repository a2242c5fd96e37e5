"""A comparison as files: `compare.json` and `compare.csv` in full, `compare.md` to be read."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...comparison.norms import AGREE, STATES
from ...comparison.result import Compared, Difference
from ...files import write_json, write_parquet
from ...frames import tidy_frame
from ...messages import Language, translate
from ...metrics.definitions import statistic_name
from ...metrics.scores import COLUMNS
from ...pipeline.norms import stacked
from ...records.integrity import NORMS, NORMS_CSV
from ...table_writer import write_rows
from ...untrusted import guarded_rows
from .. import writers
from .page import comparison_page

if TYPE_CHECKING:
    import pandas as pd

JSON, CSV, MARKDOWN = "compare.json", "compare.csv", "compare.md"
AGREEMENTS, TESTS = "norm-agreement.csv", "norm-tests.csv"

_TIDY_NAMES = {"first": "baseline", "second": "run", "difference": "value", "interval": "method"}
"""What columns of `compare.csv` are called in a tidy table."""

CORRECTIONS = {
    "primary": "Holm over pairs",
    "secondary": "Holm over pairs and statistics",
    "exploratory": "Benjamini–Hochberg",
}


def write(compared: Compared, out: Path, language: Language = "en") -> tuple[Path, ...]:
    """Writes the files into the folder: the comparison, and of vignettes the norms one by one.

    The page is in the language; tables and JSON have the names of columns and slugs.
    """
    write_json(out / JSON, _plain(compared))
    differences = [out / CSV] if compared.pairings else []
    for path in differences:
        write_rows(path, guarded_rows(flat_rows(compared)))
    page = writers.write(comparison_page(compared), out / MARKDOWN, language)
    return out / JSON, *differences, page, *_norms(compared, out)


def _plain(compared: Compared) -> dict[str, Any]:
    """The comparison as JSON, without the vignettes one by one."""
    norms = {
        name: {
            "states": of.states,
            "agreements": [asdict(agreement) for agreement in of.agreements],
            "tests": [asdict(test) for test in of.tests],
        }
        for name, of in compared.norms.items()
    }
    plain = {**asdict(replace(compared, norms={})), "norms": norms}
    if compared.gate is not None:
        plain["gate"]["text"] = compared.gate.text
    return plain


def _norms(compared: Compared, out: Path) -> tuple[Path, ...]:
    """The norms of every vignette side by side, and where runs agree and differ."""
    if not compared.norms:
        return ()
    table = stacked([of.table for of in compared.norms.values()], AGREE)
    write_parquet(out / NORMS, table)
    write_rows(out / NORMS_CSV, guarded_rows(table.to_pylist()))
    agreements = [
        {
            "benchmark": name,
            "runs": "; ".join(agreement.runs),
            "agree": sum(agreement.labels),
            **dict(zip(STATES, agreement.labels, strict=False)),
            "share": agreement.share.value,
            **_fields(agreement.share, "low", "high"),
            "vignettes": agreement.share.n,
            "unscored": agreement.share.unscored,
            "share_own_prompts": (agreement.own or agreement.share).value,
        }
        for name, of in compared.norms.items()
        for agreement in of.agreements
    ]
    tests = [
        {"benchmark": name, "runs": "; ".join(test.runs), **asdict(test.test)}
        for name, of in compared.norms.items()
        for test in of.tests
    ]
    write_rows(out / AGREEMENTS, guarded_rows(agreements))
    write_rows(out / TESTS, guarded_rows(tests))
    return out / NORMS, out / NORMS_CSV, out / AGREEMENTS, out / TESTS


def flat_rows(compared: Compared) -> list[dict[str, Any]]:
    """A row per difference, as `compare.csv` has it."""
    differs: dict[str, list[str]] = {name: [] for name in compared.pairings}
    for mismatch in compared.mismatches:
        differs[mismatch.benchmark].append(mismatch.field)
    return [_line(row, "; ".join(differs[row.benchmark])) for row in compared.rows]


def summary(compared: Compared) -> dict[str, Any]:
    """The comparison as `normscope compare --json` prints it: its rows are those of data frames."""
    gate = compared.gate
    return {
        "runs": compared.runs,
        "mismatches": [mismatch.message for mismatch in compared.mismatches],
        "caveats": (*compared.failures, *compared.caveats),
        "differences": tidy(compared).to_dict("records"),
        "gate": gate
        and {
            "outcome": gate.outcome,
            "alpha": gate.alpha,
            "text": gate.text,
            "rows": gate.to_frame().to_dict("records"),
        },
    }


def tidy(compared: Compared) -> "pd.DataFrame":
    """The differences as a tidy data frame, `value` being that of `run` less that of `baseline`."""
    rows = [
        {_TIDY_NAMES.get(name, name): value for name, value in row.items()}
        | {"name": translate(statistic_name(row["statistic"]), "en")}
        for row in flat_rows(compared)
    ]
    columns = [name for name in COLUMNS if name != "model"]
    return tidy_frame(rows, ["baseline", *columns, "role", "p", "p_adjusted"])


def _line(row: Difference, differs: str) -> dict[str, Any]:
    test, estimate = row.test, row.estimate
    return {
        **_fields(row, "benchmark", "statistic", "role", "group", "member", "first", "second"),
        "over": row.over,
        **_fields(row, "unit", "first_value", "second_value"),
        "difference": estimate.value,
        **_fields(estimate, "low", "high", "level", "lowest", "highest", "n"),
        "unscored": row.unscored.pairs,
        "unscored_in_both": row.unscored.in_both,
        "target": estimate.target,
        "interval": estimate.method,
        "test": test.name if test else None,
        "p": test.p if test else None,
        "p_adjusted": row.p_adjusted,
        "correction": CORRECTIONS[row.role] if test else None,
        "effect": test.effect if test else None,
        "effect_name": test.effect_name if test else None,
        "note": test.note if test else None,
        "not_alike": differs,
    }


def _fields(of: object, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}
