"""The answers of one run, or of two side by side: selected, listed, opened, summed up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..categorical import Codes
from ..errors import UsageError
from ..messages import message
from .columns import Change, Columns, change_of, columns_of, range_lengths
from .detail import Detail, detail_of
from .keys import as_number, as_numbers, keys_of
from .page import Row, rows_of
from .pairing import Paired, pair
from .query import Query, Term
from .runs import Answered
from .summary import Summary, Summed, summary_of
from .terms import Terms, any_of

Choices = Mapping[str, tuple[tuple[str, int], ...]]
"""By field the values that answers have, each with how many have it."""

_OF_ALL = {"benchmark", "area", "category", "language", "variant", "order", "source"}
_NAMES = ("benchmark", "area", "category", "language", "variant", "order", "criterion", "source")


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The places of answers in their order.

    `by_outcome` are the terms that chose them by what came of them, not by where they stand.
    """

    places: Codes
    by_outcome: tuple[Term, ...] = ()

    def __len__(self) -> int:
        """How many answers there are."""
        return len(self.places)


@dataclass(frozen=True, eq=False)
class Collection:
    """The answers of one run, or those that two runs have in common, a row each.

    `left_out` counts, for each of two runs, the answers that the other lacks.
    """

    paired: Paired
    columns: tuple[Columns, ...]
    change: Change | None

    @classmethod
    def of(cls, runs: Sequence[Answered]) -> "Collection":
        """The answers of one run, or of two, side by side."""
        if len(runs) not in {1, 2}:
            raise UsageError(
                message("answers are looked at of one run, or of two, not of {n}", n=len(runs))
            )
        if len({run.name for run in runs}) < len(runs):
            raise UsageError(
                message("both runs are called {name}: name them apart", name=runs[0].name)
            )
        paired = pair(runs)
        columns = columns_of(paired)
        change = None
        if len(runs) > 1:
            ranges = range_lengths(paired, columns)
            change = change_of(columns[0], columns[1], ranges, len(paired))
        return cls(paired, columns, change)

    def __len__(self) -> int:
        """How many answers there are."""
        return len(self.paired)

    @property
    def runs(self) -> tuple[Answered, ...]:
        """The runs in their order."""
        return tuple(side.run for side in self.paired.sides)

    @property
    def left_out(self) -> Mapping[str, int]:
        """For each of two runs its answers that the other lacks, if there are any."""
        return self.paired.left_out

    def select(self, query: Query) -> Selection:
        """The answers that meet every term, as the runs have them or in the order asked for.

        What has no value stands last in either order. A `UsageError` names a term that asks for
        what is not there, and lists what is.
        """
        kept = np.ones(len(self), dtype=np.bool_)
        for term in query.terms:
            kept &= self.terms.meets(term)
        places = np.flatnonzero(kept)
        if query.sort is not None:
            by = self.terms.order(query.sort)[places]
            places = places[np.argsort(-by if query.sort.descending else by, kind="stable")]
        return Selection(places, tuple(filter(self.terms.by_outcome, query.terms)))

    def rows(self, places: Sequence[int] | Codes) -> tuple[Row, ...]:
        """A page: a row of each of these places."""
        at = np.asarray(places, dtype=np.intp)
        return rows_of(
            at.tolist(), keys_of(self.paired, at), self.paired, self.columns, self.change
        )

    def detail(self, place: int, *, siblings: bool = True) -> Detail:
        """Everything that is known of the answer in this place, with its `siblings` or without."""
        (row,) = self.rows([place])
        if not siblings:
            return detail_of(row, self.paired, ())
        same = np.flatnonzero(
            (self.paired.benchmark.codes == self.paired.benchmark.codes[place])
            & (self.paired.item_id.codes == self.paired.item_id.codes[place])
        )
        beside = self.rows(same[same != place])
        return detail_of(row, self.paired, beside)

    def keys(self, places: Codes) -> list[str]:
        """The short names of the answers in these places (`Row.key`)."""
        return keys_of(self.paired, places)

    def place_of(self, key: str) -> int | None:
        """The place of the answer with this name (`Row.key`), null where there is none."""
        value = as_number(key)
        if value is None:
            return None
        places = np.flatnonzero(self._keys == value)
        return int(places[0]) if len(places) else None

    def choices(self) -> Choices:
        """What a filter can be set to: values of fields, labels of criteria, what an answer can be.

        A field of which there is nothing to choose from is not among them. Labels stand under
        their criterion's name with `=` behind it, as in a query (`refusal=`).
        """
        terms = self.terms
        counted: dict[str, dict[str, int]] = {}
        for name in (*_NAMES, "reason"):
            counted[name] = {}
            values = dict.fromkeys(v for c in terms.fields[name] for v in c.seen().names if v)
            for value in values:
                marks = any_of([c.equals(value) for c in terms.fields[name]])
                counted[name][value] = int(marks.sum())
        for name, labels in terms.labels.items():
            counted[f"{name}="] = {
                label: int(any_of([s[name].label.equals(label) for s in self.columns]).sum())
                for label in labels
            }
        counted["is"] = {name: int(marks.sum()) for name, marks in terms.flags.items()}
        known = {
            name: tuple((value, n) for value, n in values.items() if n)
            for name, values in counted.items()
        }
        # what all answers have is no choice; who all are judged by one criterion may want labels
        return {n: values for n, values in known.items() if len(values) > (n in _OF_ALL)}

    def summary(self, selection: Selection) -> Summary:
        """What the selected answers come to; of two runs also how they differ."""
        return summary_of(self._summed, selection.places, selection.by_outcome)

    @cached_property
    def terms(self) -> Terms:
        """The answers by what can be asked of them."""
        return Terms(self.paired, self.columns, self.change)

    @cached_property
    def _summed(self) -> Summed:
        return Summed.of(self.paired, self.columns)

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        """The name of every answer as a number: made when a link is followed first."""
        return as_numbers(self.keys(np.arange(len(self))))
