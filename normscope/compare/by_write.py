"""Runs by an attribute as files: an overview to be read, and the comparison of every group."""

import re
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from ..files import write_text
from .by import Group, Grouped
from .result import Difference
from .show import show
from .words import HEADER, cells, name_of
from .write import write

_MOST = 5
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")


def write_groups(grouped: Grouped, out: Path) -> tuple[Path, ...]:
    """Writes `by-<attribute>.md`, and each group's comparison into a folder of its own."""
    page = out / f"by-{folder_name(grouped.attribute)}.md"
    write_text(page, "\n".join(_page(grouped)) + "\n")
    return page, *(path for g in grouped.groups for path in write(g.compared, out / group_of(g)))


def group_of(group: Group) -> str:
    """The name of the group's folder."""
    return folder_name(group.name)[:100]


def folder_name(text: str) -> str:
    """The text with only what a folder's name can have.

    >>> folder_name("family-llama/2")
    'family-llama-2'
    """
    return _STRANGE.sub("-", text).strip("-.") or "all"


def show_groups(grouped: Grouped, console: Console) -> None:
    """Prints who is at which level, then the comparison of every group."""
    for level, runs in grouped.levels.items():
        console.print(escape(f"{grouped.attribute} {level}: {', '.join(runs)}"), highlight=False)
    for note in grouped.notes:
        console.print(f"[yellow]![/yellow] {escape(note)}", highlight=False)
    for told in grouped.apart[:_MOST]:
        console.print(f"not compared: {escape(told)}", highlight=False)
    if len(grouped.apart) > _MOST:
        more = len(grouped.apart) - _MOST
        console.print(f"not compared: {more} more pairs, all in the files", highlight=False)
    for group in grouped.groups:
        console.print(f"\n[bold]{escape(_title(grouped, group))}[/bold]", highlight=False)
        show(group.compared, console)


def _page(grouped: Grouped) -> Iterator[str]:
    name = grouped.attribute
    yield f"# Runs by {name}\n"
    yield (
        f"Compared are pairs of runs that differ in {name} and in nothing else that is said of "
        "their models. P-values are corrected over all groups together.\n"
    )
    yield f"| {name} | runs |\n|---|---|"
    for level, runs in grouped.levels.items():
        yield f"| {_cell(level)} | {_cell(', '.join(runs))} |"
    yield ""
    yield from (f"- {_cell(note)}" for note in grouped.notes)
    benchmarks = dict.fromkeys(b for group in grouped.groups for b in group.compared.pairings)
    for benchmark in benchmarks:
        yield f"\n## {benchmark}\n"
        header = ("statistic", "held", "compared", "levels", *HEADER)
        yield f"| {' | '.join(header)} |"
        yield "|---|---|---|---|" + "---:|" * (len(header) - 4)
        for group in grouped.groups:
            mine = (r for r in group.compared.rows if r.benchmark == benchmark and not r.group)
            yield from (_line(group, row) for row in mine)
    if grouped.apart:
        yield "\n## Not compared\n"
        yield from (f"- {_cell(told)}" for told in grouped.apart)
    yield "\n## Groups\n"
    for group in grouped.groups:
        yield f"- [{_cell(_title(grouped, group))}]({group_of(group)}/compare.md)"


def _title(grouped: Grouped, group: Group) -> str:
    """What varies and what is held.

    >>> from normscope.compare.result import Compared
    >>> compared = Compared({}, (), (), {}, ())
    >>> group = Group({"family": "llama"}, {"a": "7B", "b": "13B"}, compared)
    >>> _title(Grouped("capacity", {}, (), (), ()), group)
    'capacity: 7B, 13B (family llama)'
    """
    levels = ", ".join(dict.fromkeys(group.levels.values()))
    held = ", ".join(f"{name} {level}" for name, level in group.held.items())
    return f"{grouped.attribute}: {levels}" + (f" ({held})" if held else "")


def _line(group: Group, row: Difference) -> str:
    held = ", ".join(group.held.values())
    levels = f"{group.levels[row.first]} → {group.levels[row.second]}"
    told = (f"{name_of(row)} ({row.role})", held, f"{row.second} − {row.first}", levels)
    return "| " + " | ".join(_cell(part) for part in (*told, *cells(row))) + " |"


def _cell(text: str) -> str:
    """Text that cannot leave its cell."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
