"""What a run will take and what it will tell, before anything of it is done."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...messages import message
from ...records.model_spec import ADDRESSES
from .precision import Precision
from .ranges import Range, added
from .tokens import StageTokens


@dataclass(frozen=True, slots=True)
class StagePlan:
    """What a stage will take.

    `rows` in `units` are to be done of `all_rows`: what a begun run has is left out. `tokens` are
    exact where the model's own tokenizer counted all units. `written` are the tokens of replies
    (`most_written` at their longest), `seconds` the time and `bytes` the disk: null where nothing
    was calibrated.
    """

    stage: str
    model: str
    rows: int
    all_rows: int
    units: int
    tokens: StageTokens
    own_tokenizer: bool
    written: Range | None
    most_written: int
    seconds: Range | None
    bytes: float | None


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory that was seen in the calibration: of a model's weights, and at the peak.

    In bytes; null where it is not known (a server's), or nothing was calibrated.
    """

    model: str
    weights: int | None
    peak: int | None
    device: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will take, stage by stage, and what its items tell.

    `loading` is the seconds that items and models took to be loaded, null without calibration.
    `items` is how many items of each benchmark are asked.
    """

    stages: tuple[StagePlan, ...]
    loading: Range | None
    memory: tuple[Memory, ...]
    precision: tuple[Precision, ...]
    items: Mapping[str, int]
    caveats: tuple[str, ...] = ()

    @property
    def seconds(self) -> Range | None:
        """The time of all stages that are to be done, with the loading of their models."""
        if self.loading is None:
            return None
        timed = [stage.seconds for stage in self.stages if stage.rows]
        known = [each for each in timed if each is not None]
        return None if len(known) < len(timed) else added([self.loading, *known])

    @property
    def tokens(self) -> Range:
        """All tokens of prompts and replies, of replies at their longest where nobody knows."""
        return added(
            [
                part
                for stage in self.stages
                for part in (
                    stage.tokens.total,
                    stage.written or Range(stage.most_written, 0, stage.most_written),
                )
            ]
        )

    @property
    def bytes(self) -> float | None:
        """The disk that journal and tables will take; null without calibration."""
        known = [stage.bytes for stage in self.stages if stage.bytes is not None]
        return sum(known) if known else None


def caveats_of(plan: Plan) -> tuple[str, ...]:
    """What limits the numbers of the plan."""
    result: list[str] = []
    strange = dict.fromkeys(s.model for s in plan.stages if s.rows and not s.own_tokenizer)
    if strange:
        result.append(
            message(
                "the tokens of {models} are taken for four bytes each: a server's tokenizer is not "
                "known here",
                models=", ".join(strange),
            )
        )
    several = [stage.seconds for stage in plan.stages if stage.units > 1]
    if any(seconds is not None and seconds.low is None for seconds in several):
        result.append(
            message(
                "one piece of a stage was timed, which tells nothing of how others differ: a "
                "longer --calibrate does"
            )
        )
    servers = [s.model for s in plan.stages if s.rows and s.model.startswith(ADDRESSES)]
    if servers and plan.seconds is not None:
        result.append(message("a server's time is that of this moment: others may ask it, too"))
    return tuple(result)
