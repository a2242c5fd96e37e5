"""The norms of a run per vignette, as a table beside its scores, and which anchors have theirs.

An anchor is a vignette whose answer is not in doubt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..categorical import Categorical, first_rows
from ..errors import DataError, UsageError
from ..judges.respondent import ACCEPTABILITY
from ..metrics.answers import Answers, by_vignette
from ..metrics.columns import names
from ..metrics.estimate import Statistic
from ..metrics.inputs import Floats, one_of
from ..metrics.majority import likert
from ..metrics.norms import norm_consensus
from ..metrics.pivot import pivot
from ..metrics.rates import exact
from ..metrics.vignette_norms import NormState, VignetteNorms, vignette_norms
from ..reasons import Reason
from ..records.item import VIGNETTE, Item, varying
from ..records.judgements import Judgements, by_temperature, of_counting_source
from ..records.settings import Majority, Settings
from ..tables import read_table

if TYPE_CHECKING:
    import pandas as pd

_FIRST = "norm"
"""The first column after the factors."""

_APART = "factor_"
"""Before a factor that is named like a column of every context."""

BETWEEN = " · "
_SHOWN = 80
"""Letters of what is no table, in an error."""


@dataclass(frozen=True, eq=False)
class VignetteAnswers:
    """The answers to the vignettes of a benchmark, vignettes × replies, −2 … +2 or NaN.

    A reply is a prompt variant in an order of the scale and a sample; `variants` and `orders` name
    the variant and the order of each. Replies to one variant are not independent of one another.
    """

    items: tuple[Item, ...]
    variants: tuple[str, ...]
    orders: tuple[str, ...]
    answers: Answers

    @classmethod
    def of(cls, judgements: Judgements) -> "VignetteAnswers":
        """Those of one benchmark, of one source and at one temperature (`headline`)."""
        answered = judgements.of_criterion(ACCEPTABILITY)
        replies = answered.replies
        answers, reasons = by_vignette(answered.item_id, replies, answered.value, answered.reason)
        items = answered.distinct_items()
        first = first_rows(replies)
        variants, orders = (
            tuple(name or "" for name in column[first])
            for column in (answered.variant_id, answered.scale_order)
        )
        return cls(tuple(items), variants, orders, Answers.of(answers, reasons))

    @property
    def factors(self) -> dict[str, list[str]]:
        """The level of each vignette in the factors in which they differ."""
        return varying([item.facets for item in self.items])

    def places(self, other: "VignetteAnswers") -> list[int]:
        """Where these vignettes stand among the other's; a `DataError` where they are not these."""
        own, theirs = ([item.item_id for item in of.items] for of in (self, other))
        if lost := sorted({*own} ^ {*theirs}):
            raise DataError(
                f"{len(lost):,} vignettes are those of one model alone, such as {lost[0]!r}; norms "
                "are compared on the same vignettes: leave these out"
            )
        place = {item_id: at for at, item_id in enumerate(theirs)}
        return [place[each] for each in own]

    def norms(self, majority: Majority) -> VignetteNorms:
        """The norm of each vignette."""
        of = self.answers
        how = majority._asdict()
        return vignette_norms(of.values, of.unscored, requested=of.requested, **how)

    def consensus(
        self,
        majority: Majority,
        *,
        population: float | None,
        grouped: bool = True,
    ) -> list[Statistic]:
        """The norms over variants; each reply to a variant is a column, clustered by it."""
        return norm_consensus(
            self.answers,
            groups=self.factors if grouped else None,
            variants=self.variants,
            population=population,
            **majority._asdict(),
        )

    @classmethod
    def of_table(
        cls,
        table: Any,
        *,
        item: Sequence[str] = (),
        variant: Sequence[str] = (),
        order: str | None = None,
        answer: str | None = None,
        missing: Reason = Reason.NO_ANSWER,
    ) -> "VignetteAnswers":
        """Those of a matrix (vignettes × replies), or of a table with these columns.

        Without `answer` it has a row per vignette, and `variant` are the columns of answers (all
        that `item` does not name, if none is); else a row per answer. `missing` is why there is
        none where a cell is empty. A single column of `item` is the id, and so is `item_id` beside
        factors; else the factors together are.
        """
        frame = _frame(table)
        for name in filter(None, (*item, *variant, order, answer)):
            one_of(name, "column", (*frame.columns,))
        if answer is None:
            if order is not None:
                raise UsageError("order= is for a table with a row per answer: name answer=, too")
            variants = tuple(variant) or tuple(name for name in frame.columns if name not in item)
            ids, facets = _vignettes(frame, item)
            if not variants or len({*ids}) < len(ids):
                raise UsageError("name with item= all columns that tell vignettes apart, no others")
            cells, is_there = frame[[*variants]], np.full((len(frame), len(variants)), True)
            orders, first = ("",) * len(variants), np.arange(len(frame))
        else:
            if not item or len(variant) > 1:
                raise UsageError(
                    "a table with a row per answer: name with item= the columns that say which "
                    "vignette was asked, and with variant= the one of prompt variants"
                )
            ids, facets = _vignettes(frame, item)
            replies = [
                names(frame[name]) if name else [""] * len(frame)
                for name in (next(iter(variant), None), order)
            ]
            texts = [BETWEEN.join(filter(None, of)) or "–" for of in zip(*replies, strict=True)]
            places = pivot(ids, texts)
            cells, is_there = places.matrix([*frame[answer]]), places.matrix([1] * len(frame)) == 1
            at = np.unique(places.column, return_index=True)[1]
            variants, orders = (tuple(column[row] or "" for row in at) for column in replies)
            first = np.unique(places.row, return_index=True)[1]
        answers = likert(cells)
        lacks = np.where(np.isnan(answers) & is_there, 0, -1).astype(np.int32)
        items = tuple(Item("", ids[at], (), "", facets=facets[at]) for at in first)
        reasons = Categorical(lacks, (str(missing),))
        return cls(items, variants, orders, Answers.of(answers, reasons))


