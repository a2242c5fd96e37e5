"""Fleets of scripted servers: what is asked of them, units at once, and a clock that stands."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines.endpoint import Waiting
from normscope.judges.engines.fleet import FleetEngine
from normscope.judges.scale import Scale

MORAL = Scale(labels=("0", "1"), values=(0.0, 1.0))


@dataclass
class Clock:
    """A clock that only a test moves."""

    now: float = 0.0

    @property
    def waiting(self) -> Waiting:
        return Waiting(sleep=lambda _: asyncio.sleep(0), clock=lambda: self.now)


def ask(text: str) -> LabelRequest:
    return LabelRequest(conversation=(("user", text),), scale=MORAL)


def units(number: int, *, size: int = 6) -> list[list[LabelRequest]]:
    """So many units; the prompts of each begin alike, and no two prompts are the same."""
    return [
        [ask(f"Rule {unit % 3}.\nquestion {'x' * (size * unit + n)}") for n in range(size)]
        for unit in range(number)
    ]


def worked_off(
    engine: FleetEngine, work: Sequence[Sequence[LabelRequest]]
) -> list[list[LabelResult]]:
    """The results of each unit, as many units at once as the engine says."""
    with ThreadPoolExecutor(engine.lanes) as pool:
        return list(pool.map(engine.labels, work))
