"""A judge probed: its known biases as paired shifts, and what injections into answers do to it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ... import __version__
from ...errors import UsageError
from ...files import hash_file
from ...records.config import RunConfig
from ...records.model_spec import ModelSpec
from ...records.units import journal_of
from ..engine import Engine
from ..judge import load_judge
from ..rubric import Rubric
from . import bias as biases
from .answers import JudgedAnswers
from .asking import CheckedJudge, graded_answers, task_of
from .attacks import corpus_hash
from .bias import PADDING, QUOTING
from .injection import Injection, inject
from .self_preference import self_preference
from .shifts import Probe, Shift, adjusted

Part = Literal["biases", "injection"]
BIASES: Part = "biases"
INJECTION: Part = "injection"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is probed: parts, how many graded answers, how many attacks (null: all).

    `repeats` is to how many answers each attack is attached; `second` a second wording of the
    rubric in place of the one that comes along; `runs` are for self-preference.
    """

    parts: tuple[Part, ...] = (BIASES, INJECTION)
    limit: int | None = 60
    attacks: int | None = None
    repeats: int = 1
    second: Rubric | None = None
    runs: tuple[JudgedAnswers, ...] = ()


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """All probes of one judge under one rubric, and what they were made with."""

    judge: Mapping[str, Any]
    rubric: str
    rubric_hash: str
    date: str
    normscope: str
    limit: int | None
    made_with: Mapping[str, str]
    probes: tuple[Probe, ...] = ()
    injection: Injection | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def unscored(self) -> float:
        """The greatest share of unscored pairs in a probe, or of unreadable attacked answers."""
        estimates = [shift.estimate for shift in self.primary]
        shares = [e.unscored / max(1, e.n + e.unscored) for e in estimates]
        if self.injection is not None:
            overall = self.injection.overall
            shares.append(overall.unscored / max(1, overall.n + overall.unscored))
        return max(shares, default=0.0)

    @property
    def primary(self) -> tuple[Shift, ...]:
        """The shifts that are tested, and corrected over all probes."""
        shifts = (shift for probe in self.probes for shift in probe.shifts)
        return tuple(shift for shift in shifts if shift.role == "primary")

    @property
    def shown(self) -> tuple[Shift, ...]:
        """The primary shifts that are no chance."""
        return tuple(shift for shift in self.primary if shift.shown)


def probe(
    used: Rubric,
    wanted: Wanted,
    *,
    asked: RunConfig,
    load: Callable[[ModelSpec], Engine],
    folder: Path,
    date: str,
) -> ProbeResult:
    """Asks the judge everything; stopped, it goes on from its journal in `folder`."""
    engine = load_judge(asked, load)
    made_with = {
        "attacks": corpus_hash(),
        "padding": hash_file(PADDING),
        "quoting": hash_file(QUOTING),
    }
    second = wanted.second or biases.second_wording(used)
    if second is not None:
        made_with["second wording"] = second.hash
    task = task_of(
        engine,
        used,
        asked,
        **made_with,
        parts=list(wanted.parts),
        limit=wanted.limit,
        most=wanted.attacks,
        repeats=wanted.repeats,
    )
    folder.mkdir(parents=True, exist_ok=True)
    with journal_of(task, folder) as journal:
        judge = CheckedJudge(engine, used, asked, journal)
        probes = tuple(_biases(judge, wanted, asked)) if BIASES in wanted.parts else ()
        injection = None
        if INJECTION in wanted.parts:
            injection = inject(
                judge, limit=wanted.limit, most=wanted.attacks, repeats=wanted.repeats
            )
    return ProbeResult(
        judge=engine.identity,
        rubric=used.name,
        rubric_hash=used.hash,
        date=date,
        normscope=__version__,
        limit=wanted.limit,
        made_with=made_with,
        probes=adjusted(probes),
        injection=injection,
        settings={
            "min_coverage": asked.min_coverage,
            "label_orders": asked.label_orders,
            "unit_items": asked.unit_items,
        },
    )


def _biases(judge: CheckedJudge, wanted: Wanted, asked: RunConfig) -> Iterator[Probe]:
    replies = graded_answers(wanted.limit)
    base = judge.ask("as it is", replies)
    yield biases.length(judge, base)
    yield biases.label_order(judge, replies)
    yield biases.prior(judge, replies)
    yield biases.leniency(judge, base)
    yield biases.paraphrase(judge, base, wanted.second)
    if asked.judge is None:
        raise UsageError("no judge is named: --judge PATH_OR_HUB_ID")
    outcome = judge.outcomes[0]
    yield self_preference(asked.judge, judge.engine.identity, wanted.runs, outcome)
    yield biases.quoting(judge)
