"""Sampling in which a request's text depends on its prompt and its own seed, not on its batch."""

import hashlib
from dataclasses import dataclass

import torch

from .prefix_tree import Ids


def seed_of(seed: int, prompt: Ids) -> int:
    """The seed of one reply, from the run's seed and the prompt's tokens, below 2³².

    With the run's seed alone, all prompts would meet the same random numbers, and their replies
    would not be independent draws.
    """
    text = f"{seed}:{','.join(map(str, prompt))}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


class Draw:
    """What one reply draws: Gumbel noise, so that the largest score is a draw (Gumbel-max trick).

    The largest of log p + g, where g are independent standard Gumbel numbers, falls on a token with
    probability p. At temperature 0 there is no noise.
    """

    def __init__(self, temperature: float, seed: int) -> None:
        """The draws follow from the seed alone."""
        self._temperature = temperature
        # drawn by the processor on every device, so that a device changes only what it rounds
        self._generator = torch.Generator("cpu").manual_seed(seed)

    def __call__(self, scores: torch.Tensor) -> torch.Tensor:
        """The scores of the next token over the temperature, plus noise."""
        if self._temperature == 0:
            return scores
        # −log of an exponential draw is Gumbel; in 64 bits, since a draw near 0 decides
        times = torch.empty(scores.shape, dtype=torch.float64)
        noise = times.exponential_(generator=self._generator).log_().neg_()
        return scores / self._temperature + noise.to(scores)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a reply is written to: its tokens, and how the reply is drawn.

    `seed` is the reply's own: that of the run and of the prompt, as `seed_of` has it.
    """

    ids: Ids
    max_new_tokens: int
    temperature: float
    seed: int

    @property
    def width(self) -> int:
        """The tokens of the prompt and of the longest reply to it."""
        return len(self.ids) + self.max_new_tokens

    def draw(self) -> Draw:
        """The reply's own random numbers."""
        return Draw(self.temperature, self.seed)
