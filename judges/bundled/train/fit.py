"""The model and its training: next-token loss on the digit after each criterion's instruction only.

All criteria of a lesson are asked at once: see `layout.py` and `forward.py`. After training one
temperature for all criteria is found on validation and worked into the weights.
"""

import copy
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from ....extras import require
from .. import LANGUAGES, NOTE
from .encoding import CONTEXT, Encoded, batches, steps
from .layout import learn
from .reading import read
from .sample import Sample


@dataclass(frozen=True, slots=True)
class Recipe:
    """Sizes and rates.

    `minutes` of processor time bound the training, and the rate falls with those that are used, so
    that a busy machine trains no less, only longer.
    """

    vocabulary: int = 24_000
    width: int = 192
    layers: int = 2
    feedforward: int = 384
    minutes: float = 42.0
    passes: int = 2
    batch_tokens: int = 1500
    parts: int = 2
    rate: float = 1e-3
    warmup: float = 0.03
    decay: float = 0.05
    dropout: float = 0.15
    averaged: float = 0.998
    seed: int = 0


def new_model(recipe: Recipe, tokenizer: Any) -> Any:
    """An untrained Llama of the recipe's size, the same for the same seed."""
    torch, transformers = require("torch", extra="judge"), require("transformers", extra="judge")
    torch.manual_seed(recipe.seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=recipe.width,
        intermediate_size=recipe.feedforward,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.width // 64,
        num_key_value_heads=recipe.width // 64,
        head_dim=64,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        normscope_note=NOTE,
        normscope_languages=list(LANGUAGES),
    )
    return transformers.LlamaForCausalLM(config)


def train(
    model: Any,
    tokenizer: Any,
    next_round: Callable[[int], list[Encoded]],
    recipe: Recipe,
    *,
    report: Callable[[dict[str, float]], None],
    snapshot: Callable[[Any], None] | None = None,
) -> Any:
    """The model after training, its weights averaged over the last steps.

    `report` gets a row of the log every hundred steps, `snapshot` the model after every round, so
    that a training that is broken off leaves one.
    """
    torch = require("torch", extra="judge")
    draw = random.Random(recipe.seed)  # noqa: S311 - texts, not secrets
    digits = [tokenizer.convert_tokens_to_ids(str(n)) for n in range(6)]
    # weight decay is for matrices: the norms' gains belong near 1, not near 0
    decayed = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() == 1]
    groups = [
        {"params": decayed, "weight_decay": recipe.decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.98), fused=True)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    averaged = [p.detach().clone() for p in model.parameters()]
    begun, step, tokens, turn = time.process_time(), 0, 0, 0
    losses: list[float] = []
    model.train()
    used = 0.0
    while used < 1:
        lessons = next_round(turn)
        turn += 1
        for some in steps(batches(lessons, recipe.batch_tokens, draw), recipe.parts):
            used = (time.process_time() - begun) / 60 / recipe.minutes
            if used >= 1:
                break
            for group in optimiser.param_groups:
                group["lr"] = _rate(recipe, used)
            optimiser.zero_grad(set_to_none=False)
            asks = sum(len(lesson.asks) for batch in some for lesson in batch)
            loss = sum(learn(model, batch, digits, recipe.dropout, asks) for batch in some)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            losses.append(loss)
            step, tokens = step + 1, tokens + sum(len(e.ids) for batch in some for e in batch)
            # early steps are forgotten fast, or the average would hold the untrained weights
            keep = min(recipe.averaged, (1 + step) / (10 + step))
            with torch.no_grad():
                torch._foreach_mul_(averaged, keep)
                torch._foreach_add_(averaged, list(model.parameters()), alpha=1 - keep)
            if step % 100 == 0:
                row = {"step": step, "tokens": tokens, "round": turn, "used": round(used, 4)}
                report({**row, "loss": sum(losses) / len(losses)})
                losses.clear()
        if snapshot is not None:
            snapshot(_with_weights(copy.deepcopy(model), averaged))
    return _with_weights(model, averaged)


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

    result = minimize_scalar(loss, bounds=(np.log(0.3), np.log(5.0)), method="bounded")
    return float(np.exp(result.x))


def apply_temperature(model: Any, temperature: float) -> None:
    """Divides the last norm's weight by T, and so every logit."""
    torch = require("torch", extra="judge")
    with torch.no_grad():
        model.model.norm.weight.div_(temperature)


def _with_weights(model: Any, weights: list[Any]) -> Any:
    torch = require("torch", extra="judge")
    with torch.no_grad():
        for parameter, mean in zip(model.parameters(), weights, strict=True):
            parameter.copy_(mean)
    return model.eval()


def _rate(recipe: Recipe, used: float) -> float:
    if used < recipe.warmup:
        return recipe.rate * (0.05 + 0.95 * used / recipe.warmup)
    rest = (used - recipe.warmup) / (1 - recipe.warmup)
    return recipe.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, rest))))
