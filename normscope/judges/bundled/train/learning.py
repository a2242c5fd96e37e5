"""What a training step learns from a batch: the divergence from its goals, and the gradient."""

import math
from collections.abc import Sequence
from typing import Any

from ....extras import require
from .encoding import Encoded
from .layout import lay_out, states
from .vocabulary import mark_tokens, said_tokens

OTHERS = 512
"""How many tokens beside the digits a step looks at, for those that must not be said."""


class UsedRows:
    """The rows of the embedding that a step looks at: its texts', the labels' and some others'.

    A gradient of all of them, made anew at each step, took a quarter of the time.
    """

    def __init__(self, weight: Any, ids: Any, said: Sequence[int]) -> None:
        """`said` are the tokens that a goal has shares of."""
        torch = require("torch", extra="judge")
        labels = torch.tensor(said)
        others = torch.randint(len(weight), (OTHERS,))
        # a label among the others would stand against itself
        others = others[~torch.isin(others, labels)]
        looked_at = torch.cat([ids.flatten(), labels, others])
        self.used, at = torch.unique(looked_at, return_inverse=True)
        self.table = weight.detach()[self.used].requires_grad_()
        self.at = at[: ids.numel()].view_as(ids)
        self._weight, self._said = weight, len(said)
        self._candidates = at[ids.numel() :]
        # each token drawn stands for as many of the vocabulary as were not drawn
        self._stands_for = torch.zeros(len(self._candidates))
        self._stands_for[len(said) :] = math.log((len(weight) - len(said)) / len(others))

    def descend(self, hidden: Any, table: Any, goals: Any, asks: int) -> float:
        """The divergence of what the states say from the goals; its gradient is added everywhere.

        `table` is this one's, or made of it.
        """
        torch = require("torch", extra="judge")
        logits = hidden @ table[self._candidates].T + self._stands_for
        logs = torch.log_softmax(logits, -1)[:, : self._said]
        loss = (goals * (goals.clamp_min(1e-9).log() - logs)).sum() / asks
        loss.backward()
        self._weight.grad.index_add_(0, self.used, self.table.grad)
        return float(loss.detach())


class Learner:
    """Learns from a batch as the model will be read."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` says which tokens are marks and labels."""
        self._said, self._fixed = said_tokens(tokenizer), mark_tokens(tokenizer)

    def __call__(self, model: Any, some: Sequence[Sequence[Encoded]], dropout: float) -> float:
        """The mean divergence from the goals; its gradient is added to the parameters'.

        A batch is gone through at a time, since its texts are padded to the longest.
        """
        asks = sum(len(lesson.asks) for batch in some for lesson in batch)
        return sum(self._learn(model, batch, dropout, asks) for batch in some)

    def _learn(self, model: Any, batch: Sequence[Encoded], dropout: float, asks: int) -> float:
        torch = require("torch", extra="judge")
        inputs = lay_out(batch, len(self._said), dropout=dropout, fixed=self._fixed)
        rows = UsedRows(model.lm_head.weight, inputs.ids, self._said)
        embedded = torch.nn.functional.embedding(rows.at, rows.table)
        hidden = states(model, inputs, embedded)
        return rows.descend(hidden, rows.table, torch.tensor(inputs.goals), asks)
