"""A batch as the forward pass takes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....extras import require
from .encoding import Encoded
from .forward import states_at_asks


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


def lay_out(
    batch: Sequence[Encoded], said: int, *, dropout: float = 0.0, fixed: Any = None
) -> Inputs:
    """The conversations padded on the right, and the asking tokens of each.

    With dropout, tokens are taken out as `kept_places` says. The others keep their positions.
    """
    torch = require("torch", extra="judge")
    width = max(len(e.ids) for e in batch)
    asks = max(len(e.asks) for e in batch)
    ids = torch.zeros(len(batch), width + asks, dtype=torch.long)
    places = torch.arange(width).expand(len(batch), width).clone()
    result = Inputs(ids, places, torch.zeros(len(batch), dtype=torch.long), [], [], [], [])
    for row, lesson in enumerate(batch):
        own = torch.tensor(lesson.ids)
        kept = kept_places(own, dropout, fixed)
        result.lengths[row] = len(kept)
        ids[row, : len(kept)] = own[kept]
        places[row, : len(kept)] = kept
        for n, (token, criterion, target) in enumerate(lesson.asks):
            ids[row, width + n] = token
            result.rows.append(row)
            result.columns.append(n)
            result.criteria.append(criterion)
            result.goals.append(goal_of(criterion, target, said))
    return result


def kept_places(ids: Any, dropout: float, fixed: Any) -> Any:
    """Where the tokens stand that are left when up to that share is taken out.

    So no single word decides. How many are, is drawn for each text, but never a token of `fixed`.
    """
    torch = require("torch", extra="judge")
    places = torch.arange(len(ids))
    if not dropout:
        return places
    kept = torch.rand(len(ids)) >= dropout * torch.rand(1)
    return places[kept | torch.isin(ids, fixed)]


def goal_of(criterion: str, target: Sequence[float], said: int) -> list[float]:
    """`said` shares: of the digits 0 to 5, and last of what stands for no label.

    >>> goal_of("rating", (0.1, 0.2, 0.4, 0.2, 0.1), 7)
    [0.0, 0.1, 0.2, 0.4, 0.2, 0.1, 0.0]
    >>> goal_of("moral", (), 7)
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    # ratings begin at 1
    shift = 1 if criterion == "rating" else 0
    goal = [0.0] * said
    goal[shift : shift + len(target)] = target
    goal[-1] += not target
    return goal


def states(model: Any, inputs: Inputs, embedded: Any = None) -> Any:
    """The hidden state at every asked criterion, in the order of `inputs.criteria`."""
    if embedded is None:
        embedded = model.model.embed_tokens(inputs.ids)
    result = states_at_asks(model, embedded, inputs.places, inputs.lengths)
    return result[inputs.rows, inputs.columns]
