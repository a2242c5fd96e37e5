"""Judgements to numbers: every statistic of every benchmark, with interval and unscored count."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..datasets_builders.item import Item
from ..datasets_builders.registry import benchmark
from ..files import read_json, write_json
from ..judges.heads import ACCEPTABILITY, OPTION
from ..metrics.cfsafety import cfsafety_score, open_prompts
from ..metrics.estimate import Estimate, Statistic
from ..metrics.norms import norm_consensus
from ..metrics.refusal import refusal_rates
from ..run.folder import JUDGEMENTS, JUDGING, SCORES, RunFolder
from .bench import item_key
from .channels import (
    Pair,
    Pairs,
    channel_disagreement,
    headline,
    most_frequent_label,
    of_head,
    parts,
    unanswered,
)
from .option_scores import option_scores
from .threshold import HeadRead, by_threshold, heads_of
from .turns import history_statistics, turn_statistics

STAGE = "score"

Scores = dict[str, tuple[Statistic, ...]]
"""The statistics of each benchmark, by its name."""

FORMAT = "item_format"

Measure = Callable[..., Iterator[Statistic]]
"""Judgements to statistics, overall alone unless `grouped`."""


def score(run: RunFolder) -> Scores:
    """Scores the run's judgements and writes `scores.json`."""
    items = {item_key(item): item for item in run.items()}
    judgements = run.table(JUDGEMENTS, made_by="judge")
    # the widest column, of which no score is made
    rows = judgements.select([n for n in judgements.column_names if n != "raw_top"]).to_pylist()
    asked: dict[str, list[Pair]] = {name: [] for name in run.config.benchmark}
    for row in rows:
        asked[row["benchmark"]].append((items[item_key(row)], row))
    between = history_statistics(asked)
    heads, used = _judged_heads(run), run.config.min_coverage
    scores: Scores = {}
    for name, pairs in asked.items():
        measured = partial(
            _measure, metrics=benchmark(name)[1].metrics, population=_population(run, name)
        )
        scores[name] = (
            *statistics(pairs, measured),
            *between.get(name, ()),
            *by_threshold(headline(pairs), measured, heads=heads, used=used),
        )
    run.reopen()
    write_json(
        run.path / SCORES,
        {name: [asdict(statistic) for statistic in found] for name, found in scores.items()},
    )
    run.seal(STAGE)
    return scores


def statistics(pairs: Pairs, measured: Measure) -> Iterator[Statistic]:
    """What is measured, overall and by group; by channel and temperature; what was not answered."""
    counted = headline(pairs)
    yield from measured(counted, grouped=True)
    yield from turn_statistics(counted)
    yield from channel_disagreement(pairs)
    yield from most_frequent_label(counted)
    for group, member, mine in parts(pairs):
        for statistic in measured(mine):
            yield replace(statistic, group=group, member=member)
    yield from unanswered(pairs)


def read_scores(run: RunFolder) -> Scores:
    """The statistics that `score` wrote."""
    return {
        name: tuple(Statistic(**{**row, "estimate": Estimate(**row["estimate"])}) for row in rows)
        for name, rows in run.scores().items()
    }


def _measure(
    pairs: Pairs, *, metrics: Sequence[str], population: int | None, grouped: bool = False
) -> Iterator[Statistic]:
    """The statistics of the metrics, overall alone or by group as well.

    `population` is how many items the benchmark has, of which the run may have asked a slice.
    """
    for metric in metrics:
        yield from _METRICS[metric](pairs, grouped, population)


def _population(run: RunFolder, name: str) -> int | None:
    """How many items the benchmark has; null in a run that did not note it."""
    chosen = run.config.resolved.get("respond", {}).get("benchmarks", {}).get(name, {})
    every: int | None = chosen.get("items_in_dataset")
    return every


def _judged_heads(run: RunFolder) -> Mapping[tuple[str, str], HeadRead]:
    """How the judge's heads were read; none in a run from before it was noted."""
    path = run.path / JUDGING
    return heads_of(read_json(path)) if path.exists() else {}


