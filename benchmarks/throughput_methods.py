"""The ways of asking that benchmarks/judge_throughput.py compares, on one loaded model.

Each takes prompts and scales and gives, per prompt, the probabilities of the scale's labels among
themselves; the two that only write text or put their own questions give none.
"""

import importlib.util
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
import transformers

from normscope.judges.distribution import normalise
from normscope.judges.engine import LabelRequest
from normscope.judges.engines.chat import render
from normscope.judges.engines.local.devices import (
    PackedLinear,
    main_device,
    rows_to_read,
    to_device_together,
    use_onednn,
    use_torch,
)
from normscope.judges.engines.local.passes import Piece
from normscope.judges.engines.local.prefix_tree import Ids
from normscope.judges.engines.local.transformers import READERS, Way

Requests = Sequence[LabelRequest]
Readings = list[tuple[float, ...]] | None
Method = Callable[[Any, Requests, int], Readings]

NEW_TOKENS = 4
"""How many tokens the pipeline may write: a label and no explanation."""


def use_linear(engine: Any, *, onednn: bool) -> None:
    """Switches the linear layers between oneDNN's operators, as the engine uses them, and torch."""
    used = any(isinstance(module, PackedLinear) for module in engine._model.modules())
    if used != onednn:
        (use_onednn if onednn else use_torch)(engine._model)


def has_experts(engine: Any) -> bool:
    """Whether a token goes through some of several feed-forward parts, which its scores choose."""
    return any("expert" in name for name, _ in engine._model.named_modules())


@contextmanager
def in_double(engine: Any) -> Iterator[None]:
    """Inside, the same float32 weights are computed with in float64, by torch."""
    model = engine._model
    onednn = any(isinstance(module, PackedLinear) for module in model.modules())
    experts = model.config._experts_implementation
    use_torch(model)
    # the only one that takes doubles
    model.set_experts_implementation("eager")
    model.double()
    try:
        yield
    finally:
        # every float32 number is a double: none has changed
        model.float()
        model.set_experts_implementation(experts)
        use_linear(engine, onednn=onednn)


def ours(engine: Any, requests: Requests, _: int) -> Readings:
    """The way that the engine has chosen."""
    engine.way = Way(engine.identity["batching"])
    return _normalised(engine.labels(requests))


def sorted_rows(engine: Any, requests: Requests, batch_size: int) -> Readings:
    """The plain forward pass, a prompt and label branch per row, rows sorted by length."""
    engine.way = Way.ROWS
    with patch.dict(READERS, {Way.ROWS: partial(_padded_pieces, batch_size=batch_size)}):
        return _normalised(engine.labels(requests))


@torch.inference_mode()
def _padded_pieces(
    model: Any, sequences: Sequence[Ids], *, batch_size: int, **_: Any
) -> Iterator[Piece]:
    """Right-padded rows of like length, read at their last tokens."""
    by_length = sorted(range(len(sequences)), key=lambda i: (len(sequences[i]), sequences[i]))
    for start in range(0, len(by_length), batch_size):
        batch = by_length[start : start + batch_size]
        last = np.array([len(sequences[index]) - 1 for index in batch])
        width = int(last.max()) + 1
        ids = np.zeros((len(batch), width), np.int64)
        for row, index in enumerate(batch):
            ids[row, : len(sequences[index])] = sequences[index]
        places, at = np.unique(last, return_inverse=True)
        seen = (np.arange(width) <= last[:, None]).astype(np.int64)
        tokens, mask, rows, columns = to_device_together(
            [ids, seen, np.arange(len(batch)), at], main_device(model)
        )
        logits = model(
            input_ids=tokens,
            attention_mask=mask,
            use_cache=False,
            logits_to_keep=rows_to_read(model, places),
        ).logits
        yield batch, logits[rows, columns]


