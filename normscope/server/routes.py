"""What the server answers: our own questions, and those in the dialects of other tools."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from . import limits
from .bodies import JudgeBody, checked
from .completions import completion
from .dialects import DIALECTS
from .errors import ErrorReply, RequestError
from .guard import REQUEST_ID
from .harm import harmful_labels
from .moderations import moderations
from .requests import json_of, judged
from .results import JudgeReply, rubric_in_short
from .service import Accepted, ClientGoneError, JudgeService


class Routes:
    """The requests that a server with one judge answers."""

    def __init__(self, service: JudgeService) -> None:
        """They are asked of the service."""
        self._service = service

    def app(self) -> Starlette:
        """The application, without what stands guard before it."""
        return Starlette(
            routes=[
                Route("/health", self.health, methods=["GET"]),
                Route("/v1/judge", self.about, methods=["GET"]),
                Route("/v1/judge", self.judge, methods=["POST"]),
                Route("/v1/models", self.models, methods=["GET"]),
                Route("/v1/moderations", self.moderations, methods=["POST"]),
                Route("/v1/chat/completions", self.completion, methods=["POST"]),
            ],
            exception_handlers={
                RequestError: _refuse,
                HTTPException: _no_route,
                ClientGoneError: _to_nobody,
                Exception: _failed,
            },
            lifespan=self._lifespan,
        )

    async def health(self, _: Request) -> JSONResponse:
        """That it answers, and how many answers wait."""
        return JSONResponse({"status": "ok", "waiting": self._service.waiting})

    async def about(self, _: Request) -> JSONResponse:
        """The judge, its rubric with what each label means, and how much is taken at once."""
        judge = self._service.judge
        criteria = {
            name: {
                "labels": criterion.scale.labels,
                "values": criterion.scale.values,
                "read": criterion.read,
                "harmful": harmful_labels(name, criterion),
                "meanings": {
                    language: dict(instruction.meanings)
                    for language, instruction in criterion.instruction.items()
                },
            }
            for name, criterion in judge.questions.criteria.items()
        }
        return JSONResponse(
            {
                "object": "judge",
                "judge": self._service.identity,
                "rubric": asdict(rubric_in_short(judge.rubric)),
                "criteria": criteria,
                "categories": list(judge.rubric.categories),
                "min_coverage": judge.config.min_coverage,
                "limits": {
                    "answers": self._service.most,
                    "characters": limits.MAX_CHARACTERS,
                    "bytes": limits.MAX_BODY_BYTES,
                },
            }
        )

    async def models(self, _: Request) -> JSONResponse:
        """The dialects, as the models that a tool may name."""
        listed = [
            {"id": each.name, "object": "model", "owned_by": "normscope", "about": each.about}
            for each in DIALECTS
        ]
        return JSONResponse({"object": "list", "data": listed})

    async def judge(self, request: Request) -> JSONResponse:
        """One answer, or a list of them, of which one that is wrong fails alone."""
        value = await json_of(request)
        several = isinstance(value, list)
        if several and not value:
            raise RequestError(400, "missing", "the list is empty: send at least one answer")
        if several:
            self._service.refuse_number(len(value))
        wanted: list[Accepted] = []
        wrong: dict[int, ErrorReply] = {}
        for at, each in enumerate(value if several else [value]):
            place = f"[{at}]" if several else ""
            try:
                wanted.append(self._service.accept(checked(JudgeBody, each, place=place), place))
            except RequestError as error:
                if not several:
                    raise
                wrong[at] = ErrorReply(error.body)
        return JSONResponse(asdict(await self._reply(wanted, wrong, request)))

    async def moderations(self, request: Request) -> JSONResponse:
        """Whether texts do harm."""
        return await moderations(self._service, request)

    async def completion(self, request: Request) -> JSONResponse:
        """A guard's verdict."""
        return await completion(self._service, request)

    async def _reply(
        self, wanted: list[Accepted], wrong: Mapping[int, ErrorReply], request: Request
    ) -> JudgeReply:
        answers = await judged(self._service, wanted, request)
        rest = iter(answers)
        judge = self._service.judge
        return JudgeReply(
            object="judgements",
            judge=self._service.identity,
            rubric=rubric_in_short(judge.rubric),
            results=tuple(
                wrong[at] if at in wrong else next(rest).result
                for at in range(len(wanted) + len(wrong))
            ),
            cards=self._service.cards_of(answers),
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        # what was accepted is judged before the process ends
        await asyncio.to_thread(self._service.close)


def _refuse(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestError)  # noqa: S101 - for types: it is registered for these
    return JSONResponse(asdict(ErrorReply(error.body)), error.status, headers=error.headers)


def _no_route(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    text = f"{error.detail}: there is no {request.method} {request.url.path} here"
    refusal = RequestError(error.status_code, "no_such_route", text, headers=error.headers)
    return _refuse(request, refusal)


def _failed(request: Request, _: Exception) -> JSONResponse:
    text = f"the server failed at this request: {request.scope[REQUEST_ID]} in its log"
    return _refuse(request, RequestError(500, "failed", text))


def _to_nobody(_: Request, __: Exception) -> Response:
    return Response(status_code=499)
