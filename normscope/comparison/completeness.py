"""What of all questions is behind a statistic of two runs: what one lacks, what neither has."""

from collections import Counter
from dataclasses import replace

import numpy as np

from ..metrics.inputs import Bools
from ..reasons import Reason, is_ours
from .gated import Completeness
from .outcomes import Outcome, Texts
from .vignettes import Vignettes

_FINAL = [reason for reason in Reason if is_ours(reason) and reason != Reason.CALL_FAILED]
"""Why a judge or an engine would give nothing again."""


def without_settled(outcome: Outcome) -> tuple[Outcome, Completeness]:
    """The statistic of two runs without the rows that neither will ever have, and what remains."""
    absent = tuple(np.isnan(column) & outcome.kept for column in outcome.columns)
    settled = _settled(absent, outcome.reasons)
    completeness = _completeness(
        outcome.runs, absent, outcome.reasons, settled, int(outcome.kept.sum())
    )
    return replace(outcome, kept=outcome.kept & ~settled), completeness


def without_settled_answers(of: Vignettes, runs: tuple[str, ...]) -> tuple[Vignettes, Completeness]:
    """The answers of two runs without those that neither will ever have, and what remains."""
    settled = _settled(of.unscored, of.reasons)
    completeness = _completeness(runs, of.unscored, of.reasons, settled, settled.size)
    return replace(of, unscored=tuple(each & ~settled for each in of.unscored)), completeness


def _settled(absent: tuple[Bools, ...], reasons: tuple[Texts, ...]) -> Bools:
    first, second = reasons
    result: Bools = absent[0] & absent[1] & (first == second) & np.isin(first.astype(str), _FINAL)
    return result


def _completeness(
    runs: tuple[str, ...],
    absent: tuple[Bools, ...],
    reasons: tuple[Texts, ...],
    settled: Bools,
    asked: int,
) -> Completeness:
    # a row that was judged has a value or a reason (`align.padded`)
    missing = {
        run: int((of_run & (why == None)).sum())  # noqa: E711 - of each element
        for run, of_run, why in zip(runs, absent, reasons, strict=True)
    }
    return Completeness(
        asked,
        {run: n for run, n in missing.items() if n},
        dict(Counter(reasons[0][settled].tolist())),
    )
