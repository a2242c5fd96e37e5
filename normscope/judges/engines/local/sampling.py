"""Sampling in which a request's text depends on its prompt and its own seed, not on its batch."""

import hashlib
from collections.abc import Sequence

import torch
from transformers import LogitsProcessor

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


class OwnDraws(LogitsProcessor):  # type: ignore[misc]  # transformers is untyped
    """The draws of several replies that are written by transformers' own `generate`."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        """One per row."""
        self._draws = draws

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """The scores, each row with its own noise."""
        return torch.stack([draw(row) for draw, row in zip(self._draws, scores, strict=True)])
