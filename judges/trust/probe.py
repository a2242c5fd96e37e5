"""A judge probed: its known biases as paired shifts, and what injections into answers do to it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ... import __version__
from ...errors import DataError, UsageError
from ...files import hash_file, read_json, typed_of_file
from ...records.config import RunConfig
from ...records.model_spec import ModelSpec
from ..engine import Engine
from ..judge import load_judge
from ..rubric import Rubric
from . import bias as biases
from .answers import JudgedAnswers
from .asking import CheckedJudge, checked_judge, graded_answers
from .attacks import corpus_hash
from .bias import PADDING, QUOTING, Probed
from .injection import Injection, inject
from .self_preference import self_preference
from .shifts import Shift, adjusted

Part = Literal["biases", "injection"]
BIASES: Part = "biases"
INJECTION: Part = "injection"
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
        counted = [(shift.estimate.unscored, shift.estimate.n) for shift in self.primary]
        if self.injection is not None:
            counted.append((self.injection.overall.unscored, self.injection.overall.n))
        return max((unscored / max(1, n + unscored) for unscored, n in counted), default=0.0)

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
    config: RunConfig,
    *,
    load: Callable[[ModelSpec], Engine],
    folder: Path,
    date: str,
    parts: Sequence[Part] = (BIASES, INJECTION),
    limit: int | None = LIMIT,
    attacks: int | None = None,
    repeats: int = 1,
    second: Rubric | None = None,
    runs: Sequence[JudgedAnswers] = (),
) -> ProbeResult:
    """Asks the judge everything; stopped, it goes on from its journal in `folder`.

    `limit` bounds the graded answers and `attacks` the attacks (null: all), each of which is
    attached to `repeats` answers; `second` is a second wording of the rubric in place of the one
    that comes along; `runs` are for self-preference.
    """
    engine = load_judge(config, load)
    second = second or biases.second_wording(rubric)
    made_with = {
        "attacks": corpus_hash(),
        "padding": hash_file(PADDING),
        "quoting": hash_file(QUOTING),
        **({} if second is None else {"second wording": second.hash}),
    }
    shifts: list[Shift] = []
    injection: Injection | None = None
    missing: dict[str, str] = {}
    settings = {"parts": list(parts), "limit": limit, "most": attacks, "repeats": repeats}
    with checked_judge(engine, rubric, config, folder, **made_with, **settings) as judge:
        for name, result in _biases(judge, limit, second, runs) if BIASES in parts else ():
            if isinstance(result, str):
                missing[name] = result
            else:
                shifts += result
        if INJECTION in parts:
            injected = inject(judge, limit=limit, most=attacks, repeats=repeats)
            if isinstance(injected, str):
                missing["injection"] = injected
            else:
                injection = injected
    return ProbeResult(
        judge=engine.identity,
        rubric=rubric.name,
        rubric_hash=rubric.hash,
        date=date,
        normscope=__version__,
        limit=limit,
        made_with=made_with,
        shifts=adjusted(shifts),
        injection=injection,
        missing=missing,
        settings={
            "min_coverage": config.min_coverage,
            "label_orders": config.label_orders,
            "unit_items": config.unit_items,
        },
    )


def read_probe(path: Path) -> ProbeResult | None:
    """What the file holds, if `normscope probe` wrote it."""
    value = read_json(path)
    try:
        return typed_of_file(ProbeResult, value, path=path, remedy="probe anew")
    except DataError:
        return None


def _biases(
    judge: CheckedJudge, limit: int | None, second: Rubric | None, runs: Sequence[JudgedAnswers]
) -> Iterator[tuple[str, Probed]]:
    """Each probe by its name."""
    if judge.config.judge is None:
        raise UsageError("no judge is named: --judge PATH_OR_HUB_ID")
    graded = graded_answers(limit)
    base = judge.judge("as it is", graded)
    yield "length", biases.length(judge, base)
    yield "label order", biases.label_order(judge, graded)
    yield "content-free prior", biases.prior(judge, graded)
    yield "leniency", biases.leniency(judge.rubric, base)
    yield "paraphrase", biases.paraphrase(judge, base, second)
    spec, identity, outcome = judge.config.judge, judge.engine.identity, judge.outcomes[0]
    yield "self-preference", self_preference(spec, identity, runs, outcome)
    yield "quoting", biases.quoting(judge)
