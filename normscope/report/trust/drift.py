"""The drift of a judge, as a page."""

from collections.abc import Iterator

from ...format import count, number, shortened
from ...judges.trust.drift import Drift, Drifted
from ...messages import message
from ..blocks import Bullets, Page, Record, Section, Table
from ..names import name_of

_LOST, _READ = message("not read"), message("read")
_LEGEND = (
    message(
        "A fixed answer drifts where the probability of some label has changed by more than the "
        "tolerance for rounding of the judge's dtype, or where it can be read in one of the two "
        "only. Compared is only what was judged alike: the same set of answers, rubric and order "
        "of labels."
    ),
)


def page(drift: Drift) -> Page:
    """The drift as a page."""
    rows = (_row(rubric.rubric, row) for rubric in drift.rubrics for row in rubric.drifted)
    return Page(
        title=message("Drift: {second} against {first}", second=drift.second, first=drift.first),
        blocks=(
            Bullets(tuple(_findings(drift))),
            Section(message("What has changed, the most first"), (Table.of(rows, texts=4),)),
            Section(message("How to read this"), (Bullets(_LEGEND),)),
        ),
    )


def _row(rubric: str, drifted: Drifted) -> Record:
    def shown(value: float | None) -> str:
        # with no label to compare, a value only says that there was something to read
        return _LOST if value is None else _READ if drifted.label is None else number(value)

    return {
        message("rubric"): rubric,
        message("fixed answer"): drifted.id,
        message("criterion"): name_of(drifted.criterion),
        message("label, from 0"): "" if drifted.label is None else str(drifted.label),
        message("before"): shown(drifted.before),
        message("after"): shown(drifted.after),
        message("change"): number(drifted.change),
    }


def _findings(drift: Drift) -> Iterator[str]:
    for rubric in drift.rubrics:
        slots = {
            "rubric": rubric.rubric,
            "m": count(rubric.compared),
            "largest": number(rubric.largest),
            "tolerance": number(rubric.tolerance),
            "dtype": rubric.dtype,
        }
        if rubric.drifted:
            yield message(
                "DRIFT, {rubric}: {n} of {m} changed; the largest change of a probability is "
                "{largest} (tolerance {tolerance} for {dtype}).",
                n=count(len(rubric.drifted)),
                **slots,
            )
        else:
            yield message(
                "No drift, {rubric}: {m} judgements of fixed answers; the largest change of a "
                "probability is {largest} (tolerance {tolerance} for {dtype}).",
                **slots,
            )
        for name, (before, after) in rubric.changed.items():
            yield message(
                "The judge's {name} differs: {before}, now {after}.",
                name=name,
                before=_value(before),
                after=_value(after),
            )
    for name in drift.not_alike:
        yield message(
            "Nothing to compare with: {name} was not judged alike in {first}.",
            name=name,
            first=drift.first,
        )


def _value(value: object) -> str:
    return message("none") if value is None else shortened(str(value))
