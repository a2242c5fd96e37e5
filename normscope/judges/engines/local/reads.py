"""Requests as token sequences to read or to go on after, and what came out as results.

Shared by the engines that hold the model's own tokenizer. A label of several tokens is read token
by token, after the prompt and after each beginning of the label, so that labels share these reads.
A reply is drawn so that it depends on its prompt and its own seed, not on its batch.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch

from ....reasons import Reason
from ....records.judgement import RawToken
from ...engine import Form, LabelRequest, LabelResult, TextRequest, TextResult
from ...scale import LabelTokens, Scale, resolve
from ..chat import render
from .devices import to_device_together
from .prefix_tree import Ids, Rows

RAW_TOP = 5


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


@dataclass(frozen=True, slots=True)
class Read:
    """Which next tokens to read at the end of a sequence, and for which request.

    `prefix` is how much of a label stands there already: nothing right after the prompt.
    """

    request: int
    prefix: Ids
    tokens: tuple[int, ...]


class ReadPlan:
    """The reads of some requests: fill it by `record`, one per sequence, then ask for `results`."""

    def __init__(self, scales: Sequence[LabelTokens]) -> None:
        """`scales` has the label tokens of each request."""
        self._scales = scales
        self._too_long: set[int] = set()
        self._logprobs: list[dict[tuple[Ids, int], float]] = [{} for _ in scales]
        self._tops: list[tuple[RawToken, ...] | None] = [None] * len(scales)
        self.sequences: list[Ids] = []
        self.reads: list[Read] = []

    def add(self, request: int, prompt: Ids, branches: Mapping[Ids, tuple[int, ...]]) -> None:
        """Adds the request's reads."""
        for prefix, following in branches.items():
            self.sequences.append(prompt + prefix)
            self.reads.append(Read(request, prefix, following))

    def mark_too_long(self, request: int) -> None:
        """Notes that the request's prompt is longer than the model's context."""
        self._too_long.add(request)

    def record(self, read: Read, logprobs: Sequence[float], top: Sequence[RawToken] = ()) -> None:
        """Keeps the log-probabilities of the read's tokens, in their order, and what came top."""
        for token, logprob in zip(read.tokens, logprobs, strict=True):
            self._logprobs[read.request][read.prefix, token] = logprob
        # what came top after half a label is not what the model would say
        if top and not read.prefix:
            self._tops[read.request] = tuple(top)

    def results(self) -> list[LabelResult]:
        """One result per request, when every read has been taken."""
        return [
            LabelResult(logprobs=None, reason=Reason.TEXT_TOO_LONG)
            if index in self._too_long
            else LabelResult(_add_up(tokens, self._logprobs[index]), raw_top=self._tops[index])
            for index, tokens in enumerate(self._scales)
        ]


class Reader:
    """Renders, encodes and spells for one model, whose context bounds what can be asked."""

    def __init__(self, tokenizer: Any, context: int | None) -> None:
        """`context` is the most tokens that the model can see, null if it does not say."""
        self._tokenizer = tokenizer
        self._context = context
        # a token as text
        self.spell: Callable[[int], str] = cache(lambda token: tokenizer.decode([token]))

    def plan(self, requests: Sequence[LabelRequest]) -> ReadPlan:
        """What to read for the requests; nothing for those that do not fit."""
        prompts = self._encoded(requests)
        # by identity: the requests of a unit share a few scale objects
        scales = {id(request.scale): request.scale for request in requests}
        tokens = {key: self._tokens(scale) for key, scale in scales.items()}
        branches_by_scale = {key: branches_of(each) for key, each in tokens.items()}
        plan = ReadPlan([tokens[id(request.scale)] for request in requests])
        for index, (prompt, request) in enumerate(zip(prompts, requests, strict=True)):
            branches = branches_by_scale[id(request.scale)]
            # one more for the token that is read after the longest beginning of a label
            if self.fits(len(prompt) + max(map(len, branches)) + 1):
                plan.add(index, prompt, branches)
            else:
                plan.mark_too_long(index)
        return plan

    def prompts(self, requests: Sequence[TextRequest]) -> dict[int, Prompt]:
        """What replies are written to, by the numbers of the requests that fit."""
        return {
            index: Prompt(
                ids, request.max_new_tokens, request.temperature, seed_of(request.seed, ids)
            )
            for index, (ids, request) in enumerate(
                zip(self._encoded(requests), requests, strict=True)
            )
            if self.fits(len(ids) + request.max_new_tokens)
        }

    def replies(self, count: int, tokens: Mapping[int, Sequence[int]]) -> list[TextResult]:
        """The results of so many requests, where those without tokens did not fit."""
        results = [TextResult(None, Reason.TEXT_TOO_LONG)] * count
        for index, ids in tokens.items():
            text = self._tokenizer.decode(ids, skip_special_tokens=True)
            results[index] = TextResult(text, None if text.strip() else Reason.NO_ANSWER)
        return results

    def _encoded(self, requests: Sequence[LabelRequest | TextRequest]) -> list[Ids]:
        tokenizer = self._tokenizer
        texts = [
            render(tokenizer, r.conversation, getattr(r, "lead", ""), r.form) for r in requests
        ]
        # of a unit all are put in one form
        return self.encode(texts, form=requests[0].form if requests else None)

    def encode(self, texts: list[str], *, form: Form | None = None) -> list[Ids]:
        """Rendered conversations as token ids, at least one each."""
        # of no text the tokenizer makes one
        if not texts:
            return []
        # a chat template writes them itself, and so may the text of a form
        start = self._tokenizer.bos_token
        templated = bool(self._tokenizer.chat_template) and not (form and form.text)
        whole = templated or (bool(start) and texts[0].startswith(start))
        rows = self._tokenizer(
            texts,
            add_special_tokens=not whole,
            # whatever the checkpoint's tokenizer file says
            padding=False,
            truncation=False,
            return_attention_mask=False,
            verbose=False,
        )["input_ids"]
        first = self._tokenizer.bos_token_id or self._tokenizer.eos_token_id or 0
        return [tuple(ids) or (first,) for ids in rows]

    def fits(self, tokens: int) -> bool:
        """Whether so many tokens fit into the model's context."""
        return self._context is None or tokens <= self._context

    def _tokens(self, scale: Scale) -> LabelTokens:
        return resolve(
            scale,
            lambda text: self._tokenizer.encode(text, add_special_tokens=False),
            end=self._tokenizer.eos_token_id,
            unknown=self._tokenizer.unk_token_id,
        )


