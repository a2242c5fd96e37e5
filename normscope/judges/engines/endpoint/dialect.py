"""A server's dialect: how it is asked, in bodies that are the same for the same request.

The first words with it tell which model answers, through which API, and what it tells.
"""

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Literal

import httpx2

from ....errors import ModelError, nearest
from ...engine import Conversation, Form, TextRequest
from ..chat import messages_of, plain_text
from .client import Caller, Refused, unauthorized, unreachable
from .replies import ChatReply, ModelList, TextReply, printable
from .server import Address
from .tokenizer import Tokenizer, find_tokenizer

Api = Literal["chat", "completions"]
TOPS = (20, 10, 5)
"""How many of the most probable tokens are asked for; a server that refuses is asked for fewer."""

_TOP_NAMES = ("logprobs", "top_n_tokens")
"""How a server that allows fewer calls them: the second is TGI's."""

_SHOWN, _LONGEST_LIST = 12, 600  # models that an error names, and their characters
_NO_SUCH_PATH = frozenset({404, 405, 501})

PROBE: Conversation = (("user", "Answer with yes or no: is water wet?"),)


@dataclass(frozen=True, slots=True)
class Dialect:
    """A server's dialect: which API, how many top tokens, and how some fields are called.

    `top` is 0 where the server gives no log-probabilities. `thinking_off` asks chat templates that
    know it (Qwen3) to leave the reply's place to the label, as the local engines do.
    """

    model: str
    api: Api
    top: int = TOPS[0]
    thinking_off: bool = True
    length_name: str = "max_tokens"

    @property
    def path(self) -> str:
        """Where the requests go, below the address."""
        return "chat/completions" if self.api == "chat" else "completions"

    @property
    def shape(self) -> type[ChatReply] | type[TextReply]:
        """What the replies look like."""
        return ChatReply if self.api == "chat" else TextReply

    def label_body(
        self, conversation: Conversation, lead: str, form: Form | None = None
    ) -> dict[str, Any]:
        """Asks for the distribution of the reply's first token."""
        settings: dict[str, Any] = {"temperature": 0, "seed": 0}
        if self.api == "completions":
            settings |= {"logprobs": self.top} if self.top else {}
        elif self.top:
            settings |= {"logprobs": True, "top_logprobs": self.top}
        return self._body(conversation, lead, form, length=1) | settings

    def text_body(self, request: TextRequest) -> dict[str, Any]:
        """Asks for a reply; what else a server samples by is its own setting."""
        settings = {"temperature": request.temperature, "top_p": 1, "seed": _seed(request)}
        length = request.max_new_tokens
        return self._body(request.conversation, "", request.form, length=length) | settings

    def echo_body(self, prompt: str) -> dict[str, Any]:
        """Asks for the log-probability of every token of the prompt itself."""
        # one token is written too: llama_cpp.server takes 0 for no bound
        plain = {"model": self.model, "prompt": prompt, "max_tokens": 1, "temperature": 0}
        return plain | {"seed": 0, "echo": True, "logprobs": min(TOPS[-1], self.top)}

    def fallback(self, refusal: str) -> "Dialect | None":
        """The dialect to try next, by what the server said of this one; null if none is left."""
        # newer models of OpenAI's take this name and refuse the other
        if "max_completion_tokens" in refusal and self.length_name == "max_tokens":
            return replace(self, length_name="max_completion_tokens")
        if self.top and any(name in refusal for name in _TOP_NAMES):
            fewer = [top for top in TOPS if top < self.top]
            return replace(self, top=fewer[0] if fewer else 0)
        if self.api == "chat" and self.thinking_off:
            return replace(self, thinking_off=False)
        return None

    def _body(
        self, conversation: Conversation, lead: str, form: Form | None, *, length: int
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, self.length_name: length}
        if self.api == "completions":
            # without a chat template: none is known here
            return body | {"prompt": plain_text(conversation, lead, form)}
        if self.thinking_off:
            body["chat_template_kwargs"] = {"enable_thinking": False}
        return body | {"messages": messages_of(conversation)}


def _seed(request: TextRequest) -> int:
    """The reply's seed, below 2³¹: with the run's alone all prompts would meet the same draws."""
    message = "\0".join(
        [str(request.seed), *(part for turn in request.conversation for part in turn)]
    )
    return int.from_bytes(hashlib.sha256(message.encode()).digest()[:4], "big") >> 1


@dataclass(frozen=True, slots=True)
class Greeting:
    """What the server said of itself: its dialect, and what tells its model from another."""

    dialect: Dialect
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
    for name in apis:
        dialect, answer = await _try(caller, Dialect(model, name))
        if isinstance(answer, Refused):
            if answer.status == httpx2.codes.FORBIDDEN:
                raise unauthorized(caller, answer)
            # an outage is no refusal: what the run was begun with must not change by it
            if answer.is_away:
                raise unreachable(caller, answer)
            refusals.append(f"{dialect.path}: {answer.message or 'status ' + str(answer.status)}")
            continue
        # the server ignored `logprobs`: it still writes text
        if answer.top is None:
            dialect = replace(dialect, top=0)
        tokenizer = await find_tokenizer(caller, model)
        return Greeting(dialect, answer.model, answer.system_fingerprint, context, tokenizer)
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
    offered = [model.id for model in models]
    if address.model is None:
        if len(offered) == 1:
            return offered[0], models[0].max_model_len
        more = f" and {len(offered) - _SHOWN:,} more" if len(offered) > _SHOWN else ""
        offers = f"it offers {', '.join(offered[:_SHOWN])}{more}"
        message = offers if offered else "it does not say which it offers"
        raise ModelError(f"which model of {caller.where}? {message}: write {caller.where}#MODEL")
    for model in models:
        if model.id == address.model:
            return model.id, model.max_model_len
    # a proxy may list patterns (`openai/*`), and some servers list nothing
    if offered and not any("*" in name for name in offered):
        message = printable(nearest(address.model, offered), _LONGEST_LIST)
        raise ModelError(f"{caller.where} has no model {address.model!r}; {message}")
    return address.model, None


async def _try(caller: Caller, dialect: Dialect) -> tuple[Dialect, ChatReply | TextReply | Refused]:
    """The dialect that the server understood and what it answered, or its last refusal."""
    while True:
        answer: Any = await caller.ask(dialect.path, dialect.label_body(PROBE, ""), dialect.shape)
        if not isinstance(answer, Refused) or answer.status in _NO_SUCH_PATH:
            return dialect, answer
        gone = answer.is_away or answer.status is None
        fallback = None if gone else dialect.fallback(answer.message)
        if fallback is None:
            return dialect, answer
        dialect = fallback
