"""Rewrites docs/metrics.md from "The statistics" on, from the catalogue and the modules.

python docs/metrics_page.py
"""

import importlib
import inspect
from pathlib import Path
from types import FunctionType

import normscope.metrics
from normscope.format import scale_end
from normscope.metrics.definitions import DEFINITIONS

PAGE = Path(__file__).with_name("metrics.md")
FOLDER = Path(normscope.metrics.__file__).parent
BEGIN = "## The statistics"

SECTIONS = {
    "Scores of the benchmarks": (
        "cfsafety criterion shape refusal options norms vignette_norms "
        "majority concordance survey shift factors facets categories"
    ),
    "Rates, means and their intervals": "rates intervals",
    "Comparing models and groups": ("paired tango differences variants significance omnibus"),
    "Agreement": "reliability",
    "A judge against people": "raters association detection ppi",
    "Long tables to matrices": "pivot",
}
"""The modules of each part of the page."""

MACHINERY = {
    "cells",
    "columns",
    "definitions",
    "estimate",
    "groups",
    "inputs",
    "module",
    "registry",
    "resampling",
    "results",
    "widget",
}
HELPERS = {
    "all_shared",
    "asked_of_each",
    "sums_of_squares",
    "alike",
    "limits_over_variants",
    "stratified",
    "acceptability",
    "auc_of",
    "bin_of",
    "binned",
    "check_dimensions",
    "check_level",
    "check_levels",
    "correlation",
    "crossed_limits",
    "effective_rows",
    "equal_pairs",
    "error_of",
    "f1_of",
    "failures",
    "filled",
    "label_counts",
    "likert",
    "mid_ranks",
    "moments",
    "multiplicities",
    "named",
    "normal",
    "noted",
    "of_columns",
    "or_all",
    "opposite_pairs",
    "outcomes",
    "over_facets",
    "paired",
    "rank_association",
    "ranking",
    "score_limits",
    "square_and_add",
    "student",
    "tested",
    "unscored_cells",
    "untested",
    "variants_of",
}
"""What the functions of the page are made with, and not on it."""


def modules() -> list[str]:
    """The modules whose functions stand on the page."""
    return sorted(
        path.stem
        for path in FOLDER.glob("*.py")
        if path.stem not in MACHINERY and path.stem != "__init__"
    )


def public(name: str) -> list[FunctionType]:
    """The functions of the module that stand on the page."""
    module = importlib.import_module(f"normscope.metrics.{name}")
    return [
        found
        for found in vars(module).values()
        if inspect.isfunction(found)
        and found.__module__ == module.__name__
        and not found.__name__.startswith("_")
        and found.__name__ not in HELPERS
    ]


def signature(function: FunctionType) -> str:
    """As the page writes it: names and defaults, no types."""
    told: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in told:
            told.append("*")
        default = parameter.default
        told.append(parameter.name + ("" if default is parameter.empty else f"={default!r}"))
    return f"{function.__name__}({', '.join(told)})"


def signatures() -> str:
    """The part of the page that is made from the modules."""
    lines: list[str] = []
    for title, names in SECTIONS.items():
        lines += [f"## {title}", ""]
        for name in names.split():
            lines += [f"### `normscope.metrics.{name}`", ""]
            for function in public(name):
                first = (inspect.getdoc(function) or "").partition("\n")[0]
                lines += [f"- `{signature(function)}`<br>", f"  {first}"]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def catalogue() -> str:
    """The part of the page that is made from the catalogue of statistics."""
    lines = [
        BEGIN,
        "",
        "By their names in `scores.json`; reports, comparisons and the Space say the same of each.",
        "",
        "| name | shown as | what it is | from … to | better | in the paper |",
        "|---|---|---|---|---|---|",
    ]
    for slug, each in DEFINITIONS.items():
        ends = " … ".join(map(scale_end, each.scale)) if each.scale else ""
        cells = (each.name, each.text, ends, each.better or "neither", each.paper)
        lines.append(f"| `{slug}` | {' | '.join(cells)} |")
    return "\n".join([*lines, "", ""])


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(BEGIN)] + catalogue() + signatures(), encoding="utf-8")
