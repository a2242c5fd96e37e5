"""Runs by an attribute as files: an overview to be read, and the comparison of every group."""

import re
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from ...compare.by import Group, Grouped
from ...compare.result import Difference
from ...files import write_text
from ...markdown import escaped, page, table
from ...untrusted import printed
from .show import show
from .words import CRITERIONER, cells, name_of
from .write import write

_MOST = 5
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")


def write_groups(grouped: Grouped, out: Path) -> tuple[Path, ...]:
    """Writes `by-<attribute>.md`, and each group's comparison into a folder of its own."""
    path = out / f"by-{folder_name(grouped.attribute)}.md"
    write_text(path, page(_page(grouped)))
    return path, *(path for g in grouped.groups for path in write(g.compared, out / group_of(g)))


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
        console.print(printed(f"{grouped.attribute} {level}: {', '.join(runs)}"), highlight=False)
    for note in grouped.notes:
        console.print(f"[yellow]![/yellow] {printed(note)}", highlight=False)
    for told in grouped.apart[:_MOST]:
        console.print(f"not compared: {printed(told)}", highlight=False)
    if len(grouped.apart) > _MOST:
        more = len(grouped.apart) - _MOST
        console.print(f"not compared: {more} more pairs, all in the files", highlight=False)
    for group in grouped.groups:
        console.print(f"\n[bold]{printed(_title(grouped, group))}[/bold]", highlight=False)
        show(group.compared, console)


def _page(grouped: Grouped) -> Iterator[str]:
    name = escaped(grouped.attribute)
    yield f"# Runs by {name}\n"
    yield (
        f"Compared are pairs of runs that differ in {name} and in nothing else that is said of "
        "their models. P-values are corrected over all groups together.\n"
    )
    levels = ([escaped(level), escaped(", ".join(runs))] for level, runs in grouped.levels.items())
    yield from table([name, "runs"], levels, texts=2)
    yield from (f"- {escaped(note)}" for note in grouped.notes)
    benchmarks = dict.fromkeys(b for group in grouped.groups for b in group.compared.pairings)
    for benchmark in benchmarks:
        yield f"\n## {escaped(benchmark)}\n"
        rows = [
            _cells(group, row)
            for group in grouped.groups
            for row in group.compared.rows
            if row.benchmark == benchmark and not row.group
        ]
        yield from table(["statistic", "held", "compared", "levels", *CRITERIONER], rows, texts=4)
    if grouped.apart:
        yield "\n## Not compared\n"
        yield from (f"- {escaped(told)}" for told in grouped.apart)
    yield "\n## Groups\n"
    for group in grouped.groups:
        # a folder's name has only letters, digits, dots, dashes and underscores
        yield f"- [{escaped(_title(grouped, group))}]({group_of(group)}/compare.md)"


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


def _cells(group: Group, row: Difference) -> list[str]:
    held = ", ".join(group.held.values())
    levels = f"{group.levels[row.first]} → {group.levels[row.second]}"
    told = (f"{name_of(row)} ({row.role})", held, f"{row.second} − {row.first}", levels)
    return [*map(escaped, told), *cells(row)]