def pass_per_label(engine: Any, requests: Requests, batch_size: int) -> Readings:
    """The whole prompt again for every label, padded to the longest, all logits kept."""
    tokenizer, logprobs = engine._tokenizer, []
    pairs = [
        (tokenizer.encode(text), tokenizer.encode("\n" + label)[1:])
        for request, text in zip(requests, _texts(engine, requests), strict=True)
        for label in request.scale.labels
    ]
    for start in range(0, len(pairs), batch_size):
        batch = pairs[start : start + batch_size]
        width = max(len(prompt) + len(label) for prompt, label in batch)
        ids = torch.zeros((len(batch), width), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, (prompt, label) in enumerate(batch):
            ids[row, : len(prompt) + len(label)] = torch.tensor(prompt + label)
            mask[row, : len(prompt) + len(label)] = 1
        with torch.inference_mode():
            logits = engine._model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        for row, (prompt, label) in enumerate(batch):
            at = logits[row, len(prompt) - 1 : len(prompt) - 1 + len(label)].float()
            logprobs.append(sum(at.log_softmax(-1)[range(len(label)), label].tolist()))
    return _by_request(requests, logprobs)


def text_pipeline(engine: Any, requests: Requests, batch_size: int) -> Readings:
    """transformers' text-generation pipeline, whose reply is searched for a label."""
    engine._tokenizer.padding_side = "left"
    asked = transformers.pipeline(
        "text-generation", model=engine._model, tokenizer=engine._tokenizer
    )
    config = transformers.GenerationConfig(
        max_new_tokens=NEW_TOKENS, do_sample=False, pad_token_id=0, eos_token_id=0
    )
    replies = asked(
        _texts(engine, requests),
        batch_size=batch_size,
        return_full_text=False,
        generation_config=config,
    )
    for request, reply in zip(requests, replies, strict=True):
        re.search("|".join(map(re.escape, request.scale.labels)), reply[0]["generated_text"])
    return None


def decision_pipeline(engine: Any, requests: Requests, _: int) -> Readings:
    """transformers' decision pipeline, which puts its own prompt around state and question."""
    from transformers.decision import DecisionConfig

    asked = transformers.pipeline(
        "decision",
        model=engine._model,
        tokenizer=engine._tokenizer,
        decision_config=DecisionConfig(),
    )
    for request in requests:
        body, _, instruction = request.conversation[-1][1].rpartition("\n\n")
        question = {
            "type": "choice",
            "instructions": instruction,
            "criteria": dict.fromkeys(request.scale.labels, ""),
        }
        asked({"state": body, "questions": {"verdict": question}})
    return None


def lm_eval(engine: Any, requests: Requests, batch_size: int) -> Readings:
    """lm-evaluation-harness as it ships: a log-likelihood request per prompt and label."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    harness = HFLM(
        pretrained=engine._model,
        tokenizer=engine._tokenizer,
        batch_size=batch_size,
        device="cpu",
        max_length=8192,
    )
    asked = [
        Instance(request_type="loglikelihood", doc={}, arguments=(text, label), idx=0)
        for request, text in zip(requests, _texts(engine, requests), strict=True)
        for label in request.scale.labels
    ]
    found = harness.loglikelihood(asked, disable_tqdm=True)
    return _by_request(requests, [logprob for logprob, _ in found])


OURS, ROWS, HARNESS = "ours", "plain sorted forward", "lm-evaluation-harness"
PER_LABEL, PIPELINE, DECISION = "a pass per label", "text-generation pipeline", "pipeline(decision)"
METHODS: dict[str, Method] = {
    OURS: ours,
    ROWS: sorted_rows,
    HARNESS: lm_eval,
    PIPELINE: text_pipeline,
    DECISION: decision_pipeline,
    PER_LABEL: pass_per_label,
}
BATCHED = {ROWS, HARNESS, PIPELINE, PER_LABEL}


def missing(name: str) -> str | None:
    """Why the method cannot be measured here, or None."""
    if name == HARNESS and importlib.util.find_spec("lm_eval") is None:
        return "lm_eval is not installed"
    if name == DECISION and importlib.util.find_spec("transformers.decision") is None:
        return "this transformers has no pipeline('decision')"
    return None


def _texts(engine: Any, requests: Requests) -> list[str]:
    return [render(engine._tokenizer, request.conversation, request.lead) for request in requests]


def _normalised(results: Any) -> Readings:
    read = [normalise(result.logprobs) for result in results]
    return [found[0] for found in read if found is not None]


def _by_request(requests: Requests, logprobs: list[float]) -> Readings:
    values = iter(logprobs)
    readings = []
    for request in requests:
        mine = [next(values) for _ in request.scale.labels]
        weights = [math.exp(value - max(mine)) for value in mine]
        readings.append(tuple(weight / sum(weights) for weight in weights))
    return readings
