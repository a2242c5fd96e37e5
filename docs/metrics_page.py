"""Rewrites docs/metrics.md from "The modules" on: them, the catalogue, what the package offers.

python docs/metrics_page.py
"""

import inspect
import runpy
from pathlib import Path

from normscope import metrics
from normscope.format import scale_end
from normscope.metrics.definitions import DEFINITIONS
from normscope.metrics.module import Metric

PAGE = Path(__file__).with_name("metrics.md")
BEGIN = "## The modules"
ARROWS = {"higher": " ↑", "lower": " ↓", "at zero": " 0"}


def offered() -> dict[str, list[str]]:
    """The names of the functions that `normscope.metrics` offers, by module."""
    by_module: dict[str, list[str]] = {}
    for name, function in vars(metrics).items():
        if inspect.isfunction(function) and function.__module__.startswith(f"{metrics.__name__}."):
            by_module.setdefault(function.__module__, []).append(name)
    return by_module


def functions() -> str:
    """The names of the functions, by module."""
    lines = [
        "## The functions",
        "",
        "Arguments, formula and source stand in each docstring: `help(metrics.wilson)`.",
        "",
    ]
    for module, names in offered().items():
        listed = ", ".join(f"`{name}`" for name in names)
        lines.append(f"- `{module}`: {listed}")
    return "\n".join(lines) + "\n"


def catalogue() -> str:
    """The part of the page that is made from the catalogue of statistics."""
    lines = [
        "## The statistics",
        "",
        "By their names in `scores.json`, then as they are shown. Better is: ↑ higher, ↓ lower,",
        "0 near zero. In brackets: the scale, and the name in the paper.",
        "",
    ]
    for slug, each in DEFINITIONS.items():
        ends = " … ".join(map(scale_end, each.scale)) if each.scale else ""
        paper = f"“{each.paper}”" if each.paper and each.paper != each.name else ""
        notes = "; ".join(filter(None, (ends, paper)))
        mark = ARROWS.get(each.better or "", "")
        text = f"{each.text} ({notes})" if notes else each.text
        lines.append(f"- `{slug}`{mark} **{each.name}**: {text}")
    return "\n".join([*lines, "", ""])


def modules() -> str:
    """The `evaluate` modules with their columns, then their options."""
    lines = [
        BEGIN,
        "",
        "Columns of values, then options; what each means stands in the module's card.",
        "",
    ]
    for name in metrics.names():
        script = runpy.run_path(str(Path(metrics.path(name)) / f"{name}.py"))
        (metric,) = [each for each in script.values() if _is_metric(each)]
        options = ", ".join((*metric.per_row, *metric.options))
        lines.append(f"- `{name}.compute({', '.join(metric.schemas[0])}, *, {options})`")
    return "\n".join([*lines, "", ""])


def _is_metric(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Metric)


def page() -> str:
    """All that the page has from `BEGIN` on."""
    return modules() + catalogue() + functions()


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(BEGIN)] + page(), encoding="utf-8")
