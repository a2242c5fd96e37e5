"""Rewrites docs/metrics.md from "The statistics" on: the catalogue, and what the package offers.

python docs/metrics_page.py
"""

import inspect
from pathlib import Path

from normscope import metrics
from normscope.format import scale_end
from normscope.metrics.definitions import DEFINITIONS

PAGE = Path(__file__).with_name("metrics.md")
BEGIN = "## The statistics"


def signature(name: str) -> str:
    """A function as the page writes it: names and defaults, no types."""
    parts: list[str] = []
    for parameter in inspect.signature(getattr(metrics, name)).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = parameter.default
        parts.append(parameter.name + ("" if default is parameter.empty else f"={default!r}"))
    return f"{name}({', '.join(parts)})"


def functions() -> str:
    """The functions that `normscope.metrics` offers, each with its first line, by module."""
    by_module: dict[str, list[str]] = {}
    for name, function in vars(metrics).items():
        if inspect.isfunction(function) and function.__module__ != metrics.__name__:
            by_module.setdefault(function.__module__, []).append(name)
    lines = ["## The functions", ""]
    for module, names in by_module.items():
        if module.startswith(metrics.__name__):
            lines += [f"### `{module}`", ""]
            for name in names:
                first = (inspect.getdoc(getattr(metrics, name)) or "").partition("\n")[0]
                lines += [f"- `{signature(name)}`<br>", f"  {first}"]
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
    PAGE.write_text(text[: text.index(BEGIN)] + catalogue() + functions(), encoding="utf-8")
