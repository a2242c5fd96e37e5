"""The evidence sheet of a run: what somebody who must defend its numbers puts on file.

The times are the run's log's, which no hash takes in; a report, whose bytes are hashed, has the
sheet without them.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from ..errors import NormscopeError
from ..format import count
from ..judges.rubric_files import rubric, sample
from ..messages import joined, message
from ..records.absent import JUDGED, unscored
from ..records.integrity import JUDGEMENTS
from ..records.run_log import duration_s, read_log
from ..records.settings import dump
from .blocks import Block, Code, Facts, Listing, Page, Paragraph, Record, Section, Table
from .caveats import counted_reasons, of_judge
from .data import Report, ReportData, repeated
from .people import corrected_blocks
from .scores import answers


def evidence_page(data: ReportData) -> Page:
    """The sheet as a page of its own: the answer, when and where it was got, and its evidence."""
    return Page(
        title=data.name,
        kind=message("Evidence sheet"),
        blocks=(
            *answers(Report((data,))),
            Section(message("When and where"), tuple(_log(data))),
            *evidence_blocks(data),
            Section(message("What is known of the judge"), tuple(of_judge(data))),
            Section(message("Corrected by people"), tuple(corrected_blocks(data.corrections))),
            Section(message("Reproduce"), tuple(repeated(data))),
        ),
    )


def evidence_blocks(data: ReportData) -> Iterator[Section]:
    """What the numbers rest on: versions and hashes, rubrics with their texts, the unscored."""
    provenance = data.config.provenance
    yield Section(message("Datasets"), (Table.of(_datasets(data), texts=3),))
    identities = [
        (message("Model under test"), provenance.model),
        (message("Judge"), provenance.judge),
    ]
    for who, identity in identities:
        yield Section(who, (Facts(tuple(_facts(identity or {}))),) if identity else ())
    yield Section(message("Rubrics"), tuple(_rubrics(data)))
    yield Section(message("Unscored"), tuple(_unscored(data)))
    yield Section("config.yaml", (Listing(dump(data.config)),))


def _log(data: ReportData) -> Iterator[Block]:
    entries = read_log(data.path)
    if not entries:
        yield Paragraph(message("Not known: the run has no run.log."))
        return
    took = timedelta(seconds=round(duration_s(entries)))
    yield Facts(((message("stages took"), str(took)),))
    yield Table.of(
        (
            {
                message("time (UTC)"): entry.time,
                message("stage"): f"{entry.stage} {entry.event}",
                message("machine"): entry.machine,
                message("version"): entry.version,
                message("commit"): entry.commit or message("none: installed"),
            }
            for entry in entries
        ),
        texts=5,
    )


def _datasets(data: ReportData) -> Iterator[Record]:
    for name, of in data.config.provenance.benchmarks.items():
        yield {
            message("benchmark"): name,
            message("dataset"): joined(filter(None, (of.dataset, of.config)), " "),
            message("revision"): Code(of.revision),
            message("items"): count(of.items),
        }


def _facts(identity: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What tells the model from any other, as far as it is known."""
    for name, value in identity.items():
        if value not in (None, "", [], ()):
            listed = isinstance(value, list | tuple)
            yield name, ", ".join(map(str, value)) if listed else str(value)


def _rubrics(data: ReportData) -> Iterator[Block]:
    """Each rubric with its hash and, where a file with this hash is at hand, its text."""
    for benchmark, version in data.config.provenance.rubrics.items():
        title = f"{version.name} {version.version}"
        yield Facts(((benchmark, title), ("SHA-256", version.hash)))
        try:
            used = rubric(data.config.rubric or version.name)
        except NormscopeError:
            used = None
        if used is None or used.hash != version.hash:
            yield Paragraph(message("The text of this rubric is not at hand."))
            continue
        # of a guard the longest replies are enough
        names = [None] if used.guard else version.criteria
        for name in names:
            yield Section(name or title, (Listing(sample(used, criterion=name)),))


def _unscored(data: ReportData) -> Iterator[Block]:
    """How many judgements have no value by whose doing, and why."""
    rows = unscored(data.table(JUDGEMENTS, columns=JUDGED))
    yield Table.of(
        (
            {
                message("benchmark"): row.benchmark,
                message("why"): counted_reasons(row.reasons) or message("none"),
                message("unscored"): count(row.count),
                message("judgements"): count(row.judgements),
            }
            for row in rows
        ),
        texts=2,
    )
