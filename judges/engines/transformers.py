"""Any causal model that transformers can load, read at the labels of a scale.

Requests that share a beginning share its computation: the prompts and label branches of a unit are
laid out as a prefix tree (`judges.prefix_tree`), and one forward pass reads a whole piece of it. A
model whose attention is not a plain causal one over all tokens takes the plain batched pass
instead; which of the two it is, is probed when the model is loaded and stands in `identity`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from ...reasons import Reason
from ..chat import render
from ..engine import LabelRequest, LabelResult, TextRequest, TextResult
from ..judgement import RawToken
from ..prefix_tree import Ids
from ..scale import Scale
from ..tokens import LabelTokens, resolve
from . import ModelSpec
from .loading import load_model
from .narrow import narrow_tail
from .onednn import use_onednn
from .passes import PLAIN_BATCH, Piece, can_pack, row_pieces, tree_pieces

RAW_TOP = 5


@dataclass(frozen=True, slots=True)
class _Read:
    """Which next tokens to read at the end of a sequence, and for which request."""

    request: int
    prefix: Ids
    tokens: tuple[int, ...]


class TransformersEngine:
    """The local engine. `packed` says whether shared prefixes are computed once."""

    def __init__(self, spec: ModelSpec) -> None:
        """Loads the model and tokenizer, and probes how the model can be batched."""
        loaded = load_model(spec)
        self._spec = spec
        self._model, self._tokenizer = loaded.model, loaded.tokenizer
        self._identity = loaded.identity
        self._scales: dict[int, tuple[Scale, LabelTokens]] = {}
        self._identity["linear"] = "onednn" if use_onednn(self._model) else "torch"
        self._tail = narrow_tail(self._model)
        self.packed = can_pack(self._model, pack_tokens=spec.pack_tokens, tail=self._tail)
        self._identity["batching"] = "prefix tree" if self.packed else "padded rows"

    @property
    def name(self) -> str:
        """The model's path or Hub id as the user gave it."""
        return self._spec.model

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that changes the engine's answers."""
        return dict(self._identity)

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """Log-probabilities of every label after every prompt, each shared token computed once."""
        prompts = self._encode([render(self._tokenizer, r.turns, r.lead) for r in requests])
        scales = [self._tokens(request.scale) for request in requests]
        results: list[LabelResult | None] = [None] * len(requests)
        sequences: list[Ids] = []
        reads: list[_Read] = []
        for index, (prompt, tokens) in enumerate(zip(prompts, scales, strict=True)):
            branches = _branches(tokens)
            if not self._fits(len(prompt) + max(map(len, branches)) + 1):
                results[index] = LabelResult(logprobs=None, reason=Reason.TEXT_TOO_LONG)
                continue
            for prefix, following in branches.items():
                sequences.append(prompt + prefix)
                reads.append(_Read(request=index, prefix=prefix, tokens=following))
        found: list[dict[tuple[Ids, int], float]] = [{} for _ in requests]
        tops: list[tuple[RawToken, ...] | None] = [None] * len(requests)
        for at, logits in self._pieces(sequences):
            self._collect([reads[i] for i in at], logits, found, tops)
        for index, tokens in enumerate(scales):
            if results[index] is None:
                logprobs_of = _add_up(tokens, found[index])
                results[index] = LabelResult(logprobs=logprobs_of, raw_top=tops[index])
        return [result for result in results if result is not None]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """The replies; sampling starts from the requests' own seeds."""
        prompts = self._encode([render(self._tokenizer, r.turns, "") for r in requests])
        results: list[TextResult] = [TextResult(None, Reason.TEXT_TOO_LONG)] * len(requests)
        fitting = [
            i
            for i, (prompt, request) in enumerate(zip(prompts, requests, strict=True))
            if self._fits(len(prompt) + request.max_new_tokens)
        ]
        fitting.sort(key=lambda i: (requests[i].temperature, len(prompts[i]), i))
        for batch in _batches(fitting, requests):
            for index, text in zip(batch, self._write(batch, prompts, requests), strict=True):
                no_answer = None if text.strip() else Reason.NO_ANSWER
                results[index] = TextResult(text, no_answer)
        return results

    def _encode(self, texts: list[str]) -> list[Ids]:
        special = not self._tokenizer.chat_template
        if not texts:
            return []
        encoded = self._tokenizer(texts, add_special_tokens=special, verbose=False)["input_ids"]
        start = self._tokenizer.bos_token_id or self._tokenizer.eos_token_id or 0
        return [tuple(ids) or (start,) for ids in encoded]

    def _tokens(self, scale: Scale) -> LabelTokens:
        known = self._scales.get(id(scale))
        if known is None or known[0] is not scale:
            tokens = resolve(
                scale,
                lambda text: self._tokenizer.encode(text, add_special_tokens=False),
                end=self._tokenizer.eos_token_id,
                unknown=self._tokenizer.unk_token_id,
            )
            known = self._scales[id(scale)] = (scale, tokens)
        return known[1]

    def _fits(self, tokens: int) -> bool:
        limit = self._identity["context"]
        return limit is None or tokens <= limit

    def _collect(
        self,
        reads: list[_Read],
        logits: torch.Tensor,
        found: list[dict[tuple[Ids, int], float]],
        tops: list[tuple[RawToken, ...] | None],
    ) -> None:
        """Takes what was asked for out of one row of logits per read."""
        logits = logits.float()
        sums = logits.logsumexp(-1)
        rows = [row for row, read in enumerate(reads) for _ in read.tokens]
        columns = [token for read in reads for token in read.tokens]
        values = iter((logits[rows, columns] - sums[rows]).tolist())
        for read in reads:
            for token in read.tokens:
                found[read.request][read.prefix, token] = next(values)
        starts = [row for row, read in enumerate(reads) if not read.prefix]
        if starts:
            most = logits[starts].topk(min(RAW_TOP, logits.shape[-1]), dim=-1)
            probs = (most.values - sums[starts, None]).exp().tolist()
            for row, top, ids in zip(starts, probs, self._spell(most.indices), strict=True):
                pairs = zip(ids, top, strict=True)
                tops[reads[row].request] = tuple(RawToken(token, prob) for token, prob in pairs)

    def _spell(self, ids: torch.Tensor) -> list[list[str]]:
        return [[self._tokenizer.decode([token]) for token in row] for row in ids.tolist()]

    def _pieces(self, sequences: list[Ids]) -> Iterator[Piece]:
        if not self.packed:
            return row_pieces(self._model, sequences)
        return tree_pieces(
            self._model, sequences, pack_tokens=self._spec.pack_tokens, tail=self._tail
        )

    @torch.inference_mode()
    def _write(
        self, batch: list[int], prompts: list[Ids], requests: Sequence[TextRequest]
    ) -> list[str]:
        width = max(len(prompts[index]) for index in batch)
        pad = self._tokenizer.pad_token_id
        pad = self._tokenizer.eos_token_id or 0 if pad is None else pad
        ids = torch.full((len(batch), width), pad)
        mask = torch.zeros_like(ids)
        for row, index in enumerate(batch):
            ids[row, width - len(prompts[index]) :] = torch.tensor(prompts[index])
            mask[row, width - len(prompts[index]) :] = 1
        first = requests[batch[0]]
        sampled = first.temperature > 0
        how: dict[str, Any] = {"do_sample": sampled}
        if sampled:
            how |= {"temperature": first.temperature, "top_k": 0, "top_p": 1.0}
            torch.manual_seed(first.seed)
        ends = self._model.generation_config.eos_token_id
        config = transformers.GenerationConfig(
            max_new_tokens=first.max_new_tokens,
            pad_token_id=pad,
            eos_token_id=self._tokenizer.eos_token_id if ends is None else ends,
            **how,
        )
        written = self._model.generate(
            ids.to(self._model.device),
            attention_mask=mask.to(self._model.device),
            generation_config=config,
        )
        texts: list[str] = self._tokenizer.batch_decode(
            written[:, width:], skip_special_tokens=True
        )
        return texts


