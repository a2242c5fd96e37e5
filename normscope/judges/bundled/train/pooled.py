"""The first of two stages: the last layer learns from means of an answer's and a question's tokens.

It is what the whole model gives once its heads are set (`wiring.py`), at a fraction of the cost:
the rows of the vocabulary have seen much text by the time that the order of words is learnt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....extras import require
from .encoding import Encoded
from .layout import goal_of, kept_places
from .learning import UsedRows
from .vocabulary import mark_tokens, marks, said_tokens
from .wiring import HEAD, embed, in_answer, reserved_places


@dataclass(frozen=True, slots=True)
class Bags:
    """A batch as two bags of tokens a text, one text's behind the other's, and what is asked.

    `rows` says of each asking token which text it asks about.
    """

    questions: Any
    question_sizes: Any
    answers: Any
    answer_sizes: Any
    asks: Any
    rows: Any
    goals: Any


def lay_out_bags(
    batch: Sequence[Encoded], opening: int, said: int, *, dropout: float = 0.0, fixed: Any = None
) -> Bags:
    """The bags; an answer begins with the last `opening`, and its mark belongs to it."""
    torch = require("torch", extra="judge")
    questions, answers, asks, rows, goals = [], [], [], [], []
    for row, lesson in enumerate(batch):
        ids = torch.tensor(lesson.ids)
        ids = ids[kept_places(ids, dropout, fixed)]
        begin = int((ids == opening).nonzero()[-1])
        questions.append(ids[:begin])
        answers.append(ids[begin:])
        for token, criterion, target in lesson.asks:
            asks.append(token)
            rows.append(row)
            goals.append(goal_of(criterion, target, said))
    return Bags(
        torch.cat(questions),
        torch.tensor([len(ids) for ids in questions]),
        torch.cat(answers),
        torch.tensor([len(ids) for ids in answers]),
        torch.tensor(asks),
        torch.tensor(rows),
        torch.tensor(goals),
    )


def pooled_states(model: Any, bags: Bags, table: Any, at: Any) -> Any:
    """The hidden state at every asking token, after the norm, where attention is even.

    `at` has the rows of `table` for the questions, the answers and the asks, one behind the other.
    """
    torch = require("torch", extra="judge")
    bag = torch.nn.functional.embedding_bag
    layer, within = model.model.layers[-1], in_answer(table)
    questions, answers, asks = at.split([len(bags.questions), len(bags.answers), len(bags.asks)])
    normed = layer.input_layernorm(within)
    question = bag(
        questions, layer.input_layernorm(table), _starts(bags.question_sizes), mode="mean"
    )
    answer = bag(answers, normed, _starts(bags.answer_sizes), mode="sum")
    # the asking token sees itself beside the answer's
    seen = answer[bags.rows] + normed[asks]
    answer = seen / (bags.answer_sizes[bags.rows] + 1)[:, None]
    of_answer, of_question = layer.self_attn.v_proj.weight.split([len(table[0]) - HEAD, HEAD])
    read = torch.cat([answer @ of_answer.T, question[bags.rows] @ of_question.T], 1)
    hidden = within[asks] + layer.self_attn.o_proj(read)
    hidden = hidden + layer.mlp(layer.post_attention_layernorm(hidden))
    return model.model.norm(hidden)


class PooledLearner:
    """Learns from means; called as `learning.Learner` is."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` says which tokens are marks and labels."""
        self._reserved = reserved_places(tokenizer)
        self._said = said_tokens(tokenizer)
        self._opening = tokenizer.convert_tokens_to_ids(marks().opens["answer"])
        self._fixed = mark_tokens(tokenizer)

    def __call__(self, model: Any, some: Sequence[Sequence[Encoded]], dropout: float) -> float:
        """The mean divergence from the goals; its gradient is added to the parameters'."""
        torch = require("torch", extra="judge")
        lessons = [lesson for batch in some for lesson in batch]
        bags = lay_out_bags(
            lessons, self._opening, len(self._said), dropout=dropout, fixed=self._fixed
        )
        ids = torch.cat([bags.questions, bags.answers, bags.asks])
        rows = UsedRows(model.lm_head.weight, ids, self._said)
        table = embed(rows.table, self._reserved[rows.used])
        hidden = pooled_states(model, bags, table, rows.at)
        return rows.descend(hidden, table, bags.goals, len(bags.asks))


def _starts(sizes: Any) -> Any:
    return sizes.cumsum(0) - sizes
