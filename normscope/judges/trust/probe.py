"""A judge probed: its known biases as paired shifts, and what injections into answers do to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ... import __version__
from ...extras import packages
from ...files import hash_file
from ...records.model_spec import ModelSpec
from ...records.settings import Settings
from ...records.units import journal_of
from ..engine import Engine
from ..judge import judge_of
from ..rubric import Rubric
from . import bias
from .answers import CheckedJudge, graded_answers
from .bias import Shift, adjusted
from .injection import Injection, corpus_hash, inject

_SETTINGS = ("min_coverage", "label_orders", "unit_items")
"""Of a run's settings those that decide what the judge says."""

LIMIT = 60
"""How many graded answers are judged if nothing else is said."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """All probes of one judge under one rubric, and what they were made with.

    `missing` says of a probe that was not made why.
    """

    judge: Mapping[str, Any]
    rubric: str
    rubric_hash: str
    date: str
    normscope: str
    limit: int | None
    made_with: Mapping[str, str]
    shifts: tuple[Shift, ...] = ()
    injection: Injection | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def unscored(self) -> float:
        """The greatest share of unscored pairs in a probe, or of unreadable attacked answers."""
        counted = [shift.estimate for shift in self.primary]
        if self.injection is not None:
            counted.append(self.injection.overall.estimate)
        return max((of.unscored / max(1, of.n + of.unscored) for of in counted), default=0.0)

    @property
    def primary(self) -> tuple[Shift, ...]:
        """The shifts that are tested, and corrected over all probes."""
        return tuple(shift for shift in self.shifts if shift.role == "primary")

    @property
    def shown(self) -> tuple[Shift, ...]:
        """The primary shifts that are no chance."""
        return tuple(shift for shift in self.primary if shift.shown)


def probe(
    rubric: Rubric,
    config: Settings,
    *,
    load: Callable[[ModelSpec], Engine],
    folder: Path,
    date: str,
    limit: int | None = LIMIT,
) -> ProbeResult:
    """Asks the judge everything; stopped, it goes on from its journal in `folder`.

    `limit` bounds the graded answers (null: all).
    """
    engine = load(judge_of(config))
    made_with = {"attacks": corpus_hash(), "padding": hash_file(bias.PADDING)}
    settings = {name: getattr(config, name) for name in _SETTINGS}
    task = {"judge": engine.identity, "rubric": rubric.hash, "packages": packages(), "limit": limit}
    folder.mkdir(parents=True, exist_ok=True)
    with journal_of({**task, **settings, **made_with}, folder) as journal:
        judge = CheckedJudge(engine, rubric, config, journal)
        base = judge.judge("as it is", graded_answers(limit))
        shifts = [*bias.length(judge, base), *bias.label_order(judge, base)]
        injected = inject(judge, limit=limit)
    return ProbeResult(
        judge=engine.identity,
        rubric=rubric.name,
        rubric_hash=rubric.hash,
        date=date,
        normscope=__version__,
        limit=limit,
        made_with=made_with,
        shifts=adjusted(shifts),
        injection=None if isinstance(injected, str) else injected,
        missing={"injection": injected} if isinstance(injected, str) else {},
        settings=settings,
    )
