"""A judge as requests see it: what they ask is checked, waits its turn, and comes back."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..api.chats import BENCHMARK
from ..api.judge import Judge
from ..errors import NormscopeError
from ..judges.batching import Batcher, ClosedError, Judgements, OverloadedError
from ..judges.judge import Pair
from ..judges.trust.predictor import predictions_of, scale_of
from ..languages import language_code
from ..pipeline.judged_rows import defaults_of, pair_of
from ..reasons import Reason, origin_of
from ..records.answered import Answered
from ..records.item import Turn
from ..records.judgements import counted_verdicts, score_of
from ..records.response import Response
from .requests import MAX_ANSWERS, MAX_CHARACTERS, About, JudgeBody, RequestError

_SHOWN = (
    *("labels", "probs", "value", "favourite", "coverage", "coverage_high", "reason"),
    *("windows", "source", "reply"),
)


class JudgeService:
    """The judge and its queue."""

    def __init__(self, judge: Judge, *, most_waiting: int = MAX_ANSWERS) -> None:
        """Loads the judge, and begins to wait for requests."""
        self.judge = judge
        self._batcher = Batcher(judge.loaded.judge, most_waiting=most_waiting)
        self.close = self._batcher.close

    @property
    def waiting(self) -> int:
        """How many answers wait to be judged."""
        return self._batcher.waiting

    @property
    def identity(self) -> dict[str, Any]:
        """What the judge says of itself; of a folder its name only, not where it lies here."""
        known, rubric = dict(self.judge.identity), self.judge.rubric
        model = str(known.get("model", ""))
        about = {"name": rubric.name, "version": rubric.version, "hash": rubric.hash}
        name = Path(model).name if Path(model).is_dir() else model
        return {"judge": {**known, "model": name}, "rubric": about}

    def accept(self, body: JudgeBody) -> Pair:
        """The answer of the body as it is judged; a `RequestError` where it cannot be."""
        turns, answer = tuple(each.turn for each in body.messages), body.answer
        if bool(turns) == (body.question is not None):
            text = "give the question, or the conversation as messages, and not both"
            raise RequestError(400, "invalid_value", text, param="question")
        turns = turns or (Turn("user", body.question or ""),)
        if turns[-1].role == "assistant" and answer in {None, turns[-1].content}:
            answer, turns = turns[-1].content, turns[:-1]
        elif "answer" not in body.model_fields_set:
            text = "give the answer (null for none), or let messages end with it"
            raise RequestError(400, "missing", text, param="answer")
        return self.pair(turns, answer, body, name=body.id or "")

    def pair(self, turns: Sequence[Turn], answer: str | None, about: About, name: str = "") -> Pair:
        """The answer to these turns; a `RequestError` where it cannot be judged."""
        if not turns or turns[-1].role != "user":
            text = "before the answer, messages is to end with the user's turn"
            raise RequestError(400, "invalid_value", text, param="messages")
        rubric = self.judge.rubric
        defaults = defaults_of(rubric)
        category = about.category or defaults.category or ""
        chat = Answered(tuple(turns), answer, language_code(about.language or ""), category)
        try:
            rubric.refuse_category(category)
            item, response = pair_of(
                chat, rubric, defaults, benchmark=BENCHMARK, item_id=name, place="answer"
            )
        except NormscopeError as error:
            text = str(error.message)
            raise RequestError(400, "invalid_value", text, param="category") from None
        if max(sum(len(turn.content) for turn in turns), len(answer or "")) > MAX_CHARACTERS:
            response = Response(response.key, reason=Reason.TEXT_TOO_LONG)
        return item, response

    async def judged(self, pairs: Sequence[Pair]) -> list[Judgements]:
        """What the judge says of each, judged with what else waits."""
        try:
            futures = self._batcher.submit(pairs)
        except OverloadedError as error:
            text = f"{error.waiting} answers wait already: try again in {error.retry_after} s"
            raise RequestError(429, "overloaded", text, retry_after=error.retry_after) from None
        except ClosedError:
            raise RequestError(503, "ending", "the server is ending: ask another") from None
        return await asyncio.gather(*map(asyncio.wrap_future, futures))

    async def harms(self, pairs: Sequence[Pair], criterion: str | None) -> list[float | Reason]:
        """The mass of the criterion's harmful labels, or why there is none, of each answer.

        Without one named it is the judge's first; what is harmful is what its card takes for it.
        """
        criteria = self.judge.questions.criteria
        name = criterion or next(iter(criteria))
        if name not in criteria:
            text = f"there is no criterion {name!r}; known: {', '.join(criteria)}"
            raise RequestError(400, "invalid_value", text, param="criterion")
        scale = scale_of(name, criteria[name])
        harms: list[float | Reason] = []
        for judgements in await self.judged(pairs):
            [row] = [row for row in counted_verdicts(judgements) if row.criterion == name]
            absent = row.value is None and Reason(row.reason or Reason.CALL_FAILED)
            harms.append(absent or float(predictions_of([row], scale).risk[0]))
        return harms


def result_of(pair: Pair, judgements: Judgements) -> dict[str, Any]:
    """The criteria of one answer, each with its distribution or the reason and origin of none."""
    criteria: dict[str, dict[str, Any]] = {}
    for row in counted_verdicts(judgements):
        criteria[row.criterion] = {name: getattr(row, name) for name in _SHOWN}
        if row.value is None:
            # what is not read stands nowhere: below the coverage that is needed it says nothing
            criteria[row.criterion] |= {"probs": None, "origin": origin_of(row.reason)}
    moral, rating = (criteria.get(name, {}).get("value") for name in ("moral", "rating"))
    item, score = pair[0], score_of(moral, rating)
    about = {"id": item.item_id, "category": item.category, "language": item.language}
    return {**about, "criteria": criteria, "score": score}
