"""What the verification of a run came to, as a page."""

from collections.abc import Iterator

from ..format import count
from ..messages import joined, message
from ..pipeline.verify import StageCounts, Verification
from .blocks import Block, Bullets, Listing, Page, Section, Table, columns


def page(result: Verification) -> Page:
    """What is proven or amiss, the counts of each stage, and what finishes the run."""
    return Page(title=_title(result), blocks=tuple(_blocks(result)))


def _title(result: Verification) -> str:
    if result.proven:
        return message(
            "{run}: every unit was asked, answered, judged and merged exactly once", run=result.run
        )
    return message("{run}: not proven", run=result.run)


def _blocks(result: Verification) -> Iterator[Block]:
    if notes := tuple(_notes(result)):
        yield Bullets(notes)
    if result.stages:
        header = columns(
            message("stage"),
            message("units"),
            message("done"),
            message("rows"),
            message("done"),
            message("call failed"),
            message("done again"),
            message("of other contents"),
            message("not merged"),
        )
        yield Table(header, tuple(tuple(_cells(stage)) for stage in result.stages))
    if result.findings:
        findings = tuple(map(str, result.findings))
        yield Section(message("What is missing or amiss"), (Bullets(findings),))
        yield Section(
            message("How it is finished"), tuple(Listing(r, command=True) for r in result.remedies)
        )


def _cells(stage: StageCounts) -> Iterator[str]:
    yield stage.stage
    numbers = (stage.units, stage.units_done, stage.rows, stage.rows_done)
    yield from map(count, (*numbers, stage.failed, stage.again, stage.other, stage.unmerged))


def _notes(result: Verification) -> Iterator[str]:
    if result.in_use:
        yield message("a process is working on the run: what is missing may still come")
    if result.imported:
        yield message("its answers were recorded elsewhere and imported: they have no units")
    if failed := sum(stage.failed for stage in result.stages):
        yield message(
            "rows that are unscored since a call failed: {n}; `normscope run --retry-failed --out "
            "{run}` asks them again",
            n=count(failed),
            run=result.run,
        )
    if again := sum(stage.again for stage in result.stages):
        yield message(
            "rows that were done more than once: {n}; the first counts, and is in the tables once",
            n=count(again),
        )
    if result.rebuilt is not None:
        yield (
            message(
                "made again from the units, and the same: {files}", files=joined(result.rebuilt)
            )
            if result.rebuilt
            else message("nothing could be made again from the units")
        )
    if result.restored:
        yield message("put back: {files}", files=joined(result.restored))
