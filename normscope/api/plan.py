"""`ns.plan`: what a run will take and tell, before it is begun."""

from collections.abc import Sequence
from typing import Any

from ..pipeline.plan import SECONDS, Plan
from ..pipeline.plan import plan as planned
from .judge import Judge
from .request import Model, Request


def plan(
    model: Model | None = None,
    benchmarks: str | Sequence[str] = (),
    *,
    judge: Judge | Model | None = None,
    calibrate: float = SECONDS,
    **settings: Any,
) -> Plan:
    """What the run that `ns.run` would make of the same arguments will take and tell.

    Nothing is written. `calibrate` seconds of its work are done to time it; with 0 no model is
    loaded, and nothing is said of time.

    >>> plan(benchmarks="safety-gradient", judge="bundled", limit=20, calibrate=0).stages.prompts[0]
    np.int64(20)
    """
    request = Request.of(model, benchmarks, judge, **settings)
    return planned(request.config(), request.load, seconds=calibrate)
