"""The model and its training: next-token loss on the digit after each head's instruction only.

All heads of a lesson are asked at once: the instruction tokens stand behind the conversation, each
sees it and itself, at the same position, as the engine's prefix tree lays them out.
"""

import copy
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ....extras import require
from .. import LANGUAGES, NOTE
from .lessons import Lesson
from .prompt import marks

CONTEXT = 2048


@dataclass(frozen=True, slots=True)
class Recipe:
    """Sizes and rates. `minutes` bounds the training; the rate falls with the time that is used."""

    vocabulary: int = 12_000
    width: int = 192
    layers: int = 2
    feedforward: int = 384
    minutes: float = 31.0
    batch_tokens: int = 2500
    rate: float = 2e-3
    warmup: float = 0.03
    decay: float = 0.05
    dropout: float = 0.25
    averaged: float = 0.998
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Encoded:
    """A lesson as token ids: the conversation, and the asking token with its target per head."""

    ids: tuple[int, ...]
    asks: tuple[tuple[int, str, tuple[float, ...]], ...]


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


class Encoder:
    """Lessons to token ids, piece by piece as the tokenizer cuts the rendered prompt."""

    def __init__(self, tokenizer: Any, seed: int, *, backwards: float = 0.1) -> None:
        """That share of the lessons is asked with the labels listed backwards."""
        self._tokenizer, self._draw = tokenizer, random.Random(seed)  # noqa: S311 - no secrets
        self._backwards = backwards
        self._marks = marks()
        self._id = {m: tokenizer.convert_tokens_to_ids(m) for m in self._marks.all()}

    def encode(self, lessons: Sequence[Lesson]) -> list[Encoded]:
        """Each lesson's ids."""
        found = []
        texts = [self._text(lesson) for lesson in lessons]
        rows = self._tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        for lesson, row in zip(lessons, rows, strict=True):
            backwards = self._draw.random() < self._backwards
            asks = tuple(
                (self._id[self._marks.asks[head, lesson.language, backwards]], head, target)
                for head, target in lesson.targets.items()
            )
            found.append(Encoded(tuple(row), asks))
        return found

    def _text(self, lesson: Lesson) -> str:
        """The rendered prompt up to the answer's closing mark, which begins the asking token."""
        clean = str.maketrans("⟦⟧", "[]")
        parts = [
            f"{self._marks.opens[role]}\n{text.translate(clean)}\n{self._marks.closes[role]}\n"
            for role, text in lesson.turns
        ]
        return "".join(parts) + f"{self._marks.opens['answer']}\n{lesson.answer.translate(clean)}\n"


def batches(lessons: Sequence[Encoded], size: int, draw: random.Random) -> Iterator[list[Encoded]]:
    """Batches of about so many tokens, of lessons of like length, in a drawn order."""
    fitting = [lesson for lesson in lessons if len(lesson.ids) < CONTEXT // 2]
    order = sorted(fitting, key=lambda e: len(e.ids) + draw.random() * 12)
    made: list[list[Encoded]] = [[]]
    for lesson in order:
        if made[-1] and (len(made[-1]) + 1) * (len(lesson.ids) + 3) > size:
            made.append([])
        made[-1].append(lesson)
    draw.shuffle(made)
    yield from made


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
    decayed = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() == 1]
    groups = [
        {"params": decayed, "weight_decay": recipe.decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.98), fused=True)
    averaged = [p.detach().clone() for p in model.parameters()]
    begun, step, seen, turn = time.monotonic(), 0, 0, 0
    losses: list[float] = []
    model.train()
    used = 0.0
    while used < 1:
        lessons = next_round(turn)
        turn += 1
        for batch in batches(lessons, recipe.batch_tokens, draw):
            used = (time.monotonic() - begun) / 60 / recipe.minutes
            if used >= 1:
                break
            for group in optimiser.param_groups:
                group["lr"] = _rate(recipe, used)
            loss, tokens = _loss(model, batch, digits, tokenizer.pad_token_id, recipe.dropout)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            losses.append(float(loss.detach()))
            step, seen = step + 1, seen + tokens
            keep = min(recipe.averaged, (1 + step) / (10 + step))
            with torch.no_grad():
                torch._foreach_mul_(averaged, keep)
                torch._foreach_add_(averaged, list(model.parameters()), alpha=1 - keep)
            if step % 100 == 0:
                row = {"step": step, "tokens": seen, "round": turn, "used": round(used, 4)}
                report({**row, "loss": sum(losses) / len(losses)})
                losses.clear()
        if snapshot is not None:
            snapshot(_with_weights(copy.deepcopy(model), averaged))
    return _with_weights(model, averaged)


