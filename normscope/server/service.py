"""A judge as requests see it: what they ask is checked, waits its turn, and comes back."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..api.judge import Judge
from ..errors import NormscopeError
from ..judges.batching import BATCH, Batcher, ClosedError, Judgements, OverloadedError
from ..judges.judge import Pair, Questions
from ..judges.trust.cards import cards_at_hand
from ..languages import language_code
from ..pipeline.judged_rows import defaults_of, pair_of
from ..reasons import Reason
from ..records.answered import Answered
from ..records.item import Turn
from ..records.judgement import Judgement
from ..records.response import Response
from . import limits
from .bodies import JudgeBody
from .cards import CardInShort, Cards
from .errors import RequestError
from .harm import Verdict, verdict_of
from .results import AnswerResult, answer_result

Gone = Callable[[], Awaitable[None]]
"""Returns when the client has gone away."""


class ClientGoneError(Exception):
    """Nobody waits for the result any more."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer that can be judged; `assumed` names what its request did not say."""

    pair: Pair
    assumed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgedRequest:
    """What came out of it."""

    accepted: Accepted
    judgements: Judgements

    @property
    def result(self) -> AnswerResult:
        """As a client gets it."""
        item, _ = self.accepted.pair
        return answer_result(item, self.judgements, assumed=self.accepted.assumed)


