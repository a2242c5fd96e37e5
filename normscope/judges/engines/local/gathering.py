"""What is wanted of the logits of a unit: kept where they were computed until all have passed.

Logits are large and what is read of them is small. To read it at once would have the processor wait
for the device after every piece; kept there and brought back together, it waits once for a unit.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch

from ....records.judgement import RawToken
from .prefix_tree import Rows
from .reads import RAW_TOP, Plan, Read
from .sending import fetched, sent_together

_AT_ONCE, _AT_ONCE_CPU = 2**28, 2**20
"""How many logits are summed up at once; on a CPU as many as its cache holds."""


class Gathering:
    """The log-probabilities of the tokens that a plan reads, and the top tokens after its prompts.

    `add` the logits of every piece, `fetch` when there are no more, then `give` them to the plan.
    """

    def __init__(self, plan: Plan) -> None:
        """Nothing is gathered yet."""
        self._plan = plan
        self._reads: list[Read] = []
        self._logprobs: list[torch.Tensor] = []
        self._tokens: list[torch.Tensor] = []
        self._probs: list[torch.Tensor] = []
        self._wait: Callable[[], list[torch.Tensor]] = list

    def add(self, at: Sequence[int], logits: torch.Tensor) -> None:
        """Takes what is wanted out of one row of logits for each of these sequences of the plan."""
        at_once = _AT_ONCE_CPU if logits.device.type == "cpu" else _AT_ONCE
        step = max(1, at_once // logits.shape[-1])
        reads = [self._plan.reads[i] for i in at]
        parts = [reads[start : start + step] for start in range(0, len(reads), step)]
        sent = iter(
            sent_together([each for part in parts for each in _places(part)], logits.device)
        )
        for part, rows, *places in zip(
            parts, torch.split(logits, step), sent, sent, sent, strict=True
        ):
            self._take(rows.float(), *places)
            self._reads += part

    def fetch(self) -> None:
        """Begins to bring back what was gathered, and lets go of it on the device."""
        gathered = (self._logprobs, self._tokens, self._probs)
        self._wait = fetched([torch.cat(several) for several in gathered if several])
        for several in gathered:
            several.clear()

    def give(self, spell: Callable[[int], str]) -> None:
        """Waits for what was gathered, and has the plan take it; `spell` writes a token as text."""
        if not self._reads:
            return
        values, tokens, probs = (iter(each.tolist()) for each in self._wait())
        for read in self._reads:
            logprobs = [next(values) for _ in read.tokens]
            top = () if read.prefix else zip(next(tokens), next(probs), strict=True)
            self._plan.take(read, logprobs, [RawToken(spell(i), p) for i, p in top])

    def _take(
        self, logits: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor, prompts: torch.Tensor
    ) -> None:
        sums = logits.logsumexp(-1)
        self._logprobs.append(logits[rows, columns] - sums[rows])
        most = logits[prompts].topk(min(RAW_TOP, logits.shape[-1]), dim=-1)
        self._tokens.append(most.indices)
        self._probs.append((most.values - sums[prompts, None]).exp())


def _places(reads: Sequence[Read]) -> tuple[Rows, Rows, Rows]:
    """The row and the column of each token that is read, and the rows that stand after prompts."""
    return (
        np.repeat(np.arange(len(reads)), [len(read.tokens) for read in reads]),
        np.array([token for read in reads for token in read.tokens], np.int64),
        np.array([row for row, read in enumerate(reads) if not read.prefix], np.int64),
    )
