"""Published results beside one's own, apart from what was measured here."""

from collections.abc import Iterator, Mapping, Sequence

from ..builders.published import PublishedResult
from ..categorical import group_by
from ..comparison.published import OwnResult, Published, published_beside
from ..comparison.result import NormsCompared
from ..format import MISSING, count, number, percent
from ..messages import joined, known, message
from ..records.run import Run
from .blocks import AnyCell, Block, Caveat, Cell, Details, Paragraph, Record, Section, Table
from .estimates import left_open, valued
from .names import name_of


def published_section(
    runs: Sequence[Run], norms: Mapping[str, NormsCompared] | None = None
) -> Section:
    """A part per benchmark of which the runs have a number that was published, too."""
    return section_of(published_beside(runs, norms))


def section_of(beside: Sequence[Published]) -> Section:
    """The same of what was put beside the runs already."""
    blocks = (Details(each.benchmark, tuple(_blocks(each))) for each in beside if each.own)
    return Section(message("Beside published results"), tuple(blocks), id="published", folded=True)


def _blocks(published: Published) -> Iterator[Block]:
    source = published.source
    yield Paragraph(
        message(
            "{paper} ({date}, arXiv {arxiv}). Published numbers have no interval here and enter "
            "no test.",
            paper=source.paper,
            date=source.date,
            arxiv=source.arxiv,
        ),
        note=True,
    )
    yield Table.of(_rows(published), texts=2)
    yield from _differences(published)
    yield from (Caveat(known(text)) for text in source.caveats)


def _rows(published: Published) -> Iterator[Record]:
    """Of each statistic that the runs have, too, their values, then the published ones."""
    results = group_by(published.results, lambda row: row.statistic)
    for name, own in group_by(published.own, lambda row: row.beside).items():
        yield from map(_own, own)
        yield from map(_printed, results[name])


def _own(row: OwnResult) -> Record:
    # another key or another arithmetic has another name
    of = row.statistic
    who = Cell(row.run, note=_notes(message("measured here"), left_open(of)), tone="strong")
    return _record(of.name, who, valued(of), of.estimate.n)


def _printed(row: PublishedResult) -> Record:
    value = percent(row.value) if row.unit == "rate" else number(row.value)
    who = Cell(row.model, note=_notes(message("published"), known(row.note)), tone="muted")
    return _record(row.statistic, who, value, row.n)


def _notes(*texts: str) -> str:
    return joined(filter(None, texts), " · ")


def _record(statistic: str, who: Cell, value: AnyCell, n: int | None) -> Record:
    return {
        message("statistic"): name_of(statistic),
        message("model"): who,
        message("value"): value,
        "n": MISSING if n is None else count(n),
    }


def _differences(published: Published) -> Iterator[Block]:
    """A line for what differs, the same once for all runs of which it holds."""
    alike = group_by(published.differs.items(), lambda pair: pair[1])
    for differs, runs in alike.items():
        names = tuple(run for run, _ in runs) if len(alike) > 1 else ()
        text = (
            message("Not comparable as they stand: {differs}.", differs=joined(differs, "; "))
            if differs
            else message("Nothing that is known of the two differs.")
        )
        yield Caveat(text, runs=names)
