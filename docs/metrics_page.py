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


def signature(name: str) -> str:
    """A function as the page writes it: names and defaults, no types."""
    parts: list[str] = []
    for parameter in inspect.signature(getattr(metrics, name)).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = parameter.default
        parts.append(parameter.name + ("" if default is parameter.empty else f"={default!r}"))
    return f"{name}({', '.join(parts)})"


def offered() -> dict[str, list[str]]:
    """The names of the functions that `normscope.metrics` offers, by module."""
    by_module: dict[str, list[str]] = {}
    for name, function in vars(metrics).items():
        if inspect.isfunction(function) and function.__module__.startswith(f"{metrics.__name__}."):
            by_module.setdefault(function.__module__, []).append(name)
    return by_module


def functions() -> str:
    """The functions, each with its first line, by module."""
    lines = ["## The functions", ""]
    for module, names in offered().items():
        lines += [f"### `{module}`", ""]
        for name in names:
            first = (inspect.getdoc(getattr(metrics, name)) or "").partition("\n")[0]
            lines += [f"- `{signature(name)}`<br>", f"  {first}"]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def catalogue() -> str:
    """The part of the page that is made from the catalogue of statistics."""
    lines = [
        "## The statistics",
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


def modules() -> str:
    """The `evaluate` modules with their columns, then their options."""
    lines = [
        BEGIN,
        "",
        "Columns first, then options; what each means stands in the module's card.",
        "",
    ]
    for name in metrics.names():
        script = runpy.run_path(str(Path(metrics.path(name)) / f"{name}.py"))
        (metric,) = [each for each in script.values() if _is_metric(each)]
        options = ", ".join((*metric.per_row, *metric.options))
        lines.append(f"- `{name}.compute({', '.join(metric.schemas[0])}, *, {options})`<br>")
        per_row = (*metric.schemas[0], *metric.per_row)
        lines.append(f"  A value per row: {', '.join(f'`{each}`' for each in per_row)}.")
    return "\n".join([*lines, "", ""])


def _is_metric(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Metric)


def page() -> str:
    """All that the page has from `BEGIN` on."""
    return modules() + catalogue() + functions()


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(BEGIN)] + page(), encoding="utf-8")
