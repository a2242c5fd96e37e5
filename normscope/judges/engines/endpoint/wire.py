"""What is sent to a server: bodies that are the same for the same request, in its own dialect."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...engine import Conversation, TextRequest
from ...marks import neutral
from ..chat import render
from .replies import ChatReply, TextReply

Api = Literal["chat", "completions"]
TOPS = (20, 10, 5)
"""How many of the most probable tokens are asked for; a server that refuses is asked for fewer."""

_TOP_NAMES = ("logprobs", "top_n_tokens")
"""How a server that allows fewer calls them: the second is TGI's."""

PROBE: Conversation = (("user", "Answer with yes or no: is water wet?"),)


class _NoTemplate:
    """Stands for a tokenizer without a chat template, as `judges.chat.render` reads it."""

    chat_template = None
    all_special_tokens = ()


_NO_TEMPLATE = _NoTemplate()


@dataclass(frozen=True, slots=True)
class Wire:
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

    def label_body(self, conversation: Conversation, lead: str) -> dict[str, Any]:
        """Asks for the distribution of the reply's first token."""
        settings: dict[str, Any] = {"temperature": 0, "seed": 0}
        if self.api == "completions":
            settings |= {"logprobs": self.top} if self.top else {}
        elif self.top:
            settings |= {"logprobs": True, "top_logprobs": self.top}
        return self._body(conversation, lead, length=1) | settings

    def text_body(self, request: TextRequest) -> dict[str, Any]:
        """Asks for a reply; what else a server samples by is its own setting."""
        settings = {"temperature": request.temperature, "top_p": 1, "seed": _seed(request)}
        return self._body(request.conversation, "", length=request.max_new_tokens) | settings

    def echo_body(self, prompt: str) -> dict[str, Any]:
        """Asks for the log-probability of every token of the prompt itself."""
        # one token is written too: llama_cpp.server takes 0 for no bound
        plain = {"model": self.model, "prompt": prompt, "max_tokens": 1, "temperature": 0}
        return plain | {"seed": 0, "echo": True, "logprobs": min(TOPS[-1], self.top)}

    def prompt(self, conversation: Conversation, lead: str) -> str:
        """The conversation as plain text, without a chat template: none is known here."""
        return render(_NO_TEMPLATE, conversation, lead)

    def milder(self, refusal: str) -> "Wire | None":
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

    def _body(self, conversation: Conversation, lead: str, *, length: int) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, self.length_name: length}
        if self.api == "completions":
            return body | {"prompt": self.prompt(conversation, lead)}
        if self.thinking_off:
            body["chat_template_kwargs"] = {"enable_thinking": False}
        messages = [{"role": role, "content": neutral(content)} for role, content in conversation]
        return body | {"messages": messages}


def _seed(request: TextRequest) -> int:
    """The reply's seed, below 2³¹: with the run's alone all prompts would meet the same draws."""
    message = "\0".join(
        [str(request.seed), *(part for turn in request.conversation for part in turn)]
    )
    return int.from_bytes(hashlib.sha256(message.encode()).digest()[:4], "big") >> 1
