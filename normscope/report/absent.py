"""Why there is no judgement: what the model under test did, as the paper counts it, and we."""

from collections.abc import Iterator

from ..categorical import group_by
from ..format import count, percent
from ..messages import message
from ..pipeline.published import REASON
from ..reasons import Origin, origin_of
from ..records.judgements import Judgements
from .blocks import Block, Row, Section, Table, columns
from .data import ReportData
from .estimates import counted_table
from .names import name_of
from .scores import matrix_tables


def absent_blocks(data: ReportData, judgements: Judgements) -> Iterator[Block]:
    """What was not answered, what could not be scored, and what another threshold would do."""
    yield Section(
        message("What the model under test did not answer"),
        tuple(_not_answered(data)),
        note=message(
            "Its own behaviour, by reason: shares of everything that was asked. It stays in the "
            "denominators."
        ),
    )
    yield Section(
        message("What the published arithmetic could not score"),
        tuple(_not_published(data)),
        note=message("Shares of all answers, by the reason why tokens are missing."),
    )
    header = columns(
        message("benchmark"),
        message("criterion"),
        message("origin"),
        message("reason"),
        "n",
        message("share"),
        texts=4,
    )
    yield Section(
        message("What could not be scored"), (Table(header, tuple(_not_scored(judgements))),)
    )
    used = f"{data.config.min_coverage:g}"
    yield Section(
        message("How the scores move with the threshold"),
        matrix_tables(data, "min_coverage", message("least coverage"), used=used, unscored=True),
        note=message(
            "A reading counts where at least this much of the mass is on the scale. The row of the "
            "run's own scores is marked; under each value are its interval and how many are "
            "unscored."
        ),
    )


def _not_answered(data: ReportData) -> Iterator[Table]:
    """How often a model gave no answer that could be read, by reason, in each channel."""
    for benchmark, statistics in data.scores.items():
        rows = [row for row in statistics if row.group.split(" in ")[0] == "reason"]
        for group, of in group_by(rows, lambda row: row.group).items():
            channel = group.removeprefix("reason").removeprefix(" in ")
            yield counted_table(
                message("reason"),
                ((name_of(row.member), row) for row in of),
                title=benchmark,
                note=message("answers in {channel}", channel=name_of(channel)) if channel else "",
            )


def _not_published(data: ReportData) -> Iterator[Table]:
    """Why answers have no score by the published arithmetic, where it was asked for."""
    for benchmark, statistics in data.scores.items():
        rows = [row for row in statistics if row.group == REASON]
        if rows:
            named = ((name_of(row.member), row) for row in rows)
            yield counted_table(message("reason"), named, title=benchmark)


def _not_scored(judgements: Judgements) -> Iterator[Row]:
    """The absent judgements that are not the respondent's doing, by criterion and reason."""
    for (benchmark, criterion), rows in judgements.by("benchmark", "criterion"):
        # what the respondent left out is above, with an interval: it is behaviour, this is not
        failed = rows.reason[rows.absent() & ~rows.absent(Origin.RESPONDENT)].counts()
        for reason, n in sorted(failed.items(), key=lambda pair: (-pair[1], str(pair[0]))):
            yield (
                benchmark,
                name_of(criterion),
                name_of(origin_of(reason)),
                name_of(reason or "no reason recorded"),
                count(n),
                percent(n / len(rows)),
            )
