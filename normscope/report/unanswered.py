"""Why there is no judgement: what the model under test did, as the paper counts it, and we."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..categorical import group_by
from ..format import count, percent
from ..messages import message
from ..reasons import Origin, origin_of
from ..records.judgements import Judgements
from .blocks import Block, Section, Table, columns
from .data import BenchmarkScores
from .matrix import Matrix, matrix_table
from .scores import Line, axis_of, line_of
from .tables import counted_columns, counts
from .words import EN, Words


@dataclass(frozen=True, slots=True)
class Unanswered:
    """How often a model gave no answer that could be read, by reason, in one channel."""

    benchmark: str
    channel: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """How many judgements of one criterion are absent for one reason of ours or of the source."""

    benchmark: str
    criterion: str
    origin: str
    reason: str
    count: str
    share: str


def unanswered(scores: tuple[BenchmarkScores, ...], words: Words = EN) -> tuple[Unanswered, ...]:
    """The tables of the groups `reason`, `reason in labels` and `reason in text`."""
    return tuple(table for of in scores for table in _tables(of, words))


def _tables(scores: BenchmarkScores, words: Words) -> Iterator[Unanswered]:
    rows = [row for row in scores.statistics if row.group.split(" in ")[0] == "reason"]
    for group, found in group_by(rows, lambda row: row.group).items():
        axis = axis_of(found)
        yield Unanswered(
            benchmark=scores.benchmark,
            channel=words.name(group.removeprefix("reason in ")) if " in " in group else "",
            lines=tuple(line_of(words.name(row.member), row, axis, words) for row in found),
        )


def failures(verdicts: Judgements, words: Words = EN) -> tuple[Failure, ...]:
    """The absent judgements that are not the respondent's doing, by criterion and reason."""
    found = []
    for (benchmark, criterion), rows in verdicts.by("benchmark", "criterion"):
        failed = rows.reason[rows.absent() & ~rows.absent(Origin.RESPONDENT)].counts()
        found += [
            Failure(
                benchmark=benchmark,
                criterion=words.name(criterion),
                origin=words.name(origin_of(reason)),
                reason=words.name(reason or "no reason recorded"),
                count=count(held),
                share=percent(held / len(rows)),
            )
            for reason, held in sorted(failed.items(), key=lambda pair: (-pair[1], str(pair[0])))
        ]
    return tuple(found)


def absent_blocks(
    unanswered: Sequence[Unanswered], failures: Sequence[Failure], thresholds: Sequence[Matrix]
) -> Iterator[Block]:
    """What was not answered, what could not be scored, and what another threshold would do."""
    yield Section(
        message("What the model under test did not answer"),
        tuple(map(_table, unanswered)),
        note=message(
            "Its own behaviour, by reason: shares of everything that was asked. It stays in the "
            "denominators."
        ),
    )
    yield Section(
        message("What could not be scored"),
        (
            Table(
                columns(
                    message("benchmark"),
                    message("criterion"),
                    message("origin"),
                    message("reason"),
                    "n",
                    message("share"),
                    texts=4,
                ),
                tuple(
                    (f.benchmark, f.criterion, f.origin, f.reason, f.count, f.share)
                    for f in failures
                ),
            ),
        ),
    )
    yield Section(
        message("How the scores move with the threshold"),
        tuple(
            matrix_table(matrix, message("least coverage"), unscored=True) for matrix in thresholds
        ),
        note=message(
            "A reading counts where at least this much of the mass is on the scale. The row of the "
            "run's own scores is marked; under each value are its interval and how many are "
            "unscored."
        ),
    )


def _table(found: Unanswered) -> Table:
    return Table(
        counted_columns(message("reason")),
        tuple(counts(line, hint=line.method) for line in found.lines),
        title=found.benchmark,
        note=message("answers in {channel}", channel=found.channel) if found.channel else "",
    )