def _frame(table: Any) -> "pd.DataFrame":
    """The table, or the matrix with its columns numbered."""
    import pandas as pd

    if not isinstance(table, list | tuple | np.ndarray):
        return read_table(table).rows.to_pandas()
    cells = np.array(table, dtype=object)
    if cells.ndim != 2 or not cells.size:  # noqa: PLR2004 - rows and columns
        raise DataError(
            "answers are vignettes × prompt variants, a row of the same length for each vignette, "
            f"or a table; not {repr(table)[:_SHOWN]}"
        )
    return pd.DataFrame(cells, columns=[*map(str, range(cells.shape[1]))])


def _vignettes(
    frame: "pd.DataFrame", item: Sequence[str]
) -> tuple[list[str], list[dict[str, str]]]:
    """The id of each row's vignette, its number where no column names it, and its levels."""
    if not item:
        return [*map(str, range(len(frame)))], [{}] * len(frame)
    columns = {name: names(frame[name]) for name in item}
    named = "item_id" if "item_id" in item else item[0] if len(item) == 1 else None
    if named is not None and None in columns[named]:
        raise DataError(f"row {columns[named].index(None)} (from 0) has no {named}; fill it in")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    ids = [row[named] if named else BETWEEN.join(v or "–" for v in row.values()) for row in rows]
    return [*map(str, ids)], [
        {name: level for name, level in row.items() if level is not None and name != named}
        for row in rows
    ]


def norm_table(judgements: Judgements, config: Settings) -> pa.Table | None:
    """The norms of every vignette that the run asked, a row each; null where it asked none.

    Of replies at several temperatures there is a row at each, the lowest first. `benchmark`,
    `item_id`, `temperature` (null for labels) and the factors, null where a context lacks one;
    `norm` by the run's threshold with its `state`, a label or why there is none; `norm_simple` and
    `norm_super` by the thresholds of the rule; of the replies `asked` for how many are `valid`,
    gave each label, are `no_answer` or `unscored`; `mean` and `variance` of the valid ones.
    """
    tables = []
    for name in config.benchmark:
        counted = of_counting_source(judgements.of_benchmark(name)).of_criterion(ACCEPTABILITY)
        if not len(counted):
            continue
        alone = np.unique(counted.temperature)[0]
        for temperature, rows in (by_temperature(counted) or {alone: counted}).items():
            answered = VignetteAnswers.of(rows)
            numbers = norm_columns(answered.norms(config.majority))
            tables.append(vignette_table(name, answered.items, numbers, temperature))
    return stacked(tables, _FIRST) if tables else None


