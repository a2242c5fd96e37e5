"""The norms of several runs against one another, vignette by vignette: where they agree, and tests.

LLM-CI counts the flows on which models agree and tests their majority norms against one another
(Tables 2 to 4). The flows are enumerated: shares of them are exact, and a test over them is given
as published and not relied on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa

from ..metrics.answers import Answers
from ..metrics.concordance import agree
from ..metrics.inputs import Floats
from ..metrics.majority import LIKERT
from ..metrics.rates import enumerated
from ..metrics.shift import norm_test, omnibus
from ..metrics.vignette_norms import NormState, VignetteNorms
from ..pipeline.norms import VignetteAnswers, norm_columns, vignette_table
from .align import Aligned
from .result import Agreement, NormsCompared, NormTest
from .vignettes import Vignettes

AGREE = "agree"
SIDE = ("norm", "state", "valid", "mean", "variance")
"""The columns of each run's norms that stand side by side."""

STATES = tuple(state.name.lower() for state in NormState if state is not NormState.NOT_ASKED)


def compare_norms(aligned: Aligned, vignettes: Vignettes) -> NormsCompared:
    """The norms of the aligned runs.

    The tests are Wilcoxon's of each pair (`norm_test`), and of each pair and of all Friedman's and
    the repeated-measures ANOVA.
    """
    runs = aligned.names
    every = range(len(runs))
    sets = list(
        dict.fromkeys((*combinations(every, 2), *([tuple(every)] if len(runs) > 1 else [])))
    )
    separate = _own_norms(aligned, vignettes)
    counts = [np.bincount(of.states, minlength=len(STATES)).tolist() for of in vignettes.norms]
    return NormsCompared(
        states={
            run: dict(zip(STATES, of, strict=True)) for run, of in zip(runs, counts, strict=True)
        },
        agreements=tuple(_agreement(aligned, vignettes.norms, separate, at) for at in sets),
        tests=tuple(_tests(runs, [of.norm for of in vignettes.norms])),
        table=norms_side_by_side(aligned.benchmark, runs, vignettes),
    )


def side_by_side(models: Mapping[str, VignetteAnswers]) -> tuple[dict[str, Answers], list[str]]:
    """The models' answers in the order of the first one's vignettes, and each column's variant.

    A column is a reply that any model was asked for: a prompt variant in an order of the scale, or
    the same asked again. A `DataError` where their vignettes differ.
    """
    first = next(iter(models.values()))
    places: dict[tuple[str, str, int], int] = {}
    columns = {}
    for name, of in models.items():
        prompts = list(zip(of.variants, of.orders, strict=True))
        replies = [(*prompt, prompts[:at].count(prompt)) for at, prompt in enumerate(prompts)]
        columns[name] = [places.setdefault(reply, len(places)) for reply in replies]
    result = {}
    for name, of in models.items():
        at, vignettes = columns[name], first.places(of)
        answers = np.full((len(vignettes), len(places)), np.nan)
        unscored, requested = np.zeros(answers.shape, np.bool_), np.zeros(len(places), np.bool_)
        answers[:, at], unscored[:, at] = (
            of.answers.values[vignettes],
            of.answers.unscored[vignettes],
        )
        requested[at] = of.answers.requested
        result[name] = Answers(answers, unscored, requested)
    return result, [variant for variant, _, _ in places]


def _own_norms(aligned: Aligned, vignettes: Vignettes) -> list[VignetteNorms] | None:
    """The norms of each run over every prompt that it was asked; null where all share them."""
    answered = [VignetteAnswers.of(run.counted[aligned.benchmark]) for run in aligned.runs]
    if all(of.answers.values.shape[1] == len(vignettes.variants) for of in answered):
        return None
    norms = []
    for of in answered:
        place = {item.item_id: at for at, item in enumerate(of.items)}
        rows = [place[item.item_id] for item in vignettes.items]
        whole = of.norms(aligned.settings.majority)
        norms.append(replace(whole, norm=whole.norm[rows], states=whole.states[rows]))
    return norms


def agreed(norms: Sequence[VignetteNorms]) -> Floats:
    """Per vignette whether these norms of it are the same (`concordance.agree`)."""
    return agree([of.norm for of in norms], [of.states == NormState.UNSCORED for of in norms])


def norms_side_by_side(benchmark: str, runs: Sequence[str], vignettes: Vignettes) -> pa.Table:
    """A row per vignette: its factors, whether the runs agree, and the norm of each run.

    `agree` says whether all runs have the same norm, null where that hangs on unscored answers. Of
    each run there are the columns `SIDE` of `norm_table`, behind its name.
    """
    together = agreed(vignettes.norms)
    numbers = {AGREE: pa.array(together == 1, mask=np.isnan(together))}
    for run, norms in zip(runs, vignettes.norms, strict=True):
        columns = norm_columns(norms)
        numbers |= {f"{run}: {name}": columns[name] for name in SIDE}
    return vignette_table(benchmark, vignettes.items, numbers)


def factors_of(table: pa.Table) -> list[str]:
    """The columns of `norms_side_by_side` that are factors."""
    names: list[str] = table.column_names
    return names[names.index("item_id") + 1 : names.index(AGREE)]


def farthest_apart(table: pa.Table, runs: Sequence[str], most: int) -> pa.Table:
    """The vignettes on whose mean answers the runs differ most: rows of `norms_side_by_side`.

    The column `spread` is the highest mean less the lowest. Of equal ones the earlier stands first;
    one with answers in fewer than two runs, and one on which all are of one mind, is none of them.
    """
    means = np.array([table[f"{run}: mean"].to_numpy() for run in runs], dtype=float)
    shared = (~np.isnan(means)).sum(axis=0) > 1
    spread = np.zeros(len(table))
    spread[shared] = np.nanmax(means[:, shared], axis=0) - np.nanmin(means[:, shared], axis=0)
    order = np.argsort(-spread, kind="stable")[:most]
    order = order[spread[order] > 0]
    return table.take(order).append_column("spread", pa.array(spread[order]))


def _agreement(
    aligned: Aligned,
    norms: Sequence[VignetteNorms],
    own: Sequence[VignetteNorms] | None,
    places: Sequence[int],
) -> Agreement:
    same = agreed([norms[at] for at in places])
    alike = norms[places[0]].norm[same == 1]
    as_published = None
    if own is not None:
        of_own = agreed([own[at] for at in places])
        as_published = enumerated(of_own, population=aligned.population)
    return Agreement(
        tuple(aligned.names[at] for at in places),
        enumerated(same, population=aligned.population),
        tuple(int((alike == label).sum()) for label in LIKERT),
        as_published,
    )


def _tests(runs: Sequence[str], norms: Sequence[Floats]) -> Iterator[NormTest]:
    """The paper's of every pair, and of three runs or more at once."""
    for first, second in combinations(range(len(runs)), 2):
        both = np.stack([norms[first], norms[second]], axis=1)
        # of two conditions a flow that lacks one says nothing, in any of these tests
        whole = both[~np.isnan(both).any(axis=1)]
        tests = norm_test(norms[second], norms[first]), *omnibus(whole)
        yield from (NormTest((runs[first], runs[second]), test) for test in tests)
    if len(runs) > 2:  # noqa: PLR2004 - two are a pair
        yield from (NormTest(tuple(runs), test) for test in omnibus(np.stack(norms, axis=1)))
