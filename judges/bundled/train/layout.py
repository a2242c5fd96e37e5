"""A batch as the forward pass takes it, and what a training step learns from one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....extras import require
from .encoding import Encoded
from .forward import states_at_asks

OTHERS = 512
"""How many tokens beside the digits a step looks at, for those that must not be said."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """A batch, and which criterion is read where against which goal.

    `ids` has the padded conversations and then the asking tokens, `places` and `lengths` are those
    of the conversations.
    """

    ids: Any
    places: Any
    lengths: Any
    rows: list[int]
    columns: list[int]
    criteria: list[str]
    goals: list[list[float]]


def lay_out(batch: Sequence[Encoded], said: int, *, dropout: float = 0.0) -> Inputs:
    """The conversations padded on the right, and the asking tokens of each.

    A goal has `said` shares: of the digits 0 to 5, and last of what stands for no label.

    With dropout, up to that share of a conversation's tokens is taken out, so that no single word
    decides; how much is drawn for each conversation. The others keep their positions.
    """
    torch = require("torch", extra="judge")
    width = max(len(e.ids) for e in batch)
    asks = max(len(e.asks) for e in batch)
    ids = torch.zeros(len(batch), width + asks, dtype=torch.long)
    places = torch.arange(width).expand(len(batch), width).clone()
    result = Inputs(ids, places, torch.zeros(len(batch), dtype=torch.long), [], [], [], [])
    for row, lesson in enumerate(batch):
        length = len(lesson.ids)
        kept = torch.arange(length)
        if dropout:
            kept = kept[torch.rand(length) >= dropout * torch.rand(1)]
        result.lengths[row] = len(kept)
        ids[row, : len(kept)] = torch.tensor(lesson.ids)[kept]
        places[row, : len(kept)] = kept
        for n, (token, criterion, target) in enumerate(lesson.asks):
            ids[row, width + n] = token
            result.rows.append(row)
            result.columns.append(n)
            result.criteria.append(criterion)
            # the digits are 0 to 5, and ratings begin at 1
            shift = 1 if criterion == "rating" else 0
            goal = [0.0] * said
            goal[shift : shift + len(target)] = target
            goal[-1] += not target
            result.goals.append(goal)
    return result


def states(model: Any, inputs: Inputs, embedded: Any = None) -> Any:
    """The hidden state at every asked criterion, in the order of `inputs.criteria`."""
    if embedded is None:
        embedded = model.model.embed_tokens(inputs.ids)
    result = states_at_asks(model, embedded, inputs.places, inputs.lengths)
    return result[inputs.rows, inputs.columns]


def learn(model: Any, batch: list[Encoded], said: list[int], dropout: float, asks: int) -> float:
    """The divergence from the goals, over `asks`; its gradient is added to the parameters'.

    `said` are the tokens that a goal has shares of.

    Only the rows of the embedding that are used take part: a gradient of all of them, made anew at
    each step, took a quarter of the time.
    """
    torch = require("torch", extra="judge")
    inputs = lay_out(batch, len(said), dropout=dropout)
    weight = model.lm_head.weight
    candidates = torch.cat([torch.tensor(said), torch.randint(len(weight), (OTHERS,))])
    used, at = torch.unique(torch.cat([inputs.ids.flatten(), candidates]), return_inverse=True)
    table = weight.detach()[used].requires_grad_()
    embedded = torch.nn.functional.embedding(at[: -len(candidates)].view_as(inputs.ids), table)
    logits = states(model, inputs, embedded) @ table[at[-len(candidates) :]].T
    # each token drawn stands for as many of the vocabulary as were not drawn
    wide = torch.cat([torch.zeros(len(said)), torch.full((OTHERS,), len(weight) / OTHERS).log()])
    logs = torch.log_softmax(logits + wide, -1)[:, : len(said)]
    goal = torch.tensor(inputs.goals)
    loss = (goal * (goal.clamp_min(1e-9).log() - logs)).sum() / asks
    loss.backward()
    weight.grad.index_add_(0, used, table.grad)
    return float(loss.detach())