def _branches(tokens: LabelTokens) -> dict[Ids, tuple[int, ...]]:
    """Each context within the labels, and the next tokens that are read after it."""
    following: dict[Ids, set[int]] = {prefix: set() for prefix in tokens.prefixes}
    for forms in tokens.sequences:
        for ids in forms:
            for cut, token in enumerate(ids):
                following[ids[:cut]].add(token)
    return {prefix: tuple(sorted(nexts)) for prefix, nexts in following.items()}


def _add_up(tokens: LabelTokens, found: dict[tuple[Ids, int], float]) -> tuple[float, ...]:
    """Each label's log-probability: the sum along each spelling, added up over the spellings."""
    totals = []
    for forms in tokens.sequences:
        spelt = [
            math.fsum(found[ids[:cut], token] for cut, token in enumerate(ids)) for ids in forms
        ]
        most = max(spelt)
        if math.isinf(most):
            totals.append(most)
        else:
            totals.append(most + math.log(math.fsum(math.exp(value - most) for value in spelt)))
    return tuple(totals)


def _batches(order: list[int], requests: Sequence[TextRequest]) -> Iterator[list[int]]:
    """Runs of requests that can be written together: same temperature and length of reply."""
    batch: list[int] = []
    for index in order:
        like = batch and (
            requests[batch[0]].temperature == requests[index].temperature
            and requests[batch[0]].max_new_tokens == requests[index].max_new_tokens
        )
        if batch and (not like or len(batch) == PLAIN_BATCH):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
