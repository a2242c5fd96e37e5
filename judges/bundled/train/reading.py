"""The trained model read at its digits, many samples at once, with the training layout of criteria.

The engine gives the same numbers; a test holds the two together. This one also reads the auxiliary
tasks, which the rubric does not ask.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ....extras import require
from .encoding import Encoded, Encoder, cuts
from .layout import lay_out, states
from .sample import CRITERIA, SIZES, Lesson, Sample

Probs = npt.NDArray[np.float64]

MOST_TOKENS = 900
"""A longer prompt is read at its head and tail."""


def load_judge(folder: Path) -> tuple[Any, Any]:
    """A saved judge in float32, and its tokenizer."""
    torch = require("torch", extra="judge")
    transformers = require("transformers", extra="judge")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


def read(
    model: Any,
    tokenizer: Any,
    samples: Sequence[Sample],
    *,
    criteria: Sequence[str] = CRITERIA,
    batch_tokens: int = 6000,
) -> dict[str, Probs]:
    """For each criterion a row of probabilities per sample, renormalised over its labels."""
    torch = require("torch", extra="judge")
    flat = {
        criterion: tuple(1 / SIZES[criterion] for _ in range(SIZES[criterion]))
        for criterion in criteria
    }
    lessons = [Lesson(s.language, (("user", s.question),), s.answer, flat) for s in samples]
    encoded = [_shorten(e) for e in Encoder(tokenizer, 0, backwards=0.0, loose=0.0).encode(lessons)]
    digits = [tokenizer.convert_tokens_to_ids(str(n)) for n in range(6)]
    result = {criterion: np.zeros((len(samples), SIZES[criterion])) for criterion in criteria}
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
    with torch.inference_mode():
        for start, end in cuts([encoded[i] for i in order], batch_tokens):
            at = order[start:end]
            inputs = lay_out([encoded[i] for i in at], len(digits))
            logits = (states(model, inputs) @ model.lm_head.weight[digits].T).double()
            for place, criterion, row in zip(inputs.rows, inputs.criteria, logits, strict=True):
                # the digits are 0 to 5, and ratings begin at 1
                first = 1 if criterion == "rating" else 0
                probs = torch.softmax(row[first : first + SIZES[criterion]], -1)
                result[criterion][at[place]] = probs.numpy()
    return result


def _shorten(encoded: Encoded) -> Encoded:
    if len(encoded.ids) <= MOST_TOKENS:
        return encoded
    half = MOST_TOKENS // 2
    return Encoded((*encoded.ids[:half], *encoded.ids[-half:]), encoded.asks)
