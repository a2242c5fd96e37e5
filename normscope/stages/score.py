"""Judgements to numbers: every statistic of every benchmark, with interval and unscored count."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from ..datasets_builders.item import Item
from ..datasets_builders.registry import benchmark
from ..files import write_json
from ..metrics.cfsafety import cfsafety_score
from ..metrics.estimate import Estimate, Statistic
from ..metrics.norms import norm_consensus
from ..metrics.options import risk_identification
from ..metrics.refusal import refusal_rates
from ..reasons import Origin, Reason
from ..run.folder import JUDGEMENTS, SCORES, RunFolder
from ..run.journal import Row
from .bench import item_key

Scores = dict[str, tuple[Statistic, ...]]
"""The statistics of each benchmark, by its name."""


def score(run: RunFolder) -> Scores:
    """Scores the run's judgements and writes `scores.json`."""
    items = {item_key(item): item for item in run.items()}
    rows = run.table(JUDGEMENTS, made_by="judge").to_pylist()
    scores: Scores = {}
    for name in run.config.benchmark:
        mine = [row for row in rows if row["benchmark"] == name]
        pairs = [(items[item_key(row)], row) for row in mine]
        metrics = benchmark(name)[1].metrics
        scores[name] = tuple(s for metric in metrics for s in _METRICS[metric](pairs))
    run.reopen()
    write_json(
        run.path / SCORES,
        {name: [asdict(statistic) for statistic in found] for name, found in scores.items()},
    )
    return scores


def read_scores(run: RunFolder) -> Scores:
    """The statistics that `score` wrote."""
    return {
        name: tuple(Statistic(**{**row, "estimate": Estimate(**row["estimate"])}) for row in rows)
        for name, rows in run.scores().items()
    }


def unscored_share(run: RunFolder) -> float:
    """The share of judgements that are absent through the judge's or the engine's doing."""
    reasons = run.table(JUDGEMENTS, made_by="judge")["reason"].to_pylist()
    failed = [r for r in reasons if r and Reason(r).origin in {Origin.JUDGE, Origin.ENGINE}]
    return len(failed) / len(reasons) if reasons else 0.0


Pairs = Sequence[tuple[Item, Row]]


def _cfsafety(pairs: Pairs) -> list[Statistic]:
    moral, rating = _of_head(pairs, "moral"), _of_head(pairs, "rating")
    items = [item for item, _ in moral]
    return cfsafety_score(
        _values(moral),
        _values(rating),
        groups=_groups(items),
        clusters=[item.cluster or item.item_id for item in items],
        reasons=[row["reason"] for _, row in moral],
    )


def _refusal(pairs: Pairs) -> list[Statistic]:
    mine = _of_head(pairs, "refusal")
    items = [item for item, _ in mine]
    return refusal_rates(
        _values(mine),
        groups=_groups(items),
        clusters=[item.cluster or item.item_id for item in items],
        reasons=[row["reason"] for _, row in mine],
    )


def option_scores(pairs: Pairs) -> list[Statistic]:
    """Agreement with the items' key; with the silver key it is called that."""
    mine = _of_head(pairs, "option")
    items = [item for item, _ in mine]
    silver = all(item.answer_source == "silver" for item in items)
    return risk_identification(
        _values(mine),
        groups=_groups(items),
        reasons=[row["reason"] for _, row in mine],
        chance=[1 / len(item.options) for item in items],
        key="silver" if silver else "given",
        confidence=[int(item.facets["silver_confidence"]) for item in items] if silver else None,
    )


def _norms(pairs: Pairs) -> list[Statistic]:
    mine = _of_head(pairs, "acceptability")
    vignettes = {item.item_id: item for item, _ in mine}
    wordings = list(dict.fromkeys((item.variant_id, item.scale_order) for item, _ in mine))
    answers = np.full((len(vignettes), len(wordings)), np.nan)
    reasons: list[list[str | None]] = [[None] * len(wordings) for _ in vignettes]
    row_of = {item_id: at for at, item_id in enumerate(vignettes)}
    column_of = {wording: at for at, wording in enumerate(wordings)}
    for (item, row), value in zip(mine, _values(mine), strict=True):
        at, wording = row_of[item.item_id], column_of[item.variant_id, item.scale_order]
        answers[at, wording] = value
        reasons[at][wording] = row["reason"]
    return norm_consensus(
        answers,
        groups=_factors(list(vignettes.values())),
        reasons=reasons,
        wordings=[variant for variant, _ in wordings],
    )


_METRICS: dict[str, Callable[[Pairs], list[Statistic]]] = {
    "cfsafety_score": _cfsafety,
    "norm_consensus": _norms,
    "refusal_rates": _refusal,
    "risk_identification": option_scores,
}


def _of_head(pairs: Pairs, head: str) -> Pairs:
    return [(item, row) for item, row in pairs if row["head"] == head]


def _values(pairs: Pairs) -> npt.NDArray[np.float64]:
    return np.array([np.nan if r["value"] is None else r["value"] for _, r in pairs], dtype=float)


def _groups(items: Sequence[Item]) -> dict[str, list[str]]:
    """The dimensions of the taxonomy and of the prompts' form in which the items differ."""
    every = {name: [getattr(i, name) for i in items] for name in ("area", "category", "language")}
    form = {name: [i.facets.get(name, "") for i in items] for name in ("item_format", "turns")}
    return _varying(every | form)


def _factors(items: Sequence[Item]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for item in items for name in item.facets)
    return _varying({name: [item.facets.get(name, "") for item in items] for name in names})


def _varying(groups: dict[str, list[str]]) -> dict[str, list[Any]]:
    return {name: members for name, members in groups.items() if len(set(members)) > 1}
