"""The published answers of real models, as the Space's first view needs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..builders.ci_vignettes.context import bundled_contexts
from ..builders.ci_vignettes.published_answers import (
    CONTEXT,
    published_answers,
    published_models,
    published_norms,
)
from ..builders.ci_vignettes.vignettes import vignette_table
from ..comparison.norms import farthest_apart
from ..metrics.answers import item_means
from ..metrics.inputs import Floats
from ..metrics.majority import LIKERT
from ..metrics.variants import variant_means
from ..metrics.vignette_norms import NormState
from ..report.norm_charts import Replies

FACTORS = ("transmission_principle", "attribute", "recipient", "sender")
"""Those with more levels first: they make the rows of a map."""

SIDES = tuple(combinations(FACTORS, 2))
"""Which two factors a map can show."""

FIRST = (FACTORS[0], FACTORS[2])


@dataclass(frozen=True, slots=True, eq=False)
class PublishedModel:
    """The answers (vignettes × prompts, −2 … 2 or NaN) and released norms of a model.

    `variants` names the prompt variant of each column.
    """

    name: str
    answers: Floats
    variants: tuple[str, ...]
    states: NDArray[np.intp]

    @property
    def replies(self) -> Replies:
        """The answers, none of which is unscored: what is not valid was the model's own doing."""
        return Replies(self.answers, np.zeros(self.answers.shape, dtype=bool), self.variants)

    @property
    def variant_means(self) -> dict[str, float]:
        """The mean answer in each prompt variant."""
        return variant_means(self.answers, self.variants)


@cache
def flows() -> dict[str, list[str]]:
    """The level of every vignette in each factor, in the order of the vignettes."""
    table = vignette_table(bundled_contexts()[CONTEXT])
    return {factor: table[factor].to_pylist() for factor in FACTORS}


@cache
def published_model(name: str) -> PublishedModel:
    """The model of that name; a `UsageError` names the nearest where there is none."""
    table, norms = published_answers(name), published_norms(name)
    n = len(norms)
    # a row per vignette for each prompt, in the order of the vignettes
    matrix = table["answer"].cast(pa.float64()).to_numpy().reshape(-1, n).T
    labels = norms["majority"].cast(pa.float64()).to_numpy()
    states = np.where(np.isnan(labels), NormState.NO_MAJORITY, labels - LIKERT[0])
    firsts = table.take(list(range(0, len(table), n)))
    variants = tuple(firsts["variant_id"].to_pylist())
    return PublishedModel(name, matrix, variants, states.astype(np.intp))


def chosen_models(names: Sequence[str]) -> tuple[PublishedModel, ...]:
    """The models of these names in the order of the data; all where none is named."""
    for name in names:
        published_model(name)
    return tuple(published_model(name) for name in published_models() if name in (names or [name]))


@cache
def agreements() -> dict[tuple[str, str], float]:
    """Of each pair of models the share of vignettes with the same released norm."""
    result = {}
    for first, second in combinations(published_models(), 2):
        a, b = published_model(first).states, published_model(second).states
        same = (a == b) & (a <= NormState.STRONGLY_ACCEPTABLE)
        result[first, second] = float(same.mean())
    return result


def apart(models: Sequence[PublishedModel], most: int) -> pa.Table:
    """The vignettes on which these models differ most (`compare.norms.farthest_apart`)."""
    means = {f"{model.name}: mean": item_means(model.answers) for model in models}
    return farthest_apart(pa.table({**flows(), **means}), [m.name for m in models], most)