class JudgeService:
    """The judge, its queue and its cards."""

    def __init__(
        self, judge: Judge, *, most_waiting: int = limits.MAX_WAITING, batch: int = BATCH
    ) -> None:
        """Begins to wait for requests; the judge is loaded by the first, unless it is already.

        Up to `batch` answers are judged together.
        """
        self.judge = judge
        self.most = min(limits.MAX_ANSWERS, most_waiting)
        self._defaults = defaults_of(judge.rubric)
        self._questions: dict[str, Questions] = {}
        self._batcher = Batcher(self._judge_unit, most_waiting=most_waiting, batch=batch)
        self._cards = Cards(judge, cards_at_hand().cards)

    @property
    def identity(self) -> dict[str, Any]:
        """What the judge says of itself; of a folder its name only, not where it lies here."""
        known = dict(self.judge.identity)
        model = str(known.get("model", ""))
        return {**known, "model": Path(model).name if Path(model).is_dir() else model}

    @property
    def waiting(self) -> int:
        """How many answers wait to be judged."""
        return self._batcher.waiting

    def close(self) -> None:
        """Takes nothing new, and returns when all that was accepted is judged."""
        self._batcher.close()

    def refuse_number(self, count: int) -> None:
        """A `RequestError` where no request may have so many answers, before any is looked at."""
        if count > self.most:
            text = f"{count} answers are more than the {self.most} of one request: send less"
            raise RequestError(413, "too_many_answers", text)

    def accept(self, body: JudgeBody, place: str = "") -> Accepted:
        """The answer of a request for a judgement; a `RequestError` where it cannot be judged."""
        turns = tuple(each.turn for each in body.messages)
        with refused(place):
            if turns and body.question is not None:
                raise RequestError(400, "invalid_value", "give question or messages, not both")
            if turns and turns[-1].role == "assistant":
                if body.answer not in {None, turns[-1].content}:
                    raise RequestError(400, "invalid_value", "messages ends with another answer")
                return self.accepted(body, turns[:-1], turns[-1].content)
            if not turns and body.question is None:
                raise RequestError(
                    400, "missing", "give the question, or the conversation as messages"
                )
            if "answer" not in body.model_fields_set:
                text = (
                    "give the answer (null for none), or let messages end with the assistant's turn"
                )
                raise RequestError(400, "missing", text)
            question = turns or (Turn("user", body.question or ""),)
            return self.accepted(body, question, body.answer)

    def accepted(self, body: JudgeBody, messages: tuple[Turn, ...], answer: str | None) -> Accepted:
        """The answer with the category, language and criteria of the body."""
        if not messages or messages[-1].role != "user":
            text = "before the answer, messages is to end with the user's turn"
            raise RequestError(400, "invalid_value", text, param="messages")
        language = language_code(body.language or "")
        rubric = self.judge.rubric
        if rubric.categories and not (body.category or self._defaults.category):
            text = f"name a category; known: {', '.join(rubric.categories)}"
            raise RequestError(400, "missing", text, param="category")
        with refused("category"):
            # before a pair is made: its errors speak of files
            rubric.refuse_category(body.category or self._defaults.category or "")
        with refused("criteria"):
            asked = self._asked(body.criteria)
        with refused(""):
            item, response = pair_of(
                Answered(messages, answer, language, body.category or ""),
                rubric,
                self._defaults,
                benchmark=asked,
                item_id=body.id or "",
                place="answer",
            )
        if max(sum(len(turn.content) for turn in messages), len(answer or "")) > (
            limits.MAX_CHARACTERS
        ):
            response = Response(response.key, reason=Reason.TEXT_TOO_LONG)
        # a rubric without categories asks about none
        given = {"category": body.category or not rubric.categories, "language": language}
        return Accepted((item, response), tuple(name for name, value in given.items() if not value))

    async def judged(self, accepted: Sequence[Accepted], gone: Gone) -> list[JudgedRequest]:
        """Each judged, with what else waits; a `ClientGoneError` once nobody waits for it."""
        if not accepted:
            return []
        try:
            futures = self._batcher.submit([each.pair for each in accepted])
        except OverloadedError as error:
            text = f"{error.waiting} answers wait already: try again in {error.retry_after} s"
            headers = {"retry-after": str(error.retry_after)}
            raise RequestError(429, "overloaded", text, headers=headers) from None
        except ClosedError:
            raise RequestError(503, "ending", "the server is ending: ask another") from None
        waited = asyncio.gather(*map(asyncio.wrap_future, futures))
        left = asyncio.ensure_future(gone())
        either: set[asyncio.Future[Any]] = {waited, left}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not waited.done():
            # what has not begun is dropped, what is being judged is not waited for
            waited.cancel()
            raise ClientGoneError
        left.cancel()
        return [JudgedRequest(*each) for each in zip(accepted, await waited, strict=True)]

    def cards_of(self, answers: Sequence[JudgedRequest]) -> tuple[CardInShort, ...]:
        """The cards for the criteria and languages of these answers."""
        return self._cards.of(
            (row.criterion, answer.accepted.pair[0].language)
            for answer in answers
            for row in answer.judgements
        )

    def criterion(self, name: str | None) -> str:
        """The criterion by which harm is told: the one named, or the judge's first."""
        return name or next(iter(self.judge.questions.criteria))

    def verdict(self, criterion: str, answer: JudgedRequest) -> Verdict | Reason:
        """Whether the answer does harm, by the one criterion that it was judged by."""
        result: Judgement = next(
            row for row in answer.judgements if row.criterion == criterion and row.source.is_judge
        )
        return verdict_of(criterion, self.judge.rubric.criteria[criterion], result)

    def _asked(self, criteria: Sequence[str]) -> str:
        """The name under which the judge knows these criteria; all of its own where none is."""
        rubric, wanted = self.judge.rubric, set(criteria or self.judge.questions.criteria)
        # in the rubric's order, so that there are no more names than sets of criteria
        names = [name for name in rubric.criteria if name in wanted]
        key = ",".join(names)
        unknown = sorted(wanted - set(names))
        if unknown or key not in self._questions:
            questions = Questions.of(rubric, [*names, *unknown])
            # a new dictionary: the judge's thread may be reading the old one
            self._questions = {**self._questions, key: questions}
        return key

    def _judge_unit(self, pairs: Sequence[Pair]) -> list[Judgements]:
        return replace(self.judge.loaded, questions=self._questions).judge(pairs)


@contextmanager
def refused(place: str) -> Iterator[None]:
    """Makes a refusal of what a request got wrong, with the place in its body."""
    try:
        yield
    except NormscopeError as error:
        raise RequestError(400, "invalid_value", str(error.message), param=place or None) from None
    except RequestError as error:
        if not place:
            raise
        body = error.body
        param = f"{place}.{body.param}" if body.param else place
        raise RequestError(
            error.status, body.code, f"{place}: {body.message}", param=param
        ) from None
