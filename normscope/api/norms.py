"""Norms of flows out of answers to vignettes: from a matrix, a table or a run.

>>> import normscope as ns
>>> found = ns.norms([[1, 1, 2], [-1, -1, 2], [0, 1, None]], rule="published")
>>> found.table["norm"].to_pylist()  # of the third flow one of two valid answers is enough
[1.0, -1.0, 0.0]
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa

from ..comparison.norms import side_by_side
from ..errors import UsageError
from ..format import count
from ..messages import joined, message
from ..metrics import Rule
from ..metrics.concordance import Prompts, norm_agreement
from ..metrics.inputs import one_of
from ..metrics.majority import Threshold
from ..metrics.shift import norm_shift
from ..metrics.vignette_norms import NormState, VignetteNorms
from ..pipeline.norms import VignetteAnswers, norm_columns, vignette_table
from ..pipeline.people import ratings_of
from ..reasons import Reason
from ..records.settings import Majority
from ..report.blocks import Block
from ..report.charts import NormsMap
from ..report.norm_charts import norm_map
from ..report.norms import Shifts, norm_spread
from ..report.notebook import Shown
from ..report.people import BesidePeople
from ..report.scores import Scores
from .settings import Names, listed_names


def norms(
    answers: Any,
    *,
    rule: Rule = "default",
    threshold: Threshold = "simple",
    min_valid: int | None = None,
    item: Names | None = None,
    variant: Names | None = None,
    order: str | None = None,
    answer: str | None = None,
    missing: str = "no_answer",
    population: int | None = None,
    name: str = "",
) -> "Norms":
    """The norms that answers to vignettes make, by the majority over prompt variants.

    `answers` are vignettes × prompt variants (an array, a list of lists), or a table (a data frame,
    Arrow, a mapping of columns, a file):

    - wide, a row per vignette: `item` names the columns that say which vignette it is (its id, its
      factors, or `item_id` and its factors), all others, or those of `variant`, are answers;
    - long, with `answer`, a row per answer: `item`, `variant` and maybe `order` name its prompt.

    An answer is a degree (−2 … +2) or a label in English or Chinese; `ns.import_answers` reads any
    text. An empty one is the model's own doing; with `missing="call_failed"` (or another `Reason`
    of ours) it is unscored. Of a long table, a row that is not there is unscored.

    `rule="published"` counts as the authors of LLM-CI did (`metrics.majority`): columns are then
    taken in their order, by which the first of two answers that are as frequent wins. `threshold`
    is `simple`, `super` or a share of the valid answers, `min_valid` how many of these a norm
    needs. `population` is how many vignettes there are of which these were asked: shares are exact
    only where that is all of them, and without it these stand for others of their kind. `name` is
    what the model is called. A `DataError` says which row is no answer.
    """
    one_of(rule, "rule", get_args(Rule))
    one_of(missing, "missing", tuple(map(str, Reason)))
    answered = VignetteAnswers.of_table(
        answers,
        item=listed_names(item),
        variant=listed_names(variant),
        order=order,
        answer=answer,
        missing=Reason(missing),
    )
    return Norms(
        answered,
        name=name,
        rule=rule,
        threshold=threshold,
        min_valid=min_valid,
        population=math.inf if population is None else population,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Norms(Shown):
    """The norms of one model: what most prompt variants say of each flow.

    `answered` are the answers behind them; `rule`, `threshold` and `min_valid` are those of
    `norms`. `population` is how many vignettes the context has from which these were drawn, null
    if they are all, `math.inf` if nobody knows. `name` is what the model is called.
    """

    answered: VignetteAnswers
    name: str = ""
    rule: Rule = "default"
    threshold: Threshold = "simple"
    min_valid: int | None = None
    population: float | None = None

    def __len__(self) -> int:
        """How many vignettes there are."""
        return len(self.answered.items)

    def _shown(self) -> Sequence[Block]:
        """How many vignettes have each norm and how far answers vary, then the consensus."""
        return (norm_spread(self.vignettes), *self.consensus._shown())

    def __repr__(self) -> str:
        """How many there are of each norm, and of none."""
        counts = np.bincount(self.vignettes.states, minlength=len(NormState)).tolist()
        states = (
            f"{state.name.lower().replace('_', ' ')} {count(n)}"
            for state, n in zip(NormState, counts, strict=True)
            if n
        )
        of = f" of {self.name}" if self.name else ""
        return f"Norms{of}, {count(len(self))} vignettes: {', '.join(states)}"

    @cached_property
    def vignettes(self) -> VignetteNorms:
        """The norm of each vignette with the votes behind it, as arrays."""
        return self.answered.norms(self.majority)

    @property
    def majority(self) -> Majority:
        """What makes a norm of the answers."""
        return Majority(self.rule, self.threshold, self.min_valid)

    @cached_property
    def table(self) -> pa.Table:
        """A row per vignette, as `norms.parquet` of a run has it.

        `item_id` and the factors; `norm` (−2 … +2, null where there is none), its `state`,
        `norm_simple` and `norm_super`; of the replies `asked` for how many are `valid`, gave each
        label, are `no_answer` or `unscored`; `mean` and `variance` of the valid ones.
        """
        table = vignette_table("", self.answered.items, norm_columns(self.vignettes))
        return table.drop_columns("benchmark")

    @cached_property
    def consensus(self) -> Scores:
        """Shares of the vignettes by their norm, the mean acceptability and how alike answers are.

        Overall and by the levels of each factor in which vignettes differ
        (`metrics.norm_consensus`). Shares of all vignettes of a context are exact, those of some
        have a sample's interval; intervals of means are over prompt variants.
        """
        statistics = self.answered.consensus(self.majority, population=self.population)
        return Scores.of(statistics, model=self.name)

    def to_frame(self) -> pd.DataFrame:
        """The consensus as a tidy data frame; `table` has the single norms."""
        return self.consensus.to_frame()

    def agreement(self, other: "Norms", *others: "Norms", prompts: Prompts = "shared") -> Scores:
        """Shares of the flows on which the models hold the same norm (`metrics.norm_agreement`).

        By the rule of this one, over the prompt variants that all were asked, or, as published,
        with `prompts="own"` each over those that it was asked. A `DataError` where their vignettes
        differ.
        """
        answers, _ = side_by_side(_by_name(self, other, *others))
        how = self.majority._asdict()
        return Scores.of(norm_agreement(answers, prompts=prompts, **how))

    def shift(self, other: "Norms", *others: "Norms") -> Shifts:
        """How far mean acceptability moves from this model to the others (`metrics.norm_shift`).

        By the rule of this one, over the prompt variants that both of a pair were asked, and by
        the levels of each factor. A `DataError` where their vignettes differ.
        """
        answers, variants = side_by_side(_by_name(self, other, *others))
        rule, threshold, _ = self.majority
        factors = self.answered.factors
        return Shifts(
            norm_shift(answers, variants=variants, groups=factors, rule=rule, threshold=threshold)
        )

    def against_people(
        self, ratings: Any, *, scale: tuple[float, float] | None = None
    ) -> BesidePeople:
        """How far the mean answers go with people's ratings of the same flows.

        `ratings` is a table with a row per rating (`mean`) or per person (`answer`), of the
        vignettes with an `item_id` or with the levels in columns that are called like factors, or a
        `Context` with ratings; `scale` are the ends of people's scale where no columns `low` and
        `high` say them.
        """
        table = getattr(ratings, "ratings", ratings)
        if table is None:
            raise UsageError(f"{ratings!r} has no ratings of people")
        rated = ratings_of(table, self.answered.items, scale)
        return BesidePeople.of(self.answered, rated, self.name)

    def map(self, **levels: str) -> NormsMap:
        """The norm of every vignette as a chart: a cell per flow.

        Factors that find no place in one map are held at a level: `norms.map(practice="web")`. A
        `UsageError` names them, and their levels.
        """
        facets = [item.facets for item in self.answered.items]
        chart = norm_map(facets, self.vignettes.states, levels)
        title = joined(filter(None, (message("norms"), self.name, *levels.values())), " · ")
        return replace(chart, title=title)


def _by_name(*models: Norms) -> dict[str, VignetteAnswers]:
    """The answers of the models by their names, numbered where two have one."""
    names = [model.name or str(at) for at, model in enumerate(models, start=1)]
    if len({*names}) < len(names):
        names = [f"{name} {at}" for at, name in enumerate(names, start=1)]
    return {name: of.answered for name, of in zip(names, models, strict=True)}