def _with_weights(model: Any, weights: list[Any]) -> Any:
    torch = require("torch", extra="judge")
    with torch.no_grad():
        for parameter, mean in zip(model.parameters(), weights, strict=True):
            parameter.copy_(mean)
    return model.eval()


def settings(recipe: Recipe) -> dict[str, Any]:
    """The recipe as plain values, for the log."""
    return asdict(recipe)


def _rate(recipe: Recipe, used: float) -> float:
    if used < recipe.warmup:
        return recipe.rate * (0.05 + 0.95 * used / recipe.warmup)
    rest = (used - recipe.warmup) / (1 - recipe.warmup)
    return recipe.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, rest))))


@dataclass(frozen=True, slots=True)
class Inputs:
    """A batch as the model takes it, and where which head is to be read against which goal."""

    ids: Any
    mask: Any
    places: Any
    rows: list[int]
    columns: list[int]
    heads: list[str]
    goals: list[list[float]]


def lay_out(batch: Sequence[Encoded], digits: int, pad: int, *, dropout: float = 0.0) -> Inputs:
    """The conversations with the asking tokens behind them, each of which sees only itself beside.

    With dropout, up to that share of a conversation's tokens is hidden, so that no single word
    decides; how much is drawn for each conversation.
    """
    torch = require("torch", extra="judge")
    context = max(len(e.ids) for e in batch)
    asked = max(len(e.asks) for e in batch)
    width = context + asked
    ids = torch.full((len(batch), width), pad)
    places = torch.arange(width).expand(len(batch), width).clone()
    seen = torch.zeros(len(batch), width, dtype=torch.bool)
    made = Inputs(ids, None, places, [], [], [], [])
    for row, lesson in enumerate(batch):
        length = len(lesson.ids)
        ids[row, :length] = torch.tensor(lesson.ids)
        seen[row, :length] = True
        places[row, context:] = length
        for n, (token, head, target) in enumerate(lesson.asks):
            ids[row, context + n] = token
            made.rows.append(row)
            made.columns.append(context + n)
            made.heads.append(head)
            shift = 1 if head == "rating" else 0
            goal = [0.0] * digits
            goal[shift : shift + len(target)] = target
            made.goals.append(goal)
    if dropout:
        seen[:, :context] &= torch.rand(len(batch), context) > dropout * torch.rand(len(batch), 1)
    itself = torch.eye(width, dtype=torch.bool)
    causal = torch.ones(width, width, dtype=torch.bool).tril()
    causal[context:, context:] = itself[context:, context:]
    mask = ((causal & seen[:, None, :]) | itself)[:, None]
    return Inputs(ids, mask, places, made.rows, made.columns, made.heads, made.goals)


def _loss(
    model: Any, batch: list[Encoded], digits: list[int], pad: int, dropout: float
) -> tuple[Any, int]:
    torch = require("torch", extra="judge")
    inputs = lay_out(batch, len(digits), pad, dropout=dropout)
    hidden = model.model(
        input_ids=inputs.ids, attention_mask=inputs.mask, position_ids=inputs.places
    ).last_hidden_state
    logits = model.lm_head(hidden[inputs.rows, inputs.columns])
    logs = torch.log_softmax(logits.float(), -1)[:, digits]
    goal = torch.tensor(inputs.goals)
    entropy = -(goal * goal.clamp_min(1e-9).log()).sum(-1)
    return (-(goal * logs).sum(-1) - entropy).mean(), sum(len(e.ids) for e in batch)
