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
from .vocabulary import said_tokens

Probs = npt.NDArray[np.float64]

COVERAGE = "coverage"

MOST_TOKENS = 2000
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
    """For each criterion a row of probabilities per sample, renormalised over its labels.

    Under `COVERAGE` stands, per sample, how much of the first criterion's probability lay on its
    labels before.
    """
    torch = require("torch", extra="judge")
    flat = {
        criterion: tuple(1 / SIZES[criterion] for _ in range(SIZES[criterion]))
        for criterion in criteria
    }
    lessons = [Lesson(s.language, (("user", s.question),), s.answer, flat) for s in samples]
    encoded = [_shorten(e) for e in Encoder(tokenizer, 0, backwards=0.0).encode(lessons)]
    result = {criterion: np.zeros((len(samples), SIZES[criterion])) for criterion in criteria}
    result[COVERAGE] = np.zeros((len(samples), 1))
    said = said_tokens(tokenizer)
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
    with torch.inference_mode():
        for start, end in cuts([encoded[i] for i in order], batch_tokens):
            at = order[start:end]
            inputs = lay_out([encoded[i] for i in at], len(said))
            every = (states(model, inputs) @ model.lm_head.weight.T).double()
            total, logits = torch.logsumexp(every, -1), every[:, said]
            for n, (place, criterion) in enumerate(zip(inputs.rows, inputs.criteria, strict=True)):
                # the digits are 0 to 5, and ratings begin at 1
                first = 1 if criterion == "rating" else 0
                own = logits[n, first : first + SIZES[criterion]]
                result[criterion][at[place]] = torch.softmax(own, -1).numpy()
                if criterion == criteria[0]:
                    covered = torch.exp(torch.logsumexp(own, -1) - total[n])
                    result[COVERAGE][at[place]] = float(covered)
    return result


def _shorten(encoded: Encoded) -> Encoded:
    if len(encoded.ids) <= MOST_TOKENS:
        return encoded
    half = MOST_TOKENS // 2
    return Encoded((*encoded.ids[:half], *encoded.ids[-half:]), encoded.asks)
