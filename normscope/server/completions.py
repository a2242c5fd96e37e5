"""A guard's verdict as a chat completion, in the dialect of the model that the request names."""

import math
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse

from ..reasons import Reason, origin_of
from .bodies import ChatBody, JudgeBody, checked
from .dialects import Answer, Dialect, dialect_of
from .errors import RequestError
from .harm import Verdict, code_of
from .requests import json_of, judged
from .service import JudgeService

_IMPOSSIBLE = -9999.0
"""JSON has no infinity; OpenAI's servers write this for a token that cannot be."""


async def completion(service: JudgeService, request: Request) -> JSONResponse:
    """The verdict on the answer that the messages hold; our own result stands beside it."""
    body = checked(ChatBody, await json_of(request))
    dialect = dialect_of(body.model)
    _refuse_settings(body, dialect)
    answer = dialect.read([each.turn for each in body.messages])
    code = code_of(body.category or "")
    _refuse_policy(answer, code, body.category)
    criterion = service.criterion(body.criterion)
    about = JudgeBody(category=body.category, language=body.language, criteria=[criterion])
    accepted = service.accepted(about, answer.messages, answer.text)
    [result] = await judged(service, [accepted], request)
    verdict = service.verdict(criterion, result)
    content = _content(dialect, verdict, code)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, "refusal": None},
        "finish_reason": "stop",
        "logprobs": _logprobs(verdict, content) if body.logprobs else None,
    }
    return JSONResponse(
        {
            "id": f"chatcmpl-{uuid4().hex}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": dialect.name,
            "choices": [choice],
            "normscope": asdict(result.result),
        }
    )


def _content(dialect: Dialect, verdict: Verdict | Reason, code: str) -> str:
    if isinstance(verdict, Verdict):
        return dialect.write(verdict, code)
    content = dialect.unscored()
    if content is None:
        text = f"unscored: {verdict} (whose doing: {origin_of(verdict)})"
        raise RequestError(422, str(verdict), text)
    return content


def _refuse_settings(body: ChatBody, dialect: Dialect) -> None:
    """A `RequestError` for what is asked for and would not come."""
    if body.stream:
        raise RequestError(400, "invalid_value", "a verdict is not streamed", param="stream")
    if body.n not in {None, 1}:
        raise RequestError(400, "invalid_value", "there is one verdict: n is 1", param="n")
    if body.logprobs and not dialect.has_logprobs:
        text = f"{dialect.name} has no logprobs: its rating is no token of the judge's"
        raise RequestError(400, "invalid_value", text, param="logprobs")


def _refuse_policy(answer: Answer, code: str, category: str | None) -> None:
    """Refused whatever the verdict: failing for unsafe answers alone would bias the others."""
    if answer.codes is None or code in answer.codes:
        return
    named = f"of the category {category!r}" if category else "of no category"
    raise RequestError(
        400,
        "no_code",
        f"the policy in the prompt has no code {code}, which an unsafe answer {named} would get: "
        f"add {code} to the policy, or name a category with one of {', '.join(answer.codes)}",
        param="messages",
    )


def _logprobs(verdict: Verdict | Reason, content: str) -> Mapping[str, Any] | None:
    """The distribution over safe and unsafe, in the place of the reply's first token."""
    if isinstance(verdict, Reason):
        return None
    probs = {"unsafe": verdict.harm, "safe": 1 - verdict.harm}
    top = sorted(probs, key=lambda token: -probs[token])
    word, newline, code = content.partition("\n")
    first = _token(word, probs[word], [_token(token, probs[token]) for token in top])
    # the code follows from the request's category: nothing about it is uncertain
    rest = [_token(newline + code, 1.0, [])] if code else []
    return {"content": [first, *rest], "refusal": None}


def _token(token: str, prob: float, top: list[Any] | None = None) -> dict[str, Any]:
    logprob = math.log(prob) if prob > 0 else _IMPOSSIBLE
    known = {"token": token, "logprob": logprob, "bytes": list(token.encode())}
    return known if top is None else {**known, "top_logprobs": top}
