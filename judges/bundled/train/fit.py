"""The model and its training: next-token loss on the digit after each criterion's instruction only.

All criteria of a lesson are asked at once: see `layout.py` and `forward.py`.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....extras import require
from .. import LANGUAGES, NOTE
from .encoding import CONTEXT, Encoded, batches, steps
from .layout import learn
from .vocabulary import said_tokens


@dataclass(frozen=True, slots=True)
class Recipe:
    """Sizes and rates; `tokens` of conversations bound the training, and set the falling rate."""

    vocabulary: int = 32_000
    width: int = 192
    layers: int = 2
    feedforward: int = 256
    tokens: int = 16_000_000
    batch_tokens: int = 3000
    parts: int = 2
    rate: float = 1.5e-3
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
) -> Any:
    """The model after training, its weights averaged over the last steps.

    `report` gets a row of the log every hundred steps, and one at the end.
    """
    torch = require("torch", extra="judge")
    draw = random.Random(recipe.seed)  # noqa: S311 - texts, not secrets
    said = said_tokens(tokenizer)
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
    step, tokens, turn = 0, 0, 0
    losses: list[float] = []
    model.train()
    used = 0.0
    while used < 1:
        lessons = next_round(turn)
        turn += 1
        for some in steps(batches(lessons, recipe.batch_tokens, draw), recipe.parts):
            used = tokens / recipe.tokens
            if used >= 1:
                break
            for group in optimiser.param_groups:
                group["lr"] = _rate(recipe, used)
            optimiser.zero_grad(set_to_none=False)
            asks = sum(len(lesson.asks) for batch in some for lesson in batch)
            loss = sum(learn(model, batch, said, recipe.dropout, asks) for batch in some)
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
                report(_row(step, tokens, turn, recipe, losses))
    if losses:
        report(_row(step, tokens, turn, recipe, losses))
    return _with_weights(model, averaged)


def _row(
    step: int, tokens: int, turn: int, recipe: Recipe, losses: list[float]
) -> dict[str, float]:
    """A row of the log; the losses are taken from the list."""
    loss = sum(losses) / len(losses)
    losses.clear()
    used = round(tokens / recipe.tokens, 4)
    return {"step": step, "tokens": tokens, "round": turn, "used": used, "loss": loss}


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
