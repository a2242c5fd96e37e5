"""Sampling in which a request's text depends on its prompt and its own seed, not on its batch."""

import hashlib
from collections.abc import Sequence

import torch
from transformers import LogitsProcessor

from ..prefix_tree import Ids


def seed_of(seed: int, prompt: Ids) -> int:
    """The seed of one reply, from the run's seed and the prompt's tokens, below 2³².

    With the run's seed alone, all prompts would meet the same random numbers, and their replies
    would not be independent draws.
    """
    text = f"{seed}:{','.join(map(str, prompt))}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


class OwnDraws(LogitsProcessor):  # type: ignore[misc]  # transformers is untyped
    """Adds Gumbel noise of each row's own, so that the largest score is a draw (Gumbel-max trick).

    The largest of log p + g, where g are independent standard Gumbel numbers, falls on a token with
    probability p. A row at temperature 0 gets no noise.
    """

    def __init__(self, temperatures: Sequence[float], seeds: Sequence[int]) -> None:
        """One temperature and one seed per row."""
        self._temperatures = tuple(temperatures)
        # drawn by the processor on every device, so that a device changes only what it rounds
        self._draws = [torch.Generator("cpu").manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """The scores over the temperature, plus noise."""
        noisy = scores.clone()
        for row, (temperature, draw) in enumerate(
            zip(self._temperatures, self._draws, strict=True)
        ):
            if temperature > 0:
                # −log of an exponential draw is Gumbel; in 64 bits, since a draw near 0 decides
                times = torch.empty(scores.shape[-1], dtype=torch.float64)
                noise = times.exponential_(generator=draw).log_().neg_()
                noisy[row] = scores[row] / temperature + noise.to(scores)
        return noisy
