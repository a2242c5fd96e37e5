"""Charts of the norms of one run or of several.

The maps of every vignette, how many there are of each label, their means by two factors, where
models agree, the answers at each level of a factor, and how the answers to a vignette vary.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..builders.taxonomy import LIKERT
from ..errors import UsageError
from ..format import whole_percent
from ..messages import joined, marked, message
from ..metrics.groups import cluster_codes, rows_by_level
from ..metrics.inputs import Bools, Floats, one_of
from ..metrics.majority import LIKERT as VALUES
from ..metrics.norms import acceptability
from ..metrics.vignette_norms import NormState, VignetteNorms
from ..records.item import VIGNETTE, varying
from .charts import Bars, Heatmap, Intervals, NormsMap, Ridges
from .names import name_of, scaled_name_of, variant_name

_ABSENT = ("no majority", "no answer", "unscored")
_SLOTS = ("sender", "attribute", "recipient", "transmission_principle")
_APART = ("practice",)

Levels = tuple[tuple[str, str], ...]
"""The level of each of several factors."""

_LEVELS = marked("{factor}: most acceptable “{first}” ({high}), least “{last}” ({low})")
"""What is found of the levels of a factor."""


def norm_values(states: NDArray[np.intp]) -> Floats:
    """The norms of the vignettes, NaN of those that have none.

    >>> norm_values(np.array([0, 3, 5]))  # strongly unacceptable, somewhat acceptable, no majority
    array([-2.,  1., nan])
    """
    return np.where(states < len(VALUES), np.array(VALUES)[states % len(VALUES)], np.nan)


def norm_maps(
    facets: Sequence[Mapping[str, str]], states: NDArray[np.intp]
) -> Iterator[tuple[Levels, NormsMap]]:
    """The levels of each combination of the factors that find no place in a map, and its map.

    Sender, attribute, recipient and principle have their places; another factor of the context
    takes a place that is free. `states` are of the vignettes. Those that no factors make have no
    place in a map, and there is none.
    """
    if any(VIGNETTE in of_vignette for of_vignette in facets):
        return
    factors = varying(facets)
    places, apart = arranged(list(factors))
    keys = list(zip(*(factors[name] for name in apart), strict=True)) or [()] * len(facets)
    for key in dict.fromkeys(keys):
        rows = [at for at, other in enumerate(keys) if other == key]
        flows = {name: [column[at] for at in rows] for name, column in factors.items()}
        chart = NormsMap(
            states=states[rows],
            # one vignette varies in nothing
            flows=flows or {"sender": [""] * len(rows)},
            rows=(places[0], places[1]),
            columns=(places[2], places[3]),
        )
        yield tuple(zip(apart, key, strict=True)), chart


def norm_map(
    facets: Sequence[Mapping[str, str]],
    states: NDArray[np.intp],
    levels: Mapping[str, str],
) -> NormsMap:
    """The only map of the vignettes at these levels; a `UsageError` where they need several."""
    import pandas as pd

    flows = pd.DataFrame(facets).fillna("")
    # anchors are made by no factors
    if not len(flows.columns) or VIGNETTE in flows:
        raise UsageError(
            "a map shows norms by the factors of flows, and these have none: name the columns of "
            "factors with item=[…]"
        )
    chosen = np.full(len(flows), True)
    for name, level in levels.items():
        one_of(name, "factor", (*flows.columns,))
        one_of(level, name, (*flows[name].unique(),))
        chosen &= flows[name] == level
    maps = [*norm_maps([*compress(facets, chosen)], states[chosen])]
    if len(maps) > 1:
        free = dict(maps[0][0])
        name, level = next(iter(free.items()))
        raise UsageError(
            f"these flows need {len(maps)} maps: hold {', '.join(free)} at a level, such as "
            f".map({name}={level!r})"
        )
    return maps[0][1]


def arranged(factors: Sequence[str]) -> tuple[list[str], list[str]]:
    """The factor in each place (rows outer and inner, columns outer and inner), and the rest.

    An empty place is free. The practice always needs a map of its own.

    >>> arranged(["sender", "recipient", "place", "practice"])
    (['sender', 'place', 'recipient', ''], ['practice'])
    """
    others = [name for name in factors if name not in (*_SLOTS, *_APART)]
    places = [slot if slot in factors else "" for slot in _SLOTS]
    for at in (1, 3, 0, 2):
        if not places[at] and others:
            places[at] = others.pop(0)
    return places, [*others, *(name for name in factors if name in _APART)]


def norm_shares(names: Sequence[str], states: Sequence[NDArray[np.intp]]) -> Bars:
    """How many vignettes have each norm, or none and why, a bar per name."""
    return _shares(
        names,
        [np.bincount(of, minlength=len(NormState))[: NormState.NOT_ASKED] for of in states],
        one=marked("{share} of the vignettes are acceptable"),
        several=marked("{first} accepts {high} of the vignettes, {last} {low}"),
        xlabel=message("share of the vignettes"),
        caption=message(
            "The norm of each vignette by majority over its prompt variants; n is the number of "
            "vignettes."
        ),
    )


def answer_shares(names: Sequence[str], norms: Sequence[VignetteNorms]) -> Bars:
    """How often each answer was given, a bar for each of the runs or temperatures."""
    return _shares(
        names,
        [[*of.votes.sum(axis=0), 0, of.silent.sum(), of.unscored.sum()] for of in norms],
        one=marked("{share} of the answers accept"),
        several=marked("{first}: {high} of the answers accept; {last}: {low}"),
        xlabel=message("share of answers"),
        caption=message("How often each answer was given; n is the number of responses."),
    )


def _shares(names: Sequence[str], counts: Any, *, one: str, several: str, **labels: str) -> Bars:
    """A bar per name; its title says what share is acceptable, of two bars or of one."""
    table = np.asarray(counts, dtype=float)
    shares = table[:, 3:5].sum(axis=1) / np.maximum(table.sum(axis=1), 1)
    classes = [name_of(label) for label in LIKERT]
    title = ends(names, shares, several, whole_percent) or message(
        one, share=whole_percent(float(shares[0]))
    )
    return Bars(counts=table, rows=names, classes=classes, absent=_ABSENT, title=title, **labels)


def two_digits(value: float) -> str:
    """A number with two decimals."""
    # a rounded zero has no sign
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def ends(
    names: Sequence[str],
    values: Floats,
    finding: str,
    written: Callable[[float], str],
    **slots: str,
) -> str:
    """The sentence of what has the highest value and what the lowest; "" where they are equal."""
    defined = values[~np.isnan(values)]
    if not len(defined) or defined.min() == defined.max():
        return ""
    high, low = int(np.nanargmax(values)), int(np.nanargmin(values))
    slots |= {"first": names[high], "high": written(float(values[high]))}
    return message(finding, **slots, last=names[low], low=written(float(values[low])))


def variance_ridges(names: Sequence[str], variances: Sequence[Floats]) -> Ridges:
    """How far the answers to a vignette vary, a ridge of all vignettes per name."""
    defined = [values[~np.isnan(values)] for values in variances]
    most = max((float(values.max()) for values in defined if len(values)), default=0.0)
    medians = np.array([np.median(values) if len(values) else np.nan for values in defined])
    several = marked("answers vary most: {first} (median {high}); least: {last} ({low})")
    return Ridges(
        samples=[defined],
        series=[""],
        categories=names,
        limits=(0.0, max(1.0, float(np.ceil(most)))),
        xlabel=message("variance of the answers to a vignette"),
        title=ends(names, medians, several, two_digits) or message("variance over prompt variants"),
        caption=message("How far the answers to one vignette vary; n is the number of vignettes."),
    )


def prompt_means(names: Sequence[str], means: Sequence[Mapping[str, float]]) -> Heatmap:
    """How much the prompt variant moves a mean answer: that of each name in each prompt variant."""
    # 2 before 10
    variants = sorted(
        {variant for of in means for variant in of}, key=lambda name: (len(name), name)
    )
    values = np.array([[of.get(variant, np.nan) for of in means] for variant in variants])
    spread = np.ma.masked_invalid(values)
    spread = (spread.max(axis=0) - spread.min(axis=0)).filled(np.nan)
    several = marked("the prompt variant moves {first} most (by {high}), {last} least (by {low})")
    return Heatmap(
        values=values,
        rows=[variant_name(variant) for variant in variants],
        columns=names,
        limits=(VALUES[0], VALUES[-1]),
        palette="norms",
        title=ends(names, spread, several, two_digits)
        or message("mean answer to each prompt variant"),
        caption=message("The mean answer to all vignettes in each prompt variant, from −2 to +2."),
    )


def mean_norms(
    names: Sequence[str],
    states: Sequence[NDArray[np.intp]],
    factors: Mapping[str, Sequence[str]],
) -> Heatmap:
    """The mean norm of each model at two factors, averaged over the others: a panel per name.

    They are the transmission principle and the recipient, else what has most levels.
    """
    import pandas as pd

    ranked = sorted(factors, key=lambda name: -len(set(factors[name])))
    preferred = [name for name in ("transmission_principle", "recipient") if name in factors]
    row, column = list(dict.fromkeys((*preferred, *ranked)))[:2]
    # in the order of the context; a level that a vignette lacks is one of its own
    levels = [pd.Categorical(factors[of], [*dict.fromkeys(factors[of])]) for of in (row, column)]
    tables = [
        # of two vignettes pandas would take a list of two columns for their labels
        pd.DataFrame({"norm": norm_values(of), "row": levels[0], "column": levels[1]})
        .groupby(["row", "column"], observed=False)["norm"]
        .agg(["mean", "count", "size"])
        for of in states
    ]
    shape = [len(of.categories) for of in levels]
    values = [table["mean"].to_numpy().reshape(shape) for table in tables]
    counts = [table[["count", "size"]].to_numpy().reshape(*shape, 2) for table in tables]
    named = [[level or message("not given") for level in of.categories] for of in levels]
    of_row = np.ma.masked_invalid(values).mean(axis=(0, 2)).filled(np.nan)
    return Heatmap(
        values=values,
        counts=counts,
        panels=names,
        rows=named[0],
        columns=named[1],
        limits=(VALUES[0], VALUES[-1]),
        palette="norms",
        title=ends(named[0], of_row, _LEVELS, two_digits, factor=name_of(row))
        or message("mean norm by {row} and {column}", row=name_of(row), column=name_of(column)),
        caption=message(
            "The mean of the norms of the vignettes at both levels, from −2 to +2, averaged over "
            "their other factors, without intervals; below it how many of them have a norm, and "
            "the fewer, the paler."
        ),
    )


def agreement_matrix(
    names: Sequence[str], pairs: Mapping[tuple[str, str], float | None]
) -> Heatmap:
    """Of each pair of names the share of vignettes with the same norm."""
    of_pair = np.array([*pairs.values()], dtype=float)
    shares = np.full((len(names), len(names)), np.nan)
    for pair, share in zip(pairs, of_pair, strict=True):
        # a pair stands once, below the diagonal
        column, row = sorted(map(names.index, pair))
        shares[row, column] = share
    tenths = of_pair[~np.isnan(of_pair)] * 10
    low, high = int(np.floor(tenths.min(initial=9))), int(np.ceil(tenths.max(initial=0)))
    alike = [joined(pair, " + ") for pair in pairs]
    several = marked("{first} agree most ({high}), {last} least ({low})")
    return Heatmap(
        values=shares[1:, :-1],
        rows=names[1:],
        columns=names[:-1],
        limits=(low / 10, max(high, low + 1) / 10),
        percent=True,
        title=ends(alike, of_pair, several, whole_percent)
        or message("vignettes with the same norm"),
        caption=message("Share of all vignettes that have the same norm in both."),
    )


def level_means(
    names: Sequence[str],
    answers: Sequence[tuple[Floats, Bools]],
    variants: Sequence[str],
    factor: str,
    levels: Sequence[str],
) -> Intervals:
    """The mean answer at each level of the factor, with its interval for new prompt variants.

    `answers` are of each name the answers (vignettes × replies, −2 … 2 or NaN), and which are
    unscored. `variants` has the prompt variant of each reply, `levels` the level of each vignette.
    """
    named = [level or message("not given") for level in levels]
    rows = {level: at for _, level, at in rows_by_level({factor: named}, len(levels))}
    codes = cluster_codes(variants, len(variants))
    means = [[acceptability(a[at], lost[at], codes) for at in rows.values()] for a, lost in answers]
    points = [[(e.value, e.low, e.high) for e in of_model] for of_model in means]
    of_level = np.ma.masked_invalid(np.array(points, float)[..., 0]).mean(axis=0).filled(np.nan)
    return Intervals(
        points=points,
        series=names,
        rows=list(rows),
        limits=(VALUES[0], VALUES[-1]),
        title=ends([*rows], of_level, _LEVELS, two_digits, factor=name_of(factor))
        or message("mean answer by {factor}", factor=name_of(factor)),
        xlabel=scaled_name_of("mean_acceptability"),
        caption=message(
            "The mean answer by {factor}; intervals are for new prompt variants of these "
            "vignettes.",
            factor=name_of(factor),
        ),
    )
