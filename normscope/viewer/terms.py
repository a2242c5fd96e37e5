"""Which answers meet a term of a query, column by column."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Bools, Categorical, combined
from ..errors import UsageError, nearest
from ..messages import message
from ..records.judgements import Floats, Judgements
from .columns import Change, Columns
from .pairing import Paired, Side
from .query import COMPARISONS, PLACES, SORT, Sort, Term

NUMBERS = ("coverage", "change")
"""What can be compared and ordered by beside the criteria."""

_COMPARE: Mapping[str, Callable[[Floats, float], Bools]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


@dataclass(frozen=True, eq=False)
class Terms:
    """The answers of a collection by what can be asked of them. `change` is null of one run."""

    paired: Paired
    columns: tuple[Columns, ...]
    change: Change | None
    _hits: dict[str, tuple[Bools, Bools]] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __len__(self) -> int:
        """How many answers there are."""
        return len(self.paired)

    def meets(self, term: Term) -> Bools:
        """Which answers meet the term; a `UsageError` lists what there is where it names none."""
        result = self._meets(term)
        return ~result if term.negated else result

    def by_outcome(self, term: Term) -> bool:
        """Whether the term chooses answers by what came of them, not by where they stand.

        A word that chooses the same answers by their questions alone does not.
        """
        if term.name:
            return term.operator != ":" or term.name not in PLACES
        questions, responses = self._searched(term.values[0])
        return bool((responses & ~questions).any())

    def order(self, sort: Sort) -> Floats:
        """What the answers are ordered by, NaN where there is nothing."""
        return self.number(sort.by, f"{SORT}:{sort.by}")[0]

    def _meets(self, term: Term) -> Bools:
        if not term.name:
            return any_of(self._searched(term.values[0]))
        if term.operator in COMPARISONS:
            compare = _COMPARE[term.operator]
            # of two runs either may meet it; NaN meets nothing
            sides = self.number(term.name, str(term))
            return any_of([compare(side, term.number) for side in sides])
        if term.operator == "=":
            return self._labelled(term)
        if term.name == "is":
            return any_of([self._is(value, term) for value in term.values])
        if term.name == "changed":
            changed = self._change(str(term)).changed
            return any_of([changed[self._known(value, [*changed], term)] for value in term.values])
        columns = self.fields[term.name]
        names = list(dict.fromkeys(name for column in columns for name in column.names if name))
        for value in term.values:
            self._known(value, names, term)
        return any_of([column.isin(term.values) for column in columns])

    @cached_property
    def fields(self) -> Mapping[str, tuple[Categorical, ...]]:
        """The columns of each field: one where all runs have the same, else one or more of each."""
        paired = self.paired
        of_item = {name: _of_items(paired, name) for name in ("area", "category", "language")}
        every = [(name, each) for side in self.columns for name, each in side.items()]
        return {
            "benchmark": (paired.benchmark,),
            **{name: (column,) for name, column in of_item.items()},
            "variant": (paired.variant,),
            "order": (paired.order,),
            "item": (paired.item_id,),
            "criterion": tuple(_named(name, each.is_there) for name, each in every),
            "source": tuple(self._sources),
            "reason": (*(each.reason for _, each in every), *self._refusals),
        }

    @cached_property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """The labels that answers come to, by criterion, as first seen."""
        result: dict[str, dict[str, None]] = {}
        for side in self.columns:
            for name, column in side.items():
                result.setdefault(name, {}).update(dict.fromkeys(column.label.seen().names))
        return {name: tuple(labels) for name, labels in result.items() if labels}

    @cached_property
    def flags(self) -> Mapping[str, Bools]:
        """Which answers are unscored, in disagreement and, of two runs, changed."""
        every = [column for side in self.columns for column in side.values()]
        none = np.zeros(len(self), dtype=np.bool_)
        result = {
            "unscored": any_of([none, *(column.unscored for column in every)]),
            "disagreement": self._disagreement,
        }
        if self.change is not None:
            result["changed"] = any_of([none, *self.change.changed.values()])
        return result

    def _is(self, value: str, term: Term) -> Bools:
        if value == "changed":
            self._change(str(term))
        return self.flags[value]

    def _change(self, term: str) -> Change:
        if self.change is None:
            raise UsageError(
                message("{term}: one run changes from nothing; look at two", term=term)
            )
        return self.change

    def _labelled(self, term: Term) -> Bools:
        if term.name not in self.labels:
            raise UsageError(
                message(
                    "{term}: no criterion {name} has labels here; {known}. To search for it, put "
                    "it in quotes",
                    term=term,
                    name=repr(term.name),
                    known=_nearest(term.name, [*self.labels]),
                )
            )
        for value in term.values:
            self._known(value, self.labels[term.name], term)
        return any_of([side[term.name].label.isin(term.values) for side in self.columns])

    def number(self, name: str, term: str) -> list[Floats]:
        """A number of each answer, from each run that has one; an error names the term."""
        if name == "change":
            return [self._change(term).moved]
        if name == "coverage":
            return [
                _lowest([column.coverage for column in side.values()], len(self))
                for side in self.columns
            ]
        if name not in self.columns[0]:
            known = [*self.columns[0], "coverage", *(["change"] if self.change else [])]
            raise UsageError(
                message(
                    "{term}: there is no number {name} here; {known}. To search for it, put it in "
                    "quotes",
                    term=term,
                    name=repr(name),
                    known=_nearest(name, known),
                )
            )
        return [side[name].value for side in self.columns]

    def _known(self, value: str, names: Sequence[str], term: Term) -> str:
        if value not in names:
            raise UsageError(
                message(
                    "{term}: nothing here has {value}; {known}",
                    term=term,
                    value=repr(value),
                    known=_nearest(value, names),
                )
            )
        return value

    def _searched(self, words: str) -> tuple[Bools, Bools]:
        """The answers with the words in the conversation, and those with them in a response."""
        # a server's visitors search in threads of their own
        with self._lock:
            known = self._hits.get(words)
        if known is None:
            known = self._search(words)
            with self._lock:
                while len(self._hits) >= _KEPT:
                    self._hits.pop(next(iter(self._hits)))
                self._hits[words] = known
        return known

    def _search(self, words: str) -> tuple[Bools, Bools]:
        questions, responses = np.zeros((2, len(self)), dtype=np.bool_)
        for side in self.paired.sides:
            hits = _in_conversations(side.run.items.table["messages"], words)
            questions |= np.append(hits, np.False_)[side.item]
            of_table = _matches(side.run.responses["text"], words)
            responses |= np.append(of_table, np.False_)[side.response]
        return questions, responses

    @property
    def _refusals(self) -> list[Categorical]:
        """Why the model under test, or its engine, gave no response at all, in each run."""
        return [
            Categorical.of(side.run.responses["reason"]).taken(side.response)
            for side in self.paired.sides
        ]

    @property
    def _sources(self) -> list[Categorical]:
        """Who spoke: a column for each run and source, for a response may have several."""
        result = []
        for side in self.paired.sides:
            source = side.run.judgements.source
            for name in source.names:
                marks = np.zeros(len(self), dtype=np.bool_)
                rows = side.row[source.equals(name)]
                marks[rows[rows >= 0]] = True
                result.append(_named(name, marks))
        return result

    @cached_property
    def _disagreement(self) -> Bools:
        """The answers of which two say different things.

        Labels and text of the model under test, a judge's labels and its verdict in text, or what
        counts of the two and people.
        """
        marks = np.zeros(len(self), dtype=np.bool_)
        for side, columns in zip(self.paired.sides, self.columns, strict=True):
            marks |= _unlike_people(side, columns)
            rows = side.run.judgements
            if len(rows.source.seen().names) < 2:  # noqa: PLR2004 - two channels
                continue
            known = np.flatnonzero((side.row >= 0) & (rows.favourite.codes >= 0) & ~rows.absent())
            if not len(known):
                continue
            judged = rows[known]
            marks[side.row[known[_contradicted(judged)]]] = True
        return marks


def any_of(columns: Iterable[Bools]) -> Bools:
    """Which rows any of the columns marks."""
    result: Bools = np.logical_or.reduce(list(columns))
    return result


_KEPT = 16
"""Words whose matches are kept."""


def _unlike_people(side: Side, columns: Columns) -> Bools:
    """Which answers have another label than the one that people come to."""
    marks = np.zeros(len(side.response), dtype=np.bool_)
    # few of many answers were labelled by people
    labelled = np.isin(side.response, np.array([*side.run.people], dtype=np.intp))
    for place in np.flatnonzero(labelled).tolist():
        for said in side.run.people[int(side.response[place])]:
            column = columns.get(said.criterion)
            label = None if column is None else column.label.name(place)
            marks[place] |= None not in {label, said.label} and label != said.label
    return marks


def _contradicted(rows: Judgements) -> Bools:
    """Which judgements have one beside them, of another source, that favours another label."""
    group, label = rows.across_channels, rows.favourite
    of_group, of_label = combined(group), combined(group, label)
    of_source, of_both = combined(group, rows.source), combined(group, rows.source, label)
    others = np.bincount(of_group)[of_group] - np.bincount(of_source)[of_source]
    alike = np.bincount(of_label)[of_label] - np.bincount(of_both)[of_both]
    result: Bools = others > alike
    return result


def _nearest(value: str, known: Sequence[str]) -> str:
    if not known:
        return message("there is none")
    # the nearest of tens of thousands of ids would take seconds to find
    return nearest(value, list(known)[:1000])


def _of_items(paired: Paired, name: str) -> Categorical:
    side = paired.sides[0]
    return side.run.items.column(name).taken(side.item)


def _named(name: str, marks: Bools) -> Categorical:
    return Categorical(np.where(marks, np.int32(0), np.int32(-1)), (name,))


def _lowest(columns: Sequence[Floats], n: int) -> Floats:
    result = np.full(n, np.nan)
    for column in columns:
        result = np.fmin(result, column)
    return result


def _matches(texts: pa.ChunkedArray | pa.Array, words: str) -> Bools:
    if not words.isprintable() and any("\ud800" <= each <= "\udfff" for each in words):
        # half a character, which no text in UTF-8 can hold
        return np.zeros(len(texts), dtype=np.bool_)
    matches = pc.match_substring(texts, words, ignore_case=True).fill_null(False)
    result: Bools = np.asarray(matches)
    return result


def _in_conversations(messages: pa.ChunkedArray, words: str) -> Bools:
    """Which conversations have the words in some turn."""
    column = messages.combine_chunks()
    lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    hits = _matches(column.flatten().field("content"), words)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    result = np.zeros(len(lengths), dtype=np.bool_)
    result[rows[hits]] = True
    return result
