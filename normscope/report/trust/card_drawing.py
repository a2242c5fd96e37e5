"""How a card's intervals are drawn."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Drawing:
    """The bootstrap's resamples and seed, and the level of every interval."""

    resamples: int = 1000
    seed: int = 0
    level: float = 0.95


USUAL = Drawing()
