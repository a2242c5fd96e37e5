"""What the verification of a run came to, as a page of the terminal."""

from collections.abc import Iterator
from dataclasses import astuple

from ..format import count
from ..pipeline.verify import StageCounts, Verification
from .blocks import Block, Bullets, Listing, Page, Section, Table, columns

_HEADER = columns("stage", "units", "done", "rows", "done", "call failed", "done again")


def page(result: Verification) -> Page:
    """What is proven or amiss, the counts of each stage, and what finishes the run."""
    proven = "every unit was asked, answered, judged and merged exactly once"
    title = f"{result.run}: {proven if result.proven else 'not proven'}"
    return Page(title=title, blocks=tuple(_blocks(result)))


def _blocks(result: Verification) -> Iterator[Block]:
    if notes := tuple(_notes(result)):
        yield Bullets(notes)
    if result.stages:
        yield Table(_HEADER, tuple(map(_cells, result.stages)))
    if result.findings:
        findings = tuple(map(str, result.findings))
        remedies = tuple(Listing(remedy, command=True) for remedy in result.remedies)
        yield Section("What is missing or amiss", (Bullets(findings),))
        yield Section("How it is finished", remedies)


def _cells(stage: StageCounts) -> tuple[str, ...]:
    name, *numbers = astuple(stage)
    return (name, *map(count, numbers))


def _notes(result: Verification) -> Iterator[str]:
    if result.in_use:
        yield "a process is working on the run: what is missing may still come"
    if result.imported:
        yield "its answers were recorded elsewhere and imported: they have no units"
    if failed := sum(stage.failed for stage in result.stages):
        yield (
            f"rows that are unscored since a call failed: {count(failed)}; `normscope run "
            f"--retry-failed --out {result.run}` asks them again"
        )
    if again := sum(stage.again for stage in result.stages):
        yield (
            f"rows that were done more than once: {count(again)}; the first counts, and is in the "
            "tables once"
        )
