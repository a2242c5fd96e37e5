"""The drift of a judge as a page."""

from collections.abc import Iterator
from typing import Any

from ...format import count, number
from ...judges.trust.drift import Drift
from .check_page import Page, Table

_LOST = "not read"
_LEGEND = """\
- A fixed answer drifts where the probability of some label has changed by more than the tolerance
  of the judge's dtype, or where it can be read in one of the two only.
- The tolerance is for rounding: another batch, number of threads or device. The same engine, plan
  and machine give the same bytes.
- Compared are the criteria that both have, and only what was asked alike: the same set of answers,
  rubric and order of labels. The judge's identity may differ in a field, which is then named."""


def page(found: Drift) -> Page:
    """The drift as a page."""
    rows = [
        (
            part.rubric,
            one.id,
            one.criterion,
            "" if one.label is None else str(one.label),
            _LOST if one.before is None else "read" if one.label is None else number(one.before),
            _LOST if one.after is None else "read" if one.label is None else number(one.after),
            number(one.change),
        )
        for part in found.parts
        for one in part.drifted
    ]
    header = ("rubric", "fixed answer", "criterion", "label, from 0", "before", "after", "change")
    return Page(
        title=f"Drift: {found.second} against {found.first}",
        good=found.same,
        says=tuple(_says(found)),
        tables=(Table("What has changed, the most first", header, tuple(rows), texts=4),),
        legend=_LEGEND,
    )


def _says(found: Drift) -> Iterator[str]:
    for part in found.parts:
        within = f"tolerance {number(part.tolerance)} for {part.dtype}"
        most = f"the largest change of a probability is {number(part.largest)} ({within})"
        many = count(part.compared)
        if part.drifted:
            yield f"DRIFT, {part.rubric}: {count(len(part.drifted))} of {many} changed; {most}."
        else:
            yield f"No drift, {part.rubric}: {many} verdicts on fixed answers; {most}."
        for name, (before, after) in part.changed.items():
            yield f"The judge's {name} differs: {_short(before)}, now {_short(after)}."
    for one in found.not_alike:
        yield f"Nothing to compare with: {one} was not asked alike in {found.first}."


def _short(value: Any) -> str:
    told = "none" if value is None else str(value)
    return told if len(told) <= 40 else f"{told[:37]}…"  # noqa: PLR2004
