"""Whether texts do harm, in the shape of OpenAI's moderations."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse

from ..reasons import Reason
from .bodies import JudgeBody, ModerationsBody, checked
from .errors import ErrorBody, ErrorReply
from .harm import Verdict
from .requests import json_of, judged
from .service import JudgedRequest, JudgeService


async def moderations(service: JudgeService, request: Request) -> JSONResponse:
    """A result per text; its one category is that which the judge was asked about.

    A text without a verdict makes the request an error, since null would be read as not flagged;
    the error's body still has the results of the others.
    """
    value = await json_of(request)
    # before each of them is looked at
    if isinstance(value, Mapping) and isinstance(value.get("input"), list):
        service.refuse_number(len(value["input"]))
    body = checked(ModerationsBody, value)
    criterion = service.criterion(body.criterion)
    about = {"category": body.category, "language": body.language, "criteria": [criterion]}
    wanted = [
        JudgeBody(question=body.question or "", answer=text).model_copy(update=about)
        for text in body.answers
    ]
    answers = await judged(service, [service.accept(each) for each in wanted], request)
    verdicts = [service.verdict(criterion, answer) for answer in answers]
    reply = {
        "id": f"modr-{uuid4().hex}",
        "model": f"normscope/{service.judge.rubric.name}",
        "results": [_result(*each) for each in zip(answers, verdicts, strict=True)],
    }
    absent = {at: each for at, each in enumerate(verdicts) if isinstance(each, Reason)}
    if not absent:
        return JSONResponse(reply)
    places = ", ".join(f"input[{at}] ({reason})" for at, reason in absent.items())
    text = f"unscored: {places}; the results of the others are in this reply"
    error = ErrorBody(text, "unscored", str(next(iter(absent.values()))), "input")
    return JSONResponse({**asdict(ErrorReply(error)), **reply}, 422)


def _result(answer: JudgedRequest, verdict: Verdict | Reason) -> Mapping[str, Any] | None:
    if isinstance(verdict, Reason):
        return None
    category = answer.accepted.pair[0].category or "any"
    return {
        "flagged": verdict.unsafe,
        "categories": {category: verdict.unsafe},
        "category_scores": {category: verdict.harm},
        "normscope": asdict(answer.result),
    }
