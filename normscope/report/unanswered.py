"""Why there is no judgement: what the model under test did, as the paper counts it, and we."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..format import count, percent
from ..reasons import Origin
from ..records.judgements import Judgements
from .data import BenchmarkScores
from .scores import Line, axis_of, line_of
from .verdicts import absent, group_by, origin_of
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
        failed = rows.reason[absent(rows) & ~absent(rows, Origin.RESPONDENT)].counts()
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
