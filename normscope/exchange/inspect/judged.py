"""A log of Inspect's, judged in place: each sample a row, and the log again with our scores."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import DataError
from ...judges.judge import Questions
from ...messages import message
from ...metrics.cfsafety import cfsafety_score
from ...metrics.criterion import criterion_score
from ...metrics.estimate import Statistic
from ...pipeline.importing.formats.inspect_archive import Archive
from ...pipeline.importing.formats.inspect_log import SUFFIXES
from ...pipeline.importing.formats.inspect_records import (
    HEADER,
    SAMPLES,
    START,
    Json,
    Log,
    Sample,
    opened_log,
)
from ...pipeline.judged_rows import Judged
from ...pipeline.row_file import Names
from ...records.judgements import counted_verdicts
from ...rows import Row, Rows, check_writable, write_rows
from .log_file import JOURNAL, REDUCTIONS, SUMMARIES, VERSION, check_log, write_log
from .score import Score, metrics_of, scores_of

_WRITTEN_ANEW = {HEADER, START, SUMMARIES, REDUCTIONS}


def is_log(path: Path) -> bool:
    """Whether the file is a log, by its ending."""
    return path.suffix in SUFFIXES


class LogFile:
    """A log as a file of rows, in the order of its samples."""

    def __init__(self, path: Path) -> None:
        """Nothing is read yet."""
        self._path = path
        self._places: list[str] = []
        self._taken: set[str] = set()

    def rows(self) -> Rows:
        """A row per sample and epoch: what was said, the answer, and the sample's metadata.

        `messages` ends with the user's last turn, `response` is the answer that came then, and
        `failed` why there is none. What else the log holds stays in it.
        """
        rows: Rows = []
        with opened_log(self._path) as log:
            results = log.head.get("results") or {}
            self._taken = {each["name"] for each in results.get("scores") or ()}
            for sample, raw in log.samples:
                self._taken |= {*(raw.get("scores") or ())}
                place = f"{self._path}, sample {sample.id}, epoch {sample.epoch}"
                if not sample.conversation:
                    raise DataError(
                        message(
                            "{place}: no turn of the user's has a text, so nobody knows what was "
                            "answered; leave the sample out of the log",
                            place=place,
                        )
                    )
                self._places.append(place)
                rows.append(_row(sample))
        if not rows:
            raise DataError(message("{path} has no samples: nothing to judge", path=self._path))
        if not any(row["failed"] for row in rows):
            for row in rows:
                del row["failed"]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [{name: row.get(name) for name in names} for row in rows]

    def place(self, number: int) -> str:
        """The sample and its epoch."""
        return self._places[number - 1]

    def check(self, out: Path, rows: Rows | None = None, names: Names | None = None) -> None:  # noqa: ARG002
        """An error if `out` is neither a log nor a table that can hold the rows."""
        if is_log(out):
            check_log(out)
        else:
            check_writable(out, rows or [])

    def write(
        self,
        out: Path,
        rows: Rows,
        judged: Judged,
        questions: Questions,
        names: Names,  # noqa: ARG002
    ) -> None:
        """Writes a table of the rows or, where `out` is a log, the log with our scores added."""
        if not is_log(out):
            write_rows(out, rows)
            return
        with opened_log(self._path) as log:
            of_samples = [self._named(scores_of(several)) for several in judged]
            head = _head(log, self._results(rows, judged, questions), len(judged))
            samples = (
                raw | {"scores": (raw.get("scores") or {}) | scores}
                for (_, raw), scores in zip(log.samples, of_samples, strict=True)
            )
            write_log(out, head, samples, members=_members(log.archive))

    def _named(self, scores: dict[str, Score]) -> dict[str, Json]:
        return {self._free(name): score.as_json() for name, score in scores.items()}

    def _free(self, name: str) -> str:
        """The name of a score, with a number where another scorer of the log has it."""
        numbered = (name, *(f"{name}{n}" for n in range(1, len(self._taken) + 1)))
        return next(each for each in numbered if each not in self._taken)

    def _results(self, rows: Rows, judged: Judged, questions: Questions) -> list[Json]:
        """The statistics of each criterion over all samples.

        Epochs of a sample are no independent facts: they are redrawn together.
        """
        about = {"judge": judged[0][0].judge, "rubric_hash": questions.hash}
        clusters = [str(row["id"]) for row in rows]
        return metrics_of(
            [
                replace(each, name=self._free(each.name))
                for each in statistics_of(judged, questions, clusters)
            ],
            metadata=about,
        )


def statistics_of(
    judged: Judged, questions: Questions, clusters: Sequence[str]
) -> Iterator[Statistic]:
    """The level of each criterion under its own name, and the score that two of them make.

    Of a criterion that is a class, whose mean says nothing, the share of each label.
    """
    counted = [{each.criterion: each for each in counted_verdicts(several)} for several in judged]
    for name, criterion in questions.criteria.items():
        column = [of[name] for of in counted]
        level, *shares = criterion_score(
            [each.value for each in column],
            [each.favourite for each in column],
            name=name,
            labels=criterion.scale.labels,
            worth=criterion.scale.values,
            clusters=clusters,
            reasons=[each.reason for each in column],
        )
        if criterion.read == "mean":
            yield replace(level, name=name)
            continue
        for label, share in zip(criterion.scale.labels, shares, strict=True):
            yield replace(share, name=f"{name}:{label}")
    if {"moral", "rating"} <= set(questions.criteria):
        score, *_ = cfsafety_score(
            [of["moral"].value for of in counted],
            [of["rating"].value for of in counted],
            clusters=clusters,
            reasons=[of["moral"].reason for of in counted],
        )
        yield score


def _row(sample: Sample) -> Row:
    own: Row = {
        "id": sample.id,
        "epoch": sample.epoch,
        "messages": [turn._asdict() for turn in sample.conversation],
        "response": sample.answer,
        "failed": sample.failed,
    }
    # what its author added may be called as ours
    return own | {
        f"metadata.{name}" if name in own else name: value
        for name, value in sample.metadata.items()
    }


def _head(log: Log, results: list[Json], samples: int) -> Json:
    """The head of the log with our results beside the others; a run that went on says so still."""
    missing: Json = {"version": VERSION, "status": log.header.status, "plan": {}, "stats": {}}
    head = missing | log.head
    if log.archive is not None and REDUCTIONS in log.archive.names:
        head["reductions"] = json.loads(log.archive.read(REDUCTIONS))
    known: Json = head.get("results") or {"total_samples": samples, "completed_samples": samples}
    head["results"] = known | {"scores": [*(known.get("scores") or ()), *results]}
    return head


def _members(archive: Archive | None) -> Iterator[tuple[str, bytes]]:
    """The other members of the log's archive."""
    for name in archive.names if archive else ():
        anew = name in _WRITTEN_ANEW or name.startswith((f"{SAMPLES}/", f"{JOURNAL}summaries/"))
        if archive and not anew:
            yield name, archive.read(name)
