"""`ns.plan`: what a run will take and tell, before it is begun."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..pipeline.plan import SECONDS, Plan
from ..pipeline.plan import plan as planned
from ..records.config import RunConfig
from .judge import Judge
from .request import Contexts, Model, PathLike, Request


def plan(
    model: Model | None = None,
    benchmarks: str | Sequence[str] = (),
    *,
    judge: Judge | Model | None = None,
    context: Contexts = (),
    prompts: PathLike | None = None,
    limit: int | Mapping[str, int] | None = None,
    calibrate: float = SECONDS,
    **settings: Any,
) -> Plan:
    """What the run that `ns.run` would make of the same arguments will take and tell.

    Nothing is written. `calibrate` seconds of its work are done to time it; with 0 no model is
    loaded, and nothing is said of time.

    >>> plan(benchmarks="safety-gradient", judge="bundled", limit=20, calibrate=0).stages.prompts[0]
    np.int64(20)
    """
    given = {"limit": limit, **settings}
    request = Request.of(model, benchmarks, judge, context=context, prompts=prompts, settings=given)
    return planned(request.config(RunConfig()), request.load, seconds=calibrate)
