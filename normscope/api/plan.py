"""`ns.plan`: what a run will take and tell, before it is begun."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..messages import message
from ..pipeline.planning.plan import Plan as OfStages
from ..pipeline.planning.planner import SECONDS, Planner
from ..progress import hidden
from ..records.config import RunConfig
from .judge import Judge
from .request import Contexts, Model, PathLike, Request
from .shown import Shown

if TYPE_CHECKING:
    import pandas as pd

    from ..report.blocks import Block


@dataclass(frozen=True, repr=False)
class Plan(Shown):
    """What a run will take and tell: `total`, and stage by stage in `total.stages`."""

    total: OfStages

    def to_frame(self) -> "pd.DataFrame":
        """A row per stage: prompts, units, tokens, seconds with their interval, bytes.

        What is not known is NaN.
        """
        import pandas as pd

        rows = [
            {
                "stage": stage.stage,
                "model": stage.model,
                "prompts": stage.rows,
                "units": stage.units,
                "tokens": stage.tokens.total.value,
                "unique_tokens": stage.tokens.unique.value,
                "written_tokens": stage.written and stage.written.value,
                "seconds": stage.seconds and stage.seconds.value,
                "seconds_low": stage.seconds and stage.seconds.low,
                "seconds_high": stage.seconds and stage.seconds.high,
                "bytes": stage.bytes,
            }
            for stage in self.total.stages
        ]
        frame = pd.DataFrame(rows)
        numbers = [name for name in frame.columns if name not in {"stage", "model"}]
        return frame.astype(dict.fromkeys(numbers, "float64"))

    def _shown(self) -> "Sequence[Block]":
        from ..report.plan import page

        return page(self.total).blocks


def plan(
    model: Model | None = None,
    benchmarks: str | Sequence[str] = (),
    *,
    judge: Judge | Model | None = None,
    context: Contexts = (),
    prompts: PathLike | None = None,
    limit: int | Mapping[str, int] | None = None,
    source: PathLike | None = None,
    calibrate: float = SECONDS,
    progress: bool = True,
    **settings: Any,
) -> Plan:
    """What the run that `ns.run` would make of the same arguments will take and tell.

    Nothing is written. `calibrate` seconds of its work are done to time it; with 0 no model is
    loaded, and nothing is said of time.

    >>> plan(benchmarks="safety-gradient", judge="bundled", limit=20, calibrate=0).total.items
    {'safety-gradient': 20}
    """
    if calibrate < 0:
        raise UsageError(
            message("calibrate is 0 or more seconds, not {seconds}", seconds=calibrate)
        )
    request = Request.of(
        model,
        benchmarks,
        judge,
        context=context,
        prompts=prompts,
        settings={"limit": limit, "source": source, **settings},
    )
    with hidden(not progress):
        return Plan(Planner(request.load, seconds=calibrate).plan(request.config(RunConfig())))