def branches_of(tokens: LabelTokens) -> dict[Ids, tuple[int, ...]]:
    """Each context within the labels, and the next tokens that are read after it.

    The empty context is first.

    >>> branches_of((((5,),), ((6, 7), (6, 8))))
    {(): (5, 6), (6,): (7, 8)}
    """
    following: dict[Ids, set[int]] = {}
    for forms in tokens:
        for ids in forms:
            for cut, token in enumerate(ids):
                following.setdefault(ids[:cut], set()).add(token)
    return {prefix: tuple(sorted(following[prefix])) for prefix in sorted(following)}


def _add_up(tokens: LabelTokens, logprobs: Mapping[tuple[Ids, int], float]) -> tuple[float, ...]:
    """Each label's log-probability: the sum along each spelling, added up over the spellings."""
    totals = []
    for forms in tokens:
        spelt = [
            math.fsum(logprobs[ids[:cut], token] for cut, token in enumerate(ids)) for ids in forms
        ]
        most = max(spelt)
        if math.isinf(most):
            totals.append(most)
        else:
            totals.append(most + math.log(math.fsum(math.exp(value - most) for value in spelt)))
    return tuple(totals)


_AT_ONCE, _AT_ONCE_CPU = 2**28, 2**20
"""How many logits are summed up at once; on a CPU as many as its cache holds."""


def take_logprobs(
    plan: ReadPlan,
    pieces: Iterable[tuple[Sequence[int], torch.Tensor]],
    spell: Callable[[int], str],
) -> None:
    """Has the plan take the log-probabilities of its tokens, and the top tokens after prompts.

    A piece is the numbers of some sequences of the plan, and a row of logits after each, of which
    nothing else is kept. `spell` writes a token as text.
    """
    reads: list[Read] = []
    parts: list[tuple[torch.Tensor, ...]] = []
    for at, logits in pieces:
        some = [plan.reads[i] for i in at]
        parts += _read_parts(some, logits)
        reads += some
    if not reads:
        return
    # a GPU is waited for once in a unit
    values, tokens, probs = (iter(torch.cat(row).tolist()) for row in zip(*parts, strict=True))
    for read in reads:
        logprobs = [next(values) for _ in read.tokens]
        top = () if read.prefix else zip(next(tokens), next(probs), strict=True)
        plan.record(read, logprobs, [RawToken(spell(i), p) for i, p in top])


def _read_parts(reads: Sequence[Read], logits: torch.Tensor) -> Iterator[tuple[torch.Tensor, ...]]:
    """The log-probabilities of the reads; after prompts the top tokens and their probabilities."""
    at_once = _AT_ONCE_CPU if logits.device.type == "cpu" else _AT_ONCE
    step = max(1, at_once // logits.shape[-1])
    parts = [reads[start : start + step] for start in range(0, len(reads), step)]
    arrays = [each for part in parts for each in _places(part)]
    sent = iter(to_device_together(arrays, logits.device))
    for part, rows, columns, prompts in zip(
        torch.split(logits, step), sent, sent, sent, strict=True
    ):
        scores = part.float()
        sums = scores.logsumexp(-1)
        most = scores[prompts].topk(min(RAW_TOP, scores.shape[-1]), dim=-1)
        logprobs = scores[rows, columns] - sums[rows]
        yield logprobs, most.indices, (most.values - sums[prompts, None]).exp()


def _places(reads: Sequence[Read]) -> tuple[Rows, Rows, Rows]:
    """The row and the column of each token that is read, and the rows that stand after prompts."""
    return (
        np.repeat(np.arange(len(reads)), [len(read.tokens) for read in reads]),
        np.array([token for read in reads for token in read.tokens], np.int64),
        np.array([row for row, read in enumerate(reads) if not read.prefix], np.int64),
    )
