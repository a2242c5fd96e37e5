"""Rewrites docs/families.md from "## Each family" on, by walking over transformers' registry.

python docs/families_page.py     (takes some minutes)
"""

import sys
from collections import defaultdict
from pathlib import Path

import transformers

from normscope.judges.engines.local.transformers import Way

PAGE = Path(__file__).with_name("families.md")
BEGIN, NOT_TRIED = "## Each family", "not tried"
sys.path.append(str(PAGE.parents[1] / "tests" / "shared"))

Row = tuple[str, str]
"""The way that is taken, and why it is not a prefix tree."""


def table(rows: dict[str, Row]) -> str:
    """The part of the page that is made from the walk: each type of model with its row."""
    families = defaultdict(list)
    for family, row in sorted(rows.items()):
        families[row].append(family)
    order = [*map(str, Way), NOT_TRIED]
    lines = [
        BEGIN,
        "",
        f"The types that transformers {transformers.__version__} loads as causal language models.",
        "",
        "| way | why | types of model |",
        "|---|---|---|",
    ]
    for way, why in sorted(families, key=lambda row: (order.index(row[0]), row[1])):
        names = ", ".join(f"`{name}`" for name in families[way, why])
        lines.append(f"| {way} | {why} | {names} |")
    return "\n".join([*lines, ""])


def rows() -> dict[str, Row]:
    """The row of each type of model on the page."""
    text = PAGE.read_text(encoding="utf-8")
    result: dict[str, Row] = {}
    for line in text[text.index(BEGIN) :].splitlines():
        if line.endswith("` |"):
            way, why, names = (cell.strip() for cell in line.strip("|").split("|"))
            result |= {name.strip("` "): (way, why) for name in names.split(",")}
    return result


def walked() -> dict[str, Row]:
    """The row of each type of model, as it is read here."""
    from families import NOT_BUILT, model_types, walk

    result = {name: (NOT_TRIED, why) for name, why in NOT_BUILT.items()}
    for name in model_types():
        if name not in result:
            way, why, *_ = walk(name)
            result[name] = (str(way), why)
    return result


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(BEGIN)] + table(walked()), encoding="utf-8")
