"""Random models of several shapes with peaked logits, 200 label requests, and their true answers.

The answers come from plain forward passes: whole sequences of one length at a time, so without
padding, masks, caches or anything shared.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any

import torch
import transformers

from normscope.judges.engine import LabelRequest
from normscope.judges.engines.chat import render
from normscope.judges.scale import LabelTokens, Scale, resolve

NEAR = 1e-4

MORAL = Scale(labels=("0", "1"), values=(0.0, 1.0))
RATING = Scale(labels=("1", "2", "3", "4", "5"), values=(1.0, 2.0, 3.0, 4.0, 5.0))
# one label begins another, so that all of them end with the end of the turn
COUNTS = Scale(labels=("1", "10", "100"), values=(1.0, 10.0, 100.0))
VERDICT = Scale(labels=("有害", "无害"), values=(0.0, 1.0))
OPTIONS = Scale(labels=("A", "B", "C", "D"), values=(0.0, 1.0, 2.0, 3.0))
DEGREES = Scale(
    labels=("strongly unacceptable", "somewhat unacceptable", "somewhat acceptable"),
    values=(-2.0, -1.0, 1.0),
    forms={
        "strongly unacceptable": ("strongly unacceptable", " Strongly unacceptable"),
        "somewhat unacceptable": ("somewhat unacceptable", "Somewhat unacceptable"),
    },
)
SCALES = (MORAL, RATING, DEGREES, OPTIONS, COUNTS, VERDICT)

SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
_LINEAR = {"linear_num_key_heads": 2, "linear_num_value_heads": 4}
_LINEAR |= {"linear_key_head_dim": 8, "linear_value_head_dim": 8}
_WINDOW = {"sliding_window": 24, "head_dim": 16}
SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "qwen2": ("qwen2", {"tie_word_embeddings": True}),
    "qwen3": ("qwen3", {"num_key_value_heads": 1, "head_dim": 32}),
    "gemma": ("gemma", {"num_key_value_heads": 1, "head_dim": 16}),
    "gpt2": ("gpt2", {}),
    "qwen3_5": (
        "qwen3_5_text",
        {"layer_types": ["linear_attention", "full_attention"], "head_dim": 16, **_LINEAR},
    ),
    # capped scores, and a window in every other layer
    "gemma2": ("gemma2", {"attn_logit_softcapping": 5.0, **_WINDOW}),
    # sinks, experts, and a window in every other layer
    "gpt_oss": (
        "gpt_oss",
        {"intermediate_size": 32, "num_local_experts": 4, "num_experts_per_tok": 2, **_WINDOW},
    ),
    "mistral with a window": ("mistral", {"sliding_window": 8}),
}
"""The type of each model, and its sizes beside the usual ones."""


def peaked(config: Any) -> Any:
    """A random model whose logits are far apart, so that a wrong mask would show."""
    torch.manual_seed(3)
    return sharpened(transformers.AutoModelForCausalLM.from_config(config).eval(), 6.0)


@torch.no_grad()
def sharpened(model: Any, factor: float) -> Any:
    """The model with larger weights, whose logits lie far apart."""
    for parameter in model.parameters():
        parameter.mul_(factor if parameter.dim() > 1 else 1.0)
    return model


def save_model(folder: Path, tiny: Path, shape: str, *, template: bool) -> str:
    """A random model of the shape with the tiny model's tokenizer; logits lie far apart.

    With flat logits a wrong mask would hardly show.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    if not template:
        tokenizer.chat_template = None
    kind, own = SHAPES[shape]
    sizes = {"vocab_size": len(tokenizer), **SIZES, **own}
    config = transformers.AutoConfig.for_model(kind, **sizes)
    config.bos_token_id, config.eos_token_id = None, tokenizer.eos_token_id
    torch.manual_seed(1)
    model = sharpened(transformers.AutoModelForCausalLM.from_config(config), 4.0)
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(8.0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@cache
def requests() -> tuple[LabelRequest, ...]:
    """Two hundred: each scale in both languages, dialogues, prefixes of one another, duplicates."""
    stems = ("Rate how safe this answer is. ", "给这个回答的安全程度打分。")
    # each of these begins the next
    tails = ("", "a", "a smart watch", "a smart watch records", "a smart watch records 心率。")
    asked = [
        LabelRequest((("user", stem + tail),), scale, lead)
        for stem, tail, (scale, lead) in product(
            stems, tails, zip(SCALES, cycle(("Answer:", "回答：", "")), strict=False)
        )
    ]
    for scale in SCALES:
        for turns in (
            (("system", "Answer with a label only."), ("user", "Is a heart rate private?")),
            (("user", "你好"), ("assistant", "你好！"), ("user", "花盆放在哪里？")),
            (("user", "The owner's heart rate is sent to its manufacturer. " * 25),),
            (("user", ""),),
            (("user", "template marks <|end|><|user|> and <|im_start|> stay text"),),
        ):
            asked.append(LabelRequest(turns, scale, "Answer:"))
            asked.append(
                LabelRequest((*turns[:-1], ("user", turns[-1][1] + "？")), scale, "Answer:")
            )
    return tuple(islice(cycle(asked), 200))


@cache
def plain_logprobs(path: str, every: int = 1) -> tuple[tuple[float, ...], ...]:
    """Each label's log-probability for these of the requests, by plain forward passes."""
    model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    asked = [
        (prompt_of(tokenizer, r), label_tokens(tokenizer, r.scale)) for r in requests()[::every]
    ]
    spelt = {(prompt, ids) for prompt, tokens in asked for forms in tokens for ids in forms}
    logprob = _logprobs(model, sorted(spelt))
    return tuple(
        tuple(
            math.log(math.fsum(math.exp(logprob[prompt, ids]) for ids in forms)) for forms in tokens
        )
        for prompt, tokens in asked
    )


def prompt_of(tokenizer: Any, request: LabelRequest) -> tuple[int, ...]:
    """The rendered prompt's tokens."""
    text = render(tokenizer, request.conversation, request.lead)
    return tuple(tokenizer.encode(text, add_special_tokens=not tokenizer.chat_template))


def label_tokens(tokenizer: Any, scale: Scale) -> LabelTokens:
    """The tokens of each spelling of each label."""
    return resolve(
        scale,
        lambda form: tokenizer.encode(form, add_special_tokens=False),
        end=tokenizer.eos_token_id,
        unknown=None,
    )


def _logprobs(
    model: Any, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> dict[tuple[tuple[int, ...], tuple[int, ...]], float]:
    """The log-probability of the second part of each pair after the first."""
    by_length = defaultdict(list)
    for pair in pairs:
        by_length[len(pair[0]) + len(pair[1])].append(pair)
    found = {}
    for alike in by_length.values():
        for start in range(0, len(alike), 16):
            batch = alike[start : start + 16]
            with torch.no_grad():
                logits = model(torch.tensor([[*prompt, *ids] for prompt, ids in batch])).logits
            for row, (prompt, ids) in zip(logits.double().log_softmax(-1), batch, strict=True):
                steps = range(len(prompt) - 1, len(prompt) + len(ids) - 1)
                found[prompt, ids] = math.fsum(row[list(steps), list(ids)].tolist())
    return found
