"""Which response of one run stands beside which of another, and which judgements are about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..categorical import Categorical, Codes, combined, first_rows
from ..errors import DataError
from ..messages import message
from ..records.item import ItemKey
from ..records.judgements import Floats
from .runs import Answered


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One run's share of the rows: the places of its responses and items, a row each.

    `row` is the row of each judgement. −1 stands where a row has no response, or its item is not
    known, and where a judgement is about none of the rows. The runs may have asked in other words.
    """

    run: Answered
    response: Codes
    item: Codes
    row: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The answers that every run has, a row each, in the order of the first.

    `left_out` counts, for each run, its answers that the other lacks.
    """

    sides: tuple[Side, ...]
    benchmark: Categorical
    item_id: Categorical
    variant: Categorical
    order: Categorical
    sample: Codes
    temperature: Floats
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.sample)

    @property
    def key(self) -> tuple[Categorical, ...]:
        """The columns that identify the item of each row."""
        return self.benchmark, self.item_id, self.variant, self.order


def pair(runs: Sequence[Answered]) -> Paired:
    """The answers of the runs side by side: the same item, variant, order and sample.

    Samples are numbered through over the temperatures of a run, so that they tell replies apart,
    and a temperature only whether labels were read (it has none) or text was written; so runs at
    two temperatures can be looked at beside each other. Where a table has one sample at several
    temperatures, these count as well.
    """
    parts = [_Keys.of_responses(run) for run in runs], [_Keys.of_judgements(run) for run in runs]
    keys = [each for both in zip(*parts, strict=True) for each in both]
    columns = [Categorical.stacked([each.names[at] for each in keys]) for at in range(4)]
    sample = np.concatenate([each.sample for each in keys])
    temperature = np.concatenate([each.temperature for each in keys])
    ends = np.cumsum([len(each.sample) for each in keys])[:-1]
    codes = combined(*columns, sample, np.isnan(temperature))
    if any(_repeats(of_run) for of_run in np.split(codes, ends)[::2]):
        codes = combined(*columns, sample, temperature)
    by_table = np.split(codes, ends)
    of_runs = [np.concatenate(by_table[at : at + 2]) for at in range(0, len(by_table), 2)]
    n = int(codes.max(initial=-1)) + 1
    marks = np.zeros((len(runs), n), dtype=np.bool_)
    for at, of_run in enumerate(of_runs):
        marks[at, of_run] = True
    shared = marks.all(axis=0)
    # numbered as first seen, so that the codes are in the first run's order
    kept = np.flatnonzero(shared)
    if n and not len(kept):
        raise DataError(
            message(
                "{first} and {second} have no answer to the same item, prompt variant, order and "
                "sample: look at each alone",
                first=runs[0].name,
                second=runs[-1].name,
            )
        )
    place = np.full(n, -1, dtype=np.intp)
    place[kept] = np.arange(len(kept))
    lead = first_rows(codes)[kept]
    benchmark, item_id, variant, order = (column[lead] for column in columns)
    return Paired(
        sides=tuple(
            Side(
                run,
                response=_response(by_table[2 * i], place, len(kept)),
                item=run.items.places_of((benchmark, item_id, variant, order)),
                row=place[by_table[2 * i + 1]],
            )
            for i, run in enumerate(runs)
        ),
        benchmark=benchmark,
        item_id=item_id,
        variant=variant,
        order=order,
        sample=sample[lead],
        temperature=temperature[lead],
        left_out={
            run.name: lost
            for run, has in zip(runs, marks, strict=True)
            if (lost := int(has.sum()) - len(kept))
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Keys:
    names: tuple[Categorical, ...]
    sample: Codes
    temperature: Floats

    @classmethod
    def of_responses(cls, run: Answered) -> "_Keys":
        table = run.responses
        return cls(
            tuple(Categorical.of(table[name]) for name in ItemKey._fields),
            table["sample"].to_numpy().astype(np.intp),
            table["temperature"].to_numpy(),
        )

    @classmethod
    def of_judgements(cls, run: Answered) -> "_Keys":
        rows = run.judgements
        return cls(
            tuple(getattr(rows, name) for name in ItemKey._fields),
            rows.sample.astype(np.intp),
            rows.temperature,
        )


def _repeats(codes: Codes) -> bool:
    return bool((np.bincount(codes) > 1).any())


def _response(codes: Codes, place: Codes, n: int) -> Codes:
    """The place of each row's response, of several the first."""
    result = np.full(n, -1, dtype=np.intp)
    rows = np.flatnonzero(place[codes] >= 0)[::-1]
    # of several assignments to one place the last counts
    result[place[codes[rows]]] = rows
    return result
