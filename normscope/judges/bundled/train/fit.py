"""The model and its training: next-token loss on the digit after each criterion's instruction only.

All criteria of a lesson are asked at once: see `layout.py` and `forward.py`.
"""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from ....extras import require
from .. import LANGUAGES, NOTE
from .encoding import CONTEXT, Encoded, batches, steps
from .learning import Learner
from .pooled import PooledLearner
from .wiring import HEAD, ready, reserved_places, wire


@dataclass(frozen=True, slots=True)
class Stage:
    """`tokens` of texts bound it, and set how the rate falls; a step has so many batches."""

    name: str
    tokens: int
    parts: int
    rate: float
    averaged: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """Sizes and rates; the last layer learns from means, then the whole model as it is read."""

    vocabulary: int = 32_000
    width: int = 192
    layers: int = 2
    feedforward: int = 256
    pooled: Stage = Stage("pooled", 40_000_000, 10, 3e-3, 0.995)
    whole: Stage = Stage("whole", 8_000_000, 2, 7e-4, 0.998)
    batch_tokens: int = 3000
    warmup: float = 0.03
    decay: float = 0.05
    dropout: float = 0.15
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
        num_attention_heads=recipe.width // HEAD,
        num_key_value_heads=recipe.width // HEAD,
        head_dim=HEAD,
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
    report: Callable[[dict[str, Any]], None],
) -> Any:
    """The model after both stages, its weights averaged over the last steps of each.

    `report` gets a row of the log every hundred steps, and one at the end of each stage.
    """
    rounds = map(next_round, count())
    ready(model)
    _descend(model, PooledLearner(tokenizer), rounds, recipe, recipe.pooled, report=report)
    wire(model, reserved_places(tokenizer))
    _descend(model, Learner(tokenizer), rounds, recipe, recipe.whole, report=report)
    return model.eval()


def _descend(
    model: Any,
    learn: Callable[[Any, list[list[Encoded]], float], float],
    rounds: Iterator[list[Encoded]],
    recipe: Recipe,
    stage: Stage,
    *,
    report: Callable[[dict[str, Any]], None],
) -> None:
    torch = require("torch", extra="judge")
    draw = random.Random(recipe.seed)  # noqa: S311 - texts, not secrets
    # weight decay is for matrices: the norms' gains belong near 1, not near 0
    decayed = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() == 1]
    groups = [
        {"params": decayed, "weight_decay": recipe.decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=stage.rate, betas=(0.9, 0.98), fused=True)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    averaged = [p.detach().clone() for p in model.parameters()]
    step, tokens = 0, 0
    losses: list[float] = []
    model.train()
    used = 0.0
    while used < 1:
        for some in steps(batches(next(rounds), recipe.batch_tokens, draw), stage.parts):
            used = tokens / stage.tokens
            if used >= 1:
                break
            for group in optimiser.param_groups:
                group["lr"] = stage.rate * _share(recipe, used)
            optimiser.zero_grad(set_to_none=False)
            loss = learn(model, some, recipe.dropout)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            losses.append(loss)
            step, tokens = step + 1, tokens + sum(len(e.ids) for batch in some for e in batch)
            # early steps are forgotten fast, or the average would hold the untrained weights
            keep = min(stage.averaged, (1 + step) / (10 + step))
            with torch.no_grad():
                torch._foreach_mul_(averaged, keep)
                torch._foreach_add_(averaged, list(model.parameters()), alpha=1 - keep)
            if step % 100 == 0:
                report(_row(step, tokens, stage, losses))
    if losses:
        report(_row(step, tokens, stage, losses))
    with torch.no_grad():
        for parameter, mean in zip(model.parameters(), averaged, strict=True):
            parameter.copy_(mean)


def _row(step: int, tokens: int, stage: Stage, losses: list[float]) -> dict[str, Any]:
    """A row of the log; the losses are taken from the list."""
    loss = sum(losses) / len(losses)
    losses.clear()
    used = round(tokens / stage.tokens, 4)
    return {"stage": stage.name, "step": step, "tokens": tokens, "used": used, "loss": loss}


def _share(recipe: Recipe, used: float) -> float:
    """Of the highest rate: it rises within the warm-up, and falls as a cosine to a fiftieth."""
    if used < recipe.warmup:
        return 0.05 + 0.95 * used / recipe.warmup
    rest = (used - recipe.warmup) / (1 - recipe.warmup)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, rest)))
