"""The dialects of chat completions in which guards are asked: Llama Guard's, and garak's ratings.

A tool of that kind writes question and answer into one text. Both are untrusted, and either may
hold the marks that stand between them; so all that follows the first mark is judged as the answer,
and nothing that an answer says can hide a part of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..records.item import Turn
from .errors import RequestError
from .harm import Verdict

_NO_QUESTION = (Turn("user", ""),)
"""The conversation before an answer of which the tool tells nothing else."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to be judged, and what it is the answer to.

    `codes` are those of the policy that the prompt states, null where it states none.
    """

    messages: tuple[Turn, ...]
    text: str
    codes: tuple[str, ...] | None = None


class Dialect(Protocol):
    """How a guard is asked, and how it replies."""

    name: str
    about: str
    has_logprobs: bool

    def read(self, messages: Sequence[Turn]) -> Answer:
        """The answer that is to be judged; a `RequestError` where the messages hold none."""

    def write(self, verdict: Verdict, code: str) -> str:
        """The reply; `code` is Llama Guard's for the category."""

    def unscored(self) -> str | None:
        """The reply that the tool takes for no verdict; null where only an error is one."""


class LlamaGuard:
    """`safe`, or `unsafe` and a code on the next line.

    An answer without a verdict is an error: every text that is no verdict could be taken for one.
    """

    name = "normscope/llama-guard"
    about = "safe, or unsafe and a code on the next line, as Llama Guard 3"
    has_logprobs = True

    _CONVERSATION = "<BEGIN CONVERSATION>", "<END CONVERSATION>"
    _POLICY = "<BEGIN UNSAFE CONTENT CATEGORIES>", "<END UNSAFE CONTENT CATEGORIES>"
    # a code begins its line: with line breaks before it, a text of many of them would take minutes
    _CODE = re.compile(r"^[^\S\n]*([A-Z]+\d+):", re.MULTILINE)
    _USER, _AGENT = "User:", "Agent:"

    def read(self, messages: Sequence[Turn]) -> Answer:
        """The assistant's last turn, or the agent's in a prompt of Llama Guard's."""
        last = messages[-1]
        if last.role == "assistant":
            before = tuple(messages[:-1]) or _NO_QUESTION
            if before[-1].role != "user":
                raise _unreadable("before the answer, messages is to end with the user's turn")
            return Answer(before, last.content)
        before_it, begun, rest = last.content.partition(self._CONVERSATION[0])
        # its last mark is its end: one before that is the answer's own
        text, ended, _ = rest.rpartition(self._CONVERSATION[1])
        if not begun or not ended:
            raise _unreadable(
                "the last message is no assistant's, and holds no <BEGIN CONVERSATION> … "
                "<END CONVERSATION>: answers are judged here, not prompts"
            )
        # a policy within the conversation would be the answer's own
        codes = self._codes(before_it)
        text = text.strip()
        if text.startswith(self._AGENT):
            return Answer(_NO_QUESTION, text.removeprefix(self._AGENT).strip(), codes)
        asked, agent, answer = text.partition(f"\n{self._AGENT}")
        if not asked.startswith(self._USER) or not agent:
            raise _unreadable(
                "the conversation has no turn of an Agent: answers are judged here, not prompts "
                "(in PyRIT: message_role=LlamaGuardMessageRole.AGENT)"
            )
        question = Turn("user", asked.removeprefix(self._USER).strip())
        return Answer((question,), answer.strip(), codes)

    def _codes(self, text: str) -> tuple[str, ...] | None:
        """The codes of the policy that the text states, null where it states none."""
        _, begun, rest = text.partition(self._POLICY[0])
        policy, ended, _ = rest.partition(self._POLICY[1])
        return tuple(self._CODE.findall(policy)) if begun and ended else None

    def write(self, verdict: Verdict, code: str) -> str:
        """The verdict on the first line, the code of an unsafe answer on the second."""
        return f"unsafe\n{code}" if verdict.unsafe else "safe"

    def unscored(self) -> None:
        """Nothing that could be written would be no verdict."""
        return


class Rating:
    """garak's `Rating: [[n]]`, n from 1 (no harm) to 10: 1 + 9 × the probability of harm.

    garak reads a text without brackets as 1, the best rating, stops its whole run at an HTTP error,
    and takes `[[0]]` for no result: so that is what an unscored answer gets.
    """

    name = "normscope/rating-10"
    about = "Rating: [[n]], n from 1 (safe) to 10 (harmful), as garak's ModelAsJudge reads it"
    has_logprobs = False

    _PROMPT, _RESPONSE = "[PROMPT]:", "\n[ASSISTANT'S RESPONSE]:"

    def read(self, messages: Sequence[Turn]) -> Answer:
        """The prompt and the response that garak writes into the last message."""
        asked, mark, answer = messages[-1].content.lstrip().partition(self._RESPONSE)
        if not asked.startswith(self._PROMPT) or not mark:
            raise _unreadable(
                "the last message is not as garak's ModelAsJudge writes it, [PROMPT]: … and on a "
                "new line [ASSISTANT'S RESPONSE]: …"
            )
        question = Turn("user", asked.removeprefix(self._PROMPT).strip())
        return Answer((question,), answer.strip())

    def write(self, verdict: Verdict, code: str) -> str:  # noqa: ARG002 - it tells no kind
        """The rating, whose number says how probable harm is."""
        return f"Rating: [[{round(1 + 9 * verdict.harm)}]]"

    def unscored(self) -> str:
        """Off garak's scale: its detector then gives no result for the answer."""
        return "Rating: [[0]]"


DIALECTS: tuple[Dialect, ...] = (LlamaGuard(), Rating())


def dialect_of(model: str) -> Dialect:
    """The dialect that the model's name in a request stands for."""
    for dialect in DIALECTS:
        if dialect.name == model:
            return dialect
    known = ", ".join(dialect.name for dialect in DIALECTS)
    raise RequestError(
        404, "model_not_found", f"there is no model {model[:100]!r}; known: {known}", param="model"
    )


def _unreadable(text: str) -> RequestError:
    return RequestError(400, "unreadable_conversation", text, param="messages")
