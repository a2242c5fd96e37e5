"""The first words with a server: which model answers, through which API, and what it tells."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import httpx2

from ....errors import ModelError, nearest
from .address import Address
from .client import Caller, Refused, no_entry, unreachable
from .replies import ChatReply, ModelList, TextReply, printable
from .tokenizer import Tokenizer, find_tokenizer
from .wire import PROBE, Api, Wire

_SHOWN, _LONGEST_LIST = 12, 600  # models that an error names, and their characters
_NO_SUCH_PATH = frozenset({404, 405, 501})


@dataclass(frozen=True, slots=True)
class Greeting:
    """What the server said of itself: its dialect, and what tells its model from another."""

    wire: Wire
    served_model: str | None
    fingerprint: str | None
    context: int | None
    tokenizer: Tokenizer | None = None


async def greet(
    caller: Caller, address: Address, api: Literal["auto", "chat", "completions"]
) -> Greeting:
    """Asks for the models and one token; `auto` is chat completions where the server has them."""
    model, context = await _model(caller, address)
    apis: tuple[Api, ...] = ("chat", "completions") if api == "auto" else (api,)
    refusals = []
    for each in apis:
        wire, answer = await _try(caller, Wire(model, each))
        if isinstance(answer, Refused):
            if answer.status == httpx2.codes.FORBIDDEN:
                raise no_entry(caller, answer)
            # an outage is no refusal: what the run was begun with must not change by it
            if answer.is_away:
                raise unreachable(caller, answer)
            refusals.append(f"{wire.path}: {answer.message or 'status ' + str(answer.status)}")
            continue
        # the server ignored `logprobs`: it still writes text
        if answer.top is None:
            wire = replace(wire, top=0)
        tokenizer = await find_tokenizer(caller, model)
        return Greeting(wire, answer.model, answer.system_fingerprint, context, tokenizer)
    raise ModelError(
        f"{caller.where} does not answer for the model {model!r} ({'; '.join(refusals)}): check "
        "the model's name, and that the address is the API's root (it mostly ends in /v1)"
    )


async def _model(caller: Caller, address: Address) -> tuple[str, int | None]:
    """The model's name, and its context where the server says it."""
    listed = await caller.ask("models", None, ModelList)
    if isinstance(listed, Refused) and listed.is_away:
        raise unreachable(caller, listed)
    models = [] if isinstance(listed, Refused) else listed.data
    known = [model.id for model in models]
    if address.model is None:
        if len(known) == 1:
            return known[0], models[0].max_model_len
        more = f" and {len(known) - _SHOWN:,} more" if len(known) > _SHOWN else ""
        offers = f"it offers {', '.join(known[:_SHOWN])}{more}"
        message = offers if known else "it does not say which it offers"
        raise ModelError(f"which model of {caller.where}? {message}: write {caller.where}#MODEL")
    for model in models:
        if model.id == address.model:
            return model.id, model.max_model_len
    # a proxy may list patterns (`openai/*`), and some servers list nothing
    if known and not any("*" in name for name in known):
        message = printable(nearest(address.model, known), _LONGEST_LIST)
        raise ModelError(f"{caller.where} has no model {address.model!r}; {message}")
    return address.model, None


async def _try(caller: Caller, wire: Wire) -> tuple[Wire, ChatReply | TextReply | Refused]:
    """The dialect that the server understood and what it answered, or its last refusal."""
    while True:
        answer: Any = await caller.ask(wire.path, wire.label_body(PROBE, ""), wire.shape)
        if not isinstance(answer, Refused) or answer.status in _NO_SUCH_PATH:
            return wire, answer
        gone = answer.is_away or answer.status is None
        milder = None if gone else wire.milder(answer.message)
        if milder is None:
            return wire, answer
        wire = milder
