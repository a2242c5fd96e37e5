"""Any OpenAI-compatible server that tells log-probabilities: chat completions, or completions.

The most probable tokens of the reply's first place (20 at most) give labels of one token, and
`unseen` bounds what the list leaves out. Labels of several tokens are read from the echo of a
prompt with the label behind it, which only completions have: their prompt is plain text, since the
server's chat template is not ours to write.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from ....errors import ModelError, UsageError
from ....reasons import Reason
from ....records.model_spec import ModelSpec
from ...engine import LabelRequest, LabelResult, TextRequest, TextResult
from ...scale import Scale
from ..chat import written
from .client import Caller, Refused, Waiting
from .dialect import PROBE, greet
from .labels import (
    check_echo,
    find_impossible,
    in_several_tokens,
    is_single,
    label_by_echo,
    read_top,
)
from .server import Server, all_answers, parse
from .tokenizer import clean_texts

Request = LabelRequest | TextRequest
Answer = LabelResult | TextResult | Refused

_CHAT = "the server's chat template, with the server's date where it writes one"
_LANES = 2  # units in progress: the second is there when the first comes to its end

_GREETING_ATTEMPTS = 3
_ROUNDS = 2
_REMEDY = (
    "ask the same server for completions of plain text (endpoint: {api: completions}), "
    "have the model under test answer in text (--channels=text; a judge --set "
    "judge_channels=text), or take a scale of digits or letters, or a local engine"
)


class EndpointEngine:
    """Asks a server, many requests at once; the key comes from the environment only.

    Several threads may ask it at the same time.
    """

    def __init__(self, spec: ModelSpec, *, waiting: Waiting | None = None) -> None:
        """Greets the server, which costs one call of one token."""
        for name in ("revision", "chat_template"):
            if getattr(spec, name) is not None:
                raise UsageError(
                    f"{name} {getattr(spec, name)!r} cannot be given for a server, which has its "
                    "own: start the server with it"
                )
        self._server = Server(parse(spec.model), spec.endpoint, waiting or Waiting())
        self._greeting = self._server.run(
            lambda caller: greet(caller, self._server.address, spec.endpoint.api),
            attempts=_GREETING_ATTEMPTS,
        )
        self._dialect = self._greeting.dialect
        self._marks = frozenset(spec.endpoint.marks)
        self._echoes = False

    @property
    def name(self) -> str:
        """What the server calls the model: the same wherever it is served."""
        return self._dialect.model

    @property
    def where(self) -> str:
        """The server's address and the model's name, as they can be given again."""
        return f"{self._server.address.base}#{self._dialect.model}"

    @property
    def lanes(self) -> int:
        """How many units keep the server busy."""
        return _LANES

    @property
    def identity(self) -> dict[str, Any]:
        """Everything known that changes the engine's answers: no address, and never a key."""
        chat = self._dialect.api == "chat"
        return {
            "engine": "endpoint",
            "model": self.name,
            "api": self._dialect.api,
            "prompt": _CHAT if chat else "plain text, no chat template",
            "thinking": "asked to be off" if chat and self._dialect.thinking_off else None,
            "top_logprobs": self._dialect.top or None,
            "served_model": self._greeting.served_model,
            "system_fingerprint": self._greeting.fingerprint,
            "context": self._greeting.context,
            "tokenizer": self._greeting.tokenizer,
            "note": None,
        }

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """The labels' log-probabilities as far as the server tells them; `unseen` bounds the rest.

        A call that fails though the server is well, or a prompt that does not fit, is its request's
        reason. What concerns all requests is an error.
        """
        self._check_forms(requests)
        # by identity: the requests of a unit share a few scale objects
        for scale in {id(request.scale): request.scale for request in requests}.values():
            self._check(scale)

        async def work(caller: Caller) -> list[Answer]:
            if not self._echoes and any(self._needs_echo(request.scale) for request in requests):
                await check_echo(caller, self._dialect)
                self._echoes = True
            return await self._answers(caller, requests)

        answers = self._server.run(work)
        return [
            LabelResult(logprobs=None, reason=_reason(answer))
            if isinstance(answer, Refused)
            else cast("LabelResult", answer)
            for answer in answers
        ]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """The replies, each by a seed of its own; whether the server keeps to it is its affair."""
        self._check_forms(requests)
        answers = self._server.run(lambda caller: self._answers(caller, requests))
        return [
            TextResult(None, _reason(answer))
            if isinstance(answer, Refused)
            else cast("TextResult", answer)
            for answer in answers
        ]

    def served(self) -> tuple[str, ...]:
        """Which models have answered since this was last asked: names, with their fingerprints."""
        return self._server.served()

    def end(self) -> None:
        """No more units come: what is still in progress fails, in whatever thread."""
        self._server.stop()

    async def _answers(self, caller: Caller, requests: Sequence[Request]) -> list[Answer]:
        """The answers; of a request that failed while the server was well, that.

        What could not be answered is asked once more, since the server may have become well while
        the last of them failed.
        """
        results: dict[int, Answer] = {}
        pending = list(range(len(requests)))
        for _ in range(_ROUNDS):
            answers = await self._each(caller, [requests[i] for i in pending])
            results |= zip(pending, answers, strict=True)
            failed = {i: r for i, r in results.items() if isinstance(r, Refused) and not r.too_long}
            if failed:
                # the last one: the server may have gone while the others failed
                last = max(failed)
                await self._check_well(caller, requests[last], failed[last])
            pending = [i for i, refused in failed.items() if refused.may_pass]
            if not pending:
                break
        return [results[i] for i in range(len(requests))]

    async def _check_well(self, caller: Caller, request: Request, refused: Refused) -> None:
        """An error unless the server answers the same request about something harmless.

        An outage, or a setting that it does not take, is no result of the prompts.
        """
        if refused.status in {404, 405}:
            raise ModelError(f"{self.where} is gone ({refused.message or refused.status})")
        control = await self._answer(caller, replace(request, conversation=PROBE, form=None))
        if isinstance(control, Refused):
            # what it said of the harmless one is not cleaned of the prompts
            message = refused.message or f"status {refused.status}"
            raise ModelError(
                f"{self.where} fails, also when it is asked something harmless ({message}): see "
                "to the server; the unit in progress is not written down and is asked again by "
                "the same command"
            )

    async def _each(self, caller: Caller, requests: Sequence[Request]) -> list[Answer]:
        """The answers to the requests, whose texts hold no mark of the server's template."""
        texts = [content for request in requests for _, content in request.conversation]
        marks = self._marks.union(*(each.form.marks for each in requests if each.form))
        model, tokenizer = self._dialect.model, self._greeting.tokenizer
        clean = await clean_texts(caller, tokenizer, model, texts, marks)

        async def clean_answer(request: Request) -> Answer:
            turns = []
            for role, content in request.conversation:
                text = clean[content]
                if isinstance(text, Refused):
                    return text
                turns.append((role, text))
            put = written(turns, request.form) if request.form else turns
            return await self._answer(caller, replace(request, conversation=tuple(put)))

        return await all_answers(requests, clean_answer)

    async def _answer(self, caller: Caller, request: Request) -> Answer:
        dialect = self._dialect
        if isinstance(request, LabelRequest) and self._needs_echo(request.scale):
            return await label_by_echo(caller, dialect, request)
        body = (
            dialect.label_body(request.conversation, request.lead, request.form)
            if isinstance(request, LabelRequest)
            else dialect.text_body(request)
        )
        reply = await caller.ask(dialect.path, body, dialect.shape)
        if isinstance(reply, Refused):
            return reply
        if isinstance(request, TextRequest):
            return TextResult(reply.text, None if reply.text.strip() else Reason.NO_ANSWER)
        if reply.top is None:
            return Refused(None, "the reply has no log-probabilities")
        if problem := find_impossible(reply.top):
            return Refused(None, problem)
        return read_top(request.scale, reply.top)

    def _needs_echo(self, scale: Scale) -> bool:
        return self._dialect.api == "completions" and not is_single(scale)

    def _check_forms(self, requests: Sequence[Request]) -> None:
        """Refuses a guard that this server cannot ask as it wants to be asked."""
        chat = self._dialect.api == "chat"
        for form in {id(each.form): each.form for each in requests if each.form}.values():
            # chat completions write the template's turns, completions whole prompts
            if chat == bool(form.text) or (chat and (form.arguments or form.begins)):
                raise ModelError(
                    f"{self.where} cannot ask this guard as its makers do: "
                    + (
                        "its prompt, or the arguments of its template, are not the server's to "
                        "take in chat completions"
                        if chat
                        else "its chat template is not applied to completions of plain text"
                    )
                    + "; take a local engine, or vllm:ID"
                )

    def _check(self, scale: Scale) -> None:
        """Refuses what this server cannot tell, before anything is asked."""
        if not self._dialect.top:
            raise ModelError(
                f"{self.where} answers without log-probabilities (it ignores or refuses "
                "`logprobs`), so labels cannot be read: use a server that tells them (vLLM; "
                "llama_cpp.server with --logits_all true), a local engine, or text "
                "(--channels=text; for a judge --set judge_channels=text)"
            )
        label = in_several_tokens(scale)
        if label is not None and self._dialect.api == "chat":
            raise ModelError(
                f"the label {label!r} is several tokens long or begins with another label, and "
                f"chat completions ({self.where}) tell the first token only: {_REMEDY}"
            )


def _reason(refused: Refused) -> Reason:
    return Reason.TEXT_TOO_LONG if refused.too_long else Reason.CALL_FAILED