def stacked(tables: Sequence[pa.Table], first: str) -> pa.Table:
    """The tables of contexts under one another, the factors of all before the column `first`."""
    table = pa.concat_tables(tables, promote_options="default")
    numbers = tables[0].column_names[tables[0].column_names.index(first) :]
    factors = [name for name in table.column_names if name not in numbers]
    return table.select([*factors, *numbers])


def vignette_table(
    benchmark: str,
    items: Sequence[Item],
    numbers: Mapping[str, pa.Array],
    temperature: float | None = None,
) -> pa.Table:
    """The numbers of vignettes, a row each, behind their ids, the temperature and factors.

    A temperature of NaN is one that nobody knows, null that there is no such column. A factor that
    is named like one of the other columns becomes `factor_…`.
    """
    keys = {
        "benchmark": pa.array([benchmark] * len(items), pa.string()),
        "item_id": pa.array([item.item_id for item in items], pa.string()),
    }
    if temperature is not None:
        keys["temperature"] = _measured(np.full(len(items), temperature))
    facets = dict.fromkeys(name for item in items for name in item.facets)
    factors = {
        f"{_APART}{name}" if name in keys or name in numbers else name: pa.array(
            [item.facets.get(name) for item in items], pa.string()
        )
        for name in facets
    }
    return pa.table({**keys, **factors, **numbers})


def norm_columns(norms: VignetteNorms) -> dict[str, pa.Array]:
    """The columns of `norm_table` after the factors."""
    # the first five states are the labels, and so the columns of votes
    states = [state.name.lower() for state in NormState]
    return {
        _FIRST: _measured(norms.norm),
        "state": pa.array([states[state] for state in norms.states], pa.string()),
        "norm_simple": _measured(norms.simple),
        "norm_super": _measured(norms.super),
        "asked": pa.array([norms.requested] * len(norms.norm), pa.int64()),
        "valid": pa.array(norms.valid),
        **dict(zip(states, map(pa.array, norms.votes.T), strict=False)),
        "no_answer": pa.array(norms.silent),
        "unscored": pa.array(norms.unscored),
        "mean": _measured(norms.mean),
        "variance": _measured(norms.variance),
    }


def _measured(values: Floats) -> pa.Array:
    """The values, null where there is none."""
    return pa.array(values, mask=np.isnan(values))


ANCHORS = "anchors_as_expected"
EXPECTED = "expected"
"""The facet of an anchor: the side on which its norm lies beyond doubt."""

_SIDES: Mapping[str, tuple[NormState, ...]] = {
    "acceptable": (NormState.SOMEWHAT_ACCEPTABLE, NormState.STRONGLY_ACCEPTABLE),
    "unacceptable": (NormState.SOMEWHAT_UNACCEPTABLE, NormState.STRONGLY_UNACCEPTABLE),
}


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor, the side that is expected of its norm, and what became of it.

    `valid` of the `asked` replies are answers.
    """

    vignette: str
    expected: str
    state: NormState
    valid: int
    asked: int

    @property
    def as_expected(self) -> bool | None:
        """Whether the norm is on the expected side; null where it is unscored."""
        return is_as_expected(self.expected, self.state)


def is_as_expected(expected: str, state: NormState) -> bool | None:
    """Whether a norm is on the expected side; null where it is unscored.

    Neutral, no majority and no answer are not.

    >>> is_as_expected("acceptable", NormState.NEUTRAL)
    False
    """
    return None if state == NormState.UNSCORED else state in _SIDES[expected]


def anchors(answered: VignetteAnswers, norms: VignetteNorms) -> Iterator[Anchor]:
    """The anchors among the vignettes, with what became of each."""
    rows = zip(answered.items, norms.states.tolist(), norms.valid.tolist(), strict=True)
    for item, state, valid in rows:
        if VIGNETTE in item.facets and item.facets.get(EXPECTED) in _SIDES:
            yield Anchor(
                item.facets[VIGNETTE],
                item.facets[EXPECTED],
                NormState(state),
                valid,
                norms.requested,
            )


def anchor_statistics(answered: VignetteAnswers, norms: VignetteNorms) -> list[Statistic]:
    """The share of the anchors that are answered as expected; nothing where there is none."""
    right = [anchor.as_expected for anchor in anchors(answered, norms)]
    if not right:
        return []
    values = [np.nan if each is None else float(each) for each in right]
    return [Statistic(ANCHORS, "rate", exact(values))]
