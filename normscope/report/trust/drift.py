"""The drift of a judge, as a page."""

from collections.abc import Iterator
from typing import Any

from ...format import count, number
from ...judges.trust.drift import Drift, Drifted
from ..blocks import Bullets, Page, Section, Table, columns

_LOST, _READ = "not read", "read"
_LEGEND = (
    (
        "A fixed answer drifts where the probability of some label has changed by more than the "
        "tolerance of the judge's dtype, or where it can be read in one of the two only."
    ),
    (
        "The tolerance is for rounding: another batch, number of threads or device. The same "
        "engine, plan and machine give the same bytes."
    ),
    (
        "Compared are the criteria that both have, and only what was judged alike: the same set "
        "of answers, rubric and order of labels. The judge's identity may differ in a field, "
        "which is then named."
    ),
)


def page(drift: Drift) -> Page:
    """The drift as a page."""
    rows = tuple(
        (rubric.rubric, *_cells(drifted)) for rubric in drift.rubrics for drifted in rubric.drifted
    )
    names = ("rubric", "fixed answer", "criterion", "label, from 0", "before", "after", "change")
    return Page(
        title=f"Drift: {drift.second} against {drift.first}",
        blocks=(
            Bullets(tuple(_findings(drift))),
            Section("What has changed, the most first", (Table(columns(*names, texts=4), rows),)),
            Section("How to read this", (Bullets(_LEGEND),), screen=False),
        ),
    )


def _cells(drifted: Drifted) -> Iterator[str]:
    yield drifted.id
    yield drifted.criterion
    yield "" if drifted.label is None else str(drifted.label)
    for value in (drifted.before, drifted.after):
        # with no label to compare, a value only says that there was something to read
        yield _LOST if value is None else _READ if drifted.label is None else number(value)
    yield number(drifted.change)


def _findings(drift: Drift) -> Iterator[str]:
    for rubric in drift.rubrics:
        within = f"tolerance {number(rubric.tolerance)} for {rubric.dtype}"
        most = f"the largest change of a probability is {number(rubric.largest)} ({within})"
        many = count(rubric.compared)
        if rubric.drifted:
            yield f"DRIFT, {rubric.rubric}: {count(len(rubric.drifted))} of {many} changed; {most}."
        else:
            yield f"No drift, {rubric.rubric}: {many} judgements of fixed answers; {most}."
        for name, (before, after) in rubric.changed.items():
            yield f"The judge's {name} differs: {_short(before)}, now {_short(after)}."
    for name in drift.not_alike:
        yield f"Nothing to compare with: {name} was not judged alike in {drift.first}."


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:37]}…"  # noqa: PLR2004
