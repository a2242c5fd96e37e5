"""The norms of a run per vignette, as a table beside its scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa

from ..categorical import Categorical, first_rows
from ..judges.respondent import ACCEPTABILITY
from ..metrics import Rule
from ..metrics.inputs import Bools, Floats
from ..metrics.majority import Threshold
from ..metrics.norms import asked_columns, by_vignette, unscored_cells
from ..metrics.vignette_norms import NormState, VignetteNorms, vignette_norms
from ..records.config import RunConfig
from ..records.item import Item, varying
from ..records.judgements import Judgements, by_temperature, of_counting_source

_FIRST = "norm"
"""The first column after the factors."""

_APART = "factor_"
"""Before a factor that is named like a column of every context."""


class Majority(Protocol):
    """What makes a norm of answers: a run's configuration, or what it is scored by."""

    @property
    def rule(self) -> Rule:
        """Which majority."""

    @property
    def norm_threshold(self) -> Threshold:
        """The share of the valid answers that it takes."""


@dataclass(frozen=True, eq=False)
class VignetteAnswers:
    """The answers to the vignettes of a benchmark, vignettes × replies, −2 … +2 or NaN.

    A reply is a prompt variant in an order of the scale and a sample; `variants` and `orders` name
    the variant and the order of each. Replies to one variant are not independent of one another.
    """

    items: tuple[Item, ...]
    variants: tuple[str, ...]
    orders: tuple[str, ...]
    answers: Floats
    reasons: Categorical

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
        return cls(tuple(items), variants, orders, answers, reasons)

    @cached_property
    def unscored(self) -> Bools:
        """Which answers are missing by our failure."""
        return unscored_cells(self.answers, self.reasons)

    @property
    def factors(self) -> dict[str, list[str]]:
        """The level of each vignette in the factors in which they differ."""
        return varying([item.facets for item in self.items])

    def norms(self, config: Majority) -> VignetteNorms:
        """The norm of each vignette by the run's rule and threshold."""
        return vignette_norms(
            self.answers,
            self.unscored,
            rule=config.rule,
            threshold=config.norm_threshold,
            asked=asked_columns(self.answers, self.reasons),
        )


def norm_table(judgements: Judgements, config: RunConfig) -> pa.Table | None:
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
            numbers = norm_columns(answered.norms(config))
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
        "asked": pa.array([norms.asked] * len(norms.norm), pa.int64()),
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
