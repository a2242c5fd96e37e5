"""Where models hold the same norms.

Yan Shvartzshnaider, Vasisht Duddu, John Lacalamita: "LLM-CI: Assessing Contextual Integrity Norms
in Language Models", https://arxiv.org/abs/2409.03735 (flows on which all models agree).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from ..errors import UsageError
from ..messages import marked, message
from .answers import Answers, shared_columns
from .estimate import Statistic
from .groups import Groups, Rows
from .inputs import Bools, Floats, Matrix, Rule, one_of, same_length
from .majority import Threshold, majority, tally
from .norms import noted, of_columns
from .rates import exact
from .table import broken_down

Prompts = Literal["shared", "own"]
"""Which prompts norms are made of: those that all models were asked, or each model its own."""


_ROUNDING = 1e-12


def norm_agreement(
    answers: Mapping[str, Matrix | Answers],
    *,
    groups: Groups | None = None,
    rule: Rule = "default",
    threshold: Threshold = "simple",
    min_valid: int | None = None,
    prompts: Prompts = "shared",
) -> list[Statistic]:
    """Shares of the flows on which models hold the same norm, over the flows of a context.

    `answers` has items × variants per model, the same items in the same order; a NaN of a matrix is
    no answer. `all_agree`: every model has a norm by `majority` and it is the same;
    `all_have_norm`: every one has a norm; `agree: a, b` for each two. `all_agree_given` is
    `all_agree` among the flows on which all have a norm. Shares are exact for these flows. A flow
    is unscored where a model's norm hangs on `Answers.unscored`; a norm that is missing for any
    other reason is no agreement.

    Norms are over the variants that all models of the comparison were asked: all models, or the
    two. Where that is not every column, `method` says how many. With `prompts="own"`, as LLM-CI
    counts, each model's norm is over all variants that it was asked, be they others than another's.

    >>> same = {"a": [[1, 1], [2, 2]], "b": [[1, 1], [-1, -1]]}
    >>> [(row.name, row.estimate.value) for row in norm_agreement(same)]
    [('all_agree', 0.5), ('all_have_norm', 1.0), ('all_agree_given', 0.5), ('agree: a, b', 0.5)]
    """
    if len(answers) < 2:  # noqa: PLR2004 - an agreement needs two
        raise UsageError(f"{len(answers)} model(s); agreement between models needs two or more")
    models = {name: Answers.of(of, "no_answer", name) for name, of in answers.items()}
    n = same_length({name: of.values for name, of in models.items()})
    one_of(prompts, "prompts", get_args(Prompts))

    def compare(names: Sequence[str]) -> tuple[Floats, Floats, str]:
        shared = shared_columns(models[name] for name in names)
        if not shared.any() and prompts == "shared":
            return (
                np.full(n, np.nan),
                np.full(n, np.nan),
                message("no variant was asked of all of them"),
            )
        norms, unknown = [], []
        for of in (models[name] for name in names):
            used = shared if prompts == "shared" else of.requested
            counted = tally(of.values[:, used], requested=True)
            norms.append(majority(counted, rule=rule, threshold=threshold, min_valid=min_valid))
            needed = counted.needed(rule, min_valid)
            gaps = of.unscored[:, used].sum(axis=1)
            unknown.append((counted.valid < needed) & (counted.valid + gaps >= needed))
        note = of_columns(shared, marked("{n} of {m} variants asked of all of them"))
        if prompts == "own" and any((models[name].requested != shared).any() for name in names):
            note = message("each model over the variants that it was asked")
        return agree(norms, unknown), _have(norms, unknown), note

    agreeing, have, note = compare(list(answers))
    agreeing_given = np.where(have == 0, np.nan, agreeing)
    pairs = {
        f"agree: {first}, {second}": compare([first, second])
        for first, second in combinations(answers, 2)
    }

    def compute(rows: Rows) -> list[Statistic]:
        all_have = have[rows] != 0
        shares = {
            "all_agree": (agreeing[rows], note),
            "all_have_norm": (have[rows], note),
            "all_agree_given": (agreeing_given[rows][all_have], note),
            **{name: (hit[rows], text) for name, (hit, _, text) in pairs.items()},
        }
        return [
            Statistic(name, "rate", noted(exact(hit), text)) for name, (hit, text) in shares.items()
        ]

    return broken_down(compute, n, groups)


def agree(norms: Sequence[Floats], unknown: Sequence[Bools]) -> Floats:
    """Per flow whether all models have the same norm: 1, 0, or NaN where that is not known.

    `norms` has a column of flows per model, NaN where it has no norm; `unknown` says where answers
    that we failed to get could still make one. Two models that differ do so whatever a third says.

    >>> one, two, three = np.array([1.0, 1]), np.array([-1.0, 1]), np.array([np.nan, np.nan])
    >>> agree([one, two, three], [np.zeros(2, bool), np.zeros(2, bool), np.ones(2, bool)])
    array([ 0., nan])
    """
    stack = np.stack(norms)
    same: Bools = np.logical_and.reduce(stack == stack[0])
    with np.errstate(invalid="ignore"):
        differ = np.fmax.reduce(stack) > np.fmin.reduce(stack)
    return _open(same, stack, unknown, differ)


def _have(norms: Sequence[Floats], unknown: Sequence[Bools]) -> Floats:
    stack = np.stack(norms)
    all_have: Bools = np.logical_and.reduce(~np.isnan(stack))
    return _open(all_have, stack, unknown, np.zeros_like(all_have))


def _open(hit: Bools, norms: Floats, unknown: Sequence[Bools], settled: Bools) -> Floats:
    """The outcome, NaN where unscored answers alone keep it from being known.

    It is known where some model surely has no norm, or two have unlike ones (`settled`).
    """
    waiting = np.stack(unknown)
    lost = np.isnan(norms) & ~waiting
    hangs = waiting.any(axis=0) & ~lost.any(axis=0) & ~settled
    return np.where(hangs, np.nan, hit)
