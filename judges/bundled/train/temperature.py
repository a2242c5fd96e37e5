"""One temperature for all criteria, found on validation and worked into the weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from ....extras import require
from .reading import read
from .sample import Sample


def find_temperature(model: Any, tokenizer: Any, samples: Sequence[Sample]) -> float:
    """The T that makes the moral criterion's softmax(logits / T) most probable on these samples.

    Every set weighs the same. Between 0.3 and 5.
    """
    some = [s for s in samples if s.binary is not None and "moral" in s.targets]
    probs = read(model, tokenizer, some, criteria=("moral",))["moral"]
    logs = np.log(np.clip(probs, 1e-9, 1))
    harmful = np.asarray([s.binary for s in some])
    sizes = {name: sum(s.source == name for s in some) for name in {s.source for s in some}}
    weights = np.asarray([1 / sizes[s.source] for s in some])

    def loss(log_t: float) -> float:
        scaled = logs / np.exp(log_t)
        scaled = scaled - np.logaddexp(scaled[:, 0], scaled[:, 1])[:, None]
        chosen = np.where(harmful == 1, scaled[:, 0], scaled[:, 1])
        return float(-(weights * chosen).sum() / weights.sum())

    found = minimize_scalar(loss, bounds=(np.log(0.3), np.log(5.0)), method="bounded")
    return float(np.exp(found.x))


def apply_temperature(model: Any, temperature: float) -> None:
    """Divides the last norm's weight by T, and so every logit."""
    torch = require("torch", extra="judge")
    with torch.no_grad():
        model.model.norm.weight.div_(temperature)
