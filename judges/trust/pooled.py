"""The answers of several runs as one frame: people label a sample of all, blind to the model.

CHiSafetyBench's authors validated their judge so: equally many answers of each of ten models, the
majority of three raters, and the judge's rank correlations with it.
"""

from collections.abc import Sequence
from dataclasses import replace

from ...errors import UsageError
from ...files import hash_value
from ...messages import message
from ...records.integrity import RESPONSES
from .frame import Frame


def identified(frame: Frame, run: str) -> Frame:
    """The frame with its rows as those of this run among others: names that no other run's have.

    A name is a hash of the run's responses and of the row: it shows nobody which model it is of.
    """
    responses = frame.files[RESPONSES]
    rows = (
        replace(row, run=run, row_id=identified_row(responses, row.row_id)) for row in frame.rows
    )
    return replace(frame, rows=tuple(rows))


def identified_row(responses: str, name: str) -> str:
    """The name of a row of the run with these responses (a hash) among those of several runs."""
    # a letter first: a spreadsheet would take some hashes for numbers
    return "r" + hash_value([responses, name])[:12]


def run_names(frames: Sequence[Frame]) -> list[str]:
    """The name of each frame's folder, or as much of its path as tells them apart."""
    paths = [frame.origin.resolve() for frame in frames]
    for depth in range(1, max(len(path.parts) for path in paths) + 1):
        names = ["/".join(path.parts[-depth:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    raise UsageError(message("{run} is named twice", run=paths[0]))


def pooled(frames: Sequence[Frame], names: Sequence[str]) -> Frame:
    """The rows of all frames, each of its run; a frame alone stays as it is.

    They must be of one benchmark, judged under one rubric and the same criteria, and of different
    responses.
    """
    first, *others = frames
    if not others:
        return first
    for name, frame in zip(names[1:], others, strict=True):
        for what, one, other in (
            (message("benchmark"), first.benchmark, frame.benchmark),
            (message("rubric hash"), first.instrument.hash[:12], frame.instrument.hash[:12]),
            (message("criteria"), ", ".join(first.names), ", ".join(frame.names)),
        ):
            if one != other:
                raise UsageError(
                    message(
                        "the runs were not judged alike, so that no sample is of all of them: "
                        "{what}: {first} has {one}, {second} has {other}",
                        what=what,
                        first=names[0],
                        second=name,
                        one=one,
                        other=other,
                    )
                )
    if len({frame.files[RESPONSES] for frame in frames}) < len(frames):
        raise UsageError(
            message("two of the runs have the same responses: {runs}", runs=", ".join(names))
        )
    parts = tuple(identified(frame, name) for frame, name in zip(frames, names, strict=True))
    return replace(
        first,
        rows=tuple(row for part in parts for row in part.rows),
        lost=sum(part.lost for part in parts),
        parts=parts,
    )