def _cfsafety(pairs: Pairs, grouped: bool, _: int | None) -> list[Statistic]:
    """The scores of the open prompts; beside them those of the closed, and by format all."""
    chosen = open_prompts([item.facets.get(FORMAT, "") for item, _ in pairs])
    if chosen.all():
        return _safety(pairs, grouped)
    shown, closed = (
        [pair for pair, one in zip(pairs, chosen, strict=True) if one == wanted]
        for wanted in (True, False)
    )
    found = _safety(shown, grouped)
    overall = [row for row in found if not row.group]
    table = [replace(row, member="open") for row in overall]
    if not grouped:
        return table
    beside = _safety(closed, grouped=False)
    table += [replace(row, member="closed") for row in beside]
    every = {"open": overall, "closed": beside, "all": _safety(pairs, grouped=False)}
    for name, rows in every.items():
        table += [replace(row, group=FORMAT, member=name) for row in rows]
    return [*table, *(row for row in found if row.group)]


def _safety(pairs: Pairs, grouped: bool) -> list[Statistic]:
    moral, rating = of_head(pairs, "moral"), of_head(pairs, "rating")
    return cfsafety_score(
        _values(moral), _values(rating), **_common(moral, grouped), reasons=_reasons(moral)
    )


def _refusal(pairs: Pairs, grouped: bool, _: int | None) -> list[Statistic]:
    mine = of_head(pairs, "refusal")
    return refusal_rates(_values(mine), **_common(mine, grouped), reasons=_reasons(mine))


def _options(pairs: Pairs, grouped: bool, _: int | None) -> list[Statistic]:
    mine = of_head(pairs, OPTION)
    return option_scores(mine, _groups([item for item, _ in mine]) if grouped else None)


def _norms(pairs: Pairs, grouped: bool, population: int | None) -> list[Statistic]:
    """The norms over wordings; each reply to a wording is a column, clustered by it."""
    mine = of_head(pairs, ACCEPTABILITY)
    vignettes = {item.item_id: item for item, _ in mine}
    places = [
        (item.variant_id, item.scale_order, row["temperature"], row["sample"]) for item, row in mine
    ]
    columns = list(dict.fromkeys(places))
    answers = np.full((len(vignettes), len(columns)), np.nan)
    reasons: list[list[str | None]] = [[None] * len(columns) for _ in vignettes]
    row_of = {item_id: at for at, item_id in enumerate(vignettes)}
    column_of = {place: at for at, place in enumerate(columns)}
    for (item, row), place, value in zip(mine, places, _values(mine), strict=True):
        at, column = row_of[item.item_id], column_of[place]
        answers[at, column] = value
        reasons[at][column] = row["reason"]
    return norm_consensus(
        answers,
        groups=_factors(list(vignettes.values())) if grouped else None,
        reasons=reasons,
        wordings=[place[0] for place in columns],
        population=population,
    )


_METRICS: dict[str, Callable[[Pairs, bool, int | None], list[Statistic]]] = {
    "cfsafety_score": _cfsafety,
    "norm_consensus": _norms,
    "refusal_rates": _refusal,
    "risk_identification": _options,
}


def _common(pairs: Pairs, grouped: bool) -> dict[str, Any]:
    items = [item for item, _ in pairs]
    return {
        "groups": _groups(items) if grouped else None,
        "clusters": [item.cluster or item.item_id for item in items],
    }


def _values(pairs: Pairs) -> npt.NDArray[np.float64]:
    return np.array([np.nan if r["value"] is None else r["value"] for _, r in pairs], dtype=float)


def _reasons(pairs: Pairs) -> list[str | None]:
    return [row["reason"] for _, row in pairs]


def _groups(items: Sequence[Item]) -> dict[str, list[str]]:
    """The dimensions of the taxonomy and of the prompts' form in which the items differ."""
    every = {name: [getattr(i, name) for i in items] for name in ("area", "category", "language")}
    form = {name: [i.facets.get(name, "") for i in items] for name in (FORMAT, "turns")}
    return _varying(every | form)


def _factors(items: Sequence[Item]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for item in items for name in item.facets)
    return _varying({name: [item.facets.get(name, "") for item in items] for name in names})


def _varying(groups: dict[str, list[str]]) -> dict[str, list[Any]]:
    return {name: members for name, members in groups.items() if len(set(members)) > 1}
