"""Norms of flows out of answers to vignettes: from a matrix, a table or a run.

>>> import normscope as ns
>>> found = ns.norms([[1, 1, 2], [-1, -1, 2], [0, 1, None]], rule="published")
>>> found.table["norm"].to_pylist()  # of the third flow one of two valid answers is enough
[1.0, -1.0, 0.0]
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pyarrow as pa

from ..errors import UsageError, nearest
from ..format import count
from ..messages import joined, message
from ..metrics import Rule
from ..metrics.concordance import Prompts, norm_agreement
from ..metrics.inputs import Bools, one_of
from ..metrics.majority import Threshold
from ..metrics.norms import asked_columns, norm_consensus
from ..metrics.shift import norm_shift
from ..metrics.vignette_norms import NormState, VignetteNorms, vignette_norms
from ..pipeline.norms import VignetteAnswers, norm_columns, vignette_table
from ..reasons import Reason
from ..records.item import VIGNETTE
from .norm_answers import read_vignettes
from .norm_models import Shifts, together
from .people import BesidePeople, Scale, beside_people, ratings_of
from .settings import Names, listed_names
from .shown import Shown
from .tidy import Scores

if TYPE_CHECKING:
    import pandas as pd

    from ..report.blocks import Block
    from ..report.charts import NormsMap


def norms(
    answers: Any,
    *,
    rule: Rule = "default",
    threshold: Threshold = "simple",
    min_valid: int | None = None,
    item: Names | None = None,
    wording: Names | None = None,
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
      factors, or `item_id` and its factors), all others, or those of `wording`, are answers;
    - long, with `answer`, a row per answer: `item`, `wording` and maybe `order` name its prompt.

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
    answered = read_vignettes(
        answers,
        item=listed_names(item),
        wording=listed_names(wording),
        order=order,
        answer=answer,
        missing=Reason(missing),
    )
    asked = len(answered.items)
    if population is not None and population < asked:
        raise UsageError(
            f"population={population} for {asked} vignettes: it counts these and all others"
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

    def _shown(self) -> "Sequence[Block]":
        """How many vignettes have each norm and how far answers vary, then the consensus."""
        from ..report.norms import norm_spread

        return (norm_spread(self.name, self.vignettes), *self.consensus._shown())

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
        answered = self.answered
        return vignette_norms(
            answered.answers,
            answered.unscored,
            rule=self.rule,
            threshold=self.threshold,
            min_valid=self.min_valid,
            asked=self.asked,
        )

    @cached_property
    def asked(self) -> Bools:
        """Which columns (replies) of the answers the model was asked."""
        return asked_columns(self.answered.answers, self.answered.reasons)

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
        answered = self.answered
        statistics = norm_consensus(
            answered.answers,
            groups=answered.factors,
            reasons=answered.reasons,
            rule=self.rule,
            threshold=self.threshold,
            min_valid=self.min_valid,
            variants=answered.variants,
            population=self.population,
        )
        return Scores.of(statistics, model=self.name)

    def to_frame(self) -> "pd.DataFrame":
        """The consensus as a tidy data frame; `table` has the single norms."""
        return self.consensus.to_frame()

    def agreement(self, other: "Norms", *others: "Norms", prompts: Prompts = "shared") -> Scores:
        """Shares of the flows on which the models hold the same norm (`metrics.norm_agreement`).

        By the rule of this one, over the prompt variants that all were asked, or, as published,
        with `prompts="own"` each over those that it was asked. A `DataError` where their vignettes
        differ.
        """
        of = together((self, other, *others))
        statistics = norm_agreement(
            of.answers,
            unscored=of.unscored,
            asked=of.asked,
            rule=self.rule,
            threshold=self.threshold,
            min_valid=self.min_valid,
            prompts=prompts,
        )
        return Scores.of(statistics)

    def shift(self, other: "Norms", *others: "Norms") -> Shifts:
        """How far mean acceptability moves from this model to the others (`metrics.norm_shift`).

        By the rule of this one, over the prompt variants that both of a pair were asked, and by
        the levels of each factor. A `DataError` where their vignettes differ.
        """
        of = together((self, other, *others))
        result = norm_shift(
            of.answers,
            unscored=of.unscored,
            asked=of.asked,
            variants=of.variants,
            groups=self.answered.factors,
            rule=self.rule,
            threshold=self.threshold,
        )
        return Shifts.of(result)

    def against_people(self, ratings: Any, *, scale: Scale | None = None) -> BesidePeople:
        """How far the mean answers go with people's ratings of the same flows.

        `ratings` is a table with a row per rating (`mean`) or per person (`answer`), of the
        vignettes with an `item_id` or with the levels in columns that are called like factors, or a
        `Context` with ratings; `scale` are the ends of people's scale where no columns `low` and
        `high` say them.
        """
        table = getattr(ratings, "ratings", ratings)
        if table is None:
            raise UsageError(f"{ratings!r} has no ratings of people")
        answered = self.answered
        given = ratings_of(table, answered.items, scale)
        return beside_people(answered, given, model=self.name)

    def map(self, *others: "Norms", **levels: str) -> "NormsMap":
        """The norm of every vignette as a chart: a cell per flow, cut for up to four models.

        Factors that find no place in one map are held at a level: `norms.map(practice="web")`. A
        `UsageError` names them, and their levels.
        """
        from ..report.norm_charts import norm_maps

        of_models = together((self, *others))
        facets = [item.facets for item in self.answered.items]
        # anchors are made by no factors
        if not any(facets) or any(VIGNETTE in of_vignette for of_vignette in facets):
            raise UsageError(
                "a map shows norms by the factors of flows, and these have none: name the "
                "columns of factors with item=[…]"
            )
        kept = _held(levels, facets)
        states = np.stack(of_models.states)[:, kept]
        maps = list(norm_maps([facets[at] for at in kept], states, list(of_models.answers)))
        if len(maps) > 1:
            free = {name: [dict(m.levels)[name] for m in maps] for name, _ in maps[0].levels}
            raise UsageError(
                f"these flows need {len(maps)} maps: hold {', '.join(free)} at a level, such as "
                f".map({next(iter(free))}={next(iter(free.values()))[0]!r})"
            )
        of = joined(filter(None, dict.fromkeys(each.name for each in (self, *others))))
        title = joined(filter(None, (message("norms"), of, *levels.values())), " · ")
        return replace(maps[0].chart, title=title)


def _held(levels: Mapping[str, str], facets: Sequence[Mapping[str, str]]) -> list[int]:
    """The flows at these levels; a `UsageError` for a factor, or a level, that no flow has."""
    kept = [*range(len(facets))]
    for name, level in levels.items():
        known = list(dict.fromkeys(key for each in facets for key in each))
        if name not in known:
            raise UsageError(f"flows have no factor {name!r}; {nearest(name, known)}")
        of = list(dict.fromkeys(each.get(name, "") for each in facets))
        if level not in of:
            raise UsageError(f"{name} has no level {level!r}; {nearest(level, of)}")
        kept = [at for at in kept if facets[at].get(name, "") == level]
    return kept
