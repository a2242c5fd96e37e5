"""The shapes of what an OpenAI-compatible server answers; whatever else it says is ignored."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationInfo

LONGEST_NAME = 200
HIDDEN = "…"
# A shorter key is a word (`EMPTY`, `test`), which texts may have of themselves.
_SHORTEST_SECRET = 8


def printable(text: str, most: int) -> str:
    r"""The text on one line, at most so long, without what a terminal would obey.

    >>> printable("a\x1b[31m b\n\u202ec", 20)
    'a[31m b c'
    """
    # cut first: splitting a reply of many megabytes takes long
    line = " ".join(text[: 4 * most].split())
    return "".join(char for char in line if char.isprintable())[:most]


def _without_secret(text: str, info: ValidationInfo) -> str:
    secret = info.context
    if isinstance(secret, str) and len(secret) >= _SHORTEST_SECRET:
        return text.replace(secret, HIDDEN)
    return text


Text = Annotated[str, AfterValidator(_without_secret)]
"""What the server wrote, without the key (the context of the validation) if that is repeated."""
Name = Annotated[Text, AfterValidator(lambda text: printable(text, LONGEST_NAME))]
"""The same where it is written into configs and reports: short and printable."""
Count = Annotated[int, Field(ge=0)]
# strict: `false` is no 0, which would be a certain token
LogProb = Annotated[float, Field(le=1e-3, allow_inf_nan=False, strict=True)]


class Usage(BaseModel):
    """How many tokens the call wrote."""

    completion_tokens: Count = 0


class Reply(BaseModel):
    """What every reply has: who answered, and how much."""

    model: Name | None = None
    system_fingerprint: Name | None = None
    usage: Usage | None = None

    @property
    def served(self) -> str:
        """The model that answered with its fingerprint in brackets; empty where neither is said."""
        fingerprint = f"({self.system_fingerprint})" if self.system_fingerprint else ""
        return " ".join(filter(None, [self.model, fingerprint]))


class TopToken(BaseModel):
    """A token with its log-probability, as chat completions write it."""

    token: Text
    logprob: LogProb
    raw: list[Annotated[int, Field(ge=0, le=255)]] | None = Field(default=None, alias="bytes")


class _ChatToken(TopToken):
    top_logprobs: list[TopToken] = []


class _ChatLogprobs(BaseModel):
    content: list[_ChatToken] | None = None


class _Message(BaseModel):
    content: Text | None = None
    refusal: Text | None = None


class _ChatChoice(BaseModel):
    message: _Message
    logprobs: _ChatLogprobs | None = None


class ChatReply(Reply):
    """A reply of `/chat/completions`."""

    choices: list[_ChatChoice] = Field(min_length=1)

    @property
    def text(self) -> str:
        """What the model wrote; a refusal that the server sets apart is an answer too."""
        message = self.choices[0].message
        return message.content or message.refusal or ""

    @property
    def top(self) -> list[TopToken] | None:
        """The most probable first tokens; null where the server ignored `logprobs`.

        Empty where the reply ended before its first token.
        """
        logprobs = self.choices[0].logprobs
        if logprobs is None or logprobs.content is None:
            return None
        return logprobs.content[0].top_logprobs if logprobs.content else []


class _TextLogprobs(BaseModel):
    tokens: list[str] = []
    token_logprobs: list[LogProb | None] = []
    top_logprobs: list[dict[Text, LogProb] | None] | None = None


class _TextChoice(BaseModel):
    text: Text
    logprobs: _TextLogprobs | None = None


class TextReply(Reply):
    """A reply of `/completions`."""

    choices: list[_TextChoice] = Field(min_length=1)

    @property
    def text(self) -> str:
        """What the model wrote."""
        return self.choices[0].text

    @property
    def top(self) -> list[TopToken] | None:
        """The most probable first tokens, as in `ChatReply`; of the prompt's, if it is echoed."""
        logprobs = self.choices[0].logprobs
        return None if logprobs is None or logprobs.top_logprobs is None else self.top_at(0)

    @property
    def prompt_tokens(self) -> list[tuple[str, float | None]] | None:
        """Each token of the echoed prompt with its log-probability; null where there is no echo.

        The generated tokens at the end are left out, as many as `usage` counts (one if it is
        silent): a call with an echo asks for one.
        """
        logprobs = self.choices[0].logprobs
        if logprobs is None or len(logprobs.tokens) != len(logprobs.token_logprobs):
            return None
        written = 1 if self.usage is None else self.usage.completion_tokens
        end = len(logprobs.tokens) - written
        return list(zip(logprobs.tokens[:end], logprobs.token_logprobs[:end], strict=True))

    def top_at(self, place: int) -> list[TopToken]:
        """The most probable tokens at one place; empty if none are told."""
        logprobs = self.choices[0].logprobs
        tops = (logprobs and logprobs.top_logprobs) or []
        entry = (tops[place] if place < len(tops) else None) or {}
        return [TopToken(token=token, logprob=value) for token, value in entry.items()]


class Model(BaseModel):
    """One model that the server offers; vLLM says how long its context is."""

    id: Name
    max_model_len: Count | None = None


class ModelList(Reply):
    """A reply of `/models`."""

    data: list[Model] = Field(max_length=10_000)


class _Piece(BaseModel):
    piece: str | list[int] = ""


class Tokens(Reply):
    """A reply of `/tokenize`: vLLM gives ids and the vocabulary's spelling, llama.cpp pieces."""

    tokens: list[int | _Piece] = []
    token_strs: list[str] | None = None

    @property
    def pieces(self) -> list[str] | None:
        """The texts of the tokens; null where the reply has none. Parts of characters are empty."""
        pieces = [token.piece for token in self.tokens if isinstance(token, _Piece)]
        if len(pieces) < len(self.tokens):
            return None
        return [piece if isinstance(piece, str) else "" for piece in pieces]


def error_text(body: Any) -> str:
    """The server's own words about an error, without the request that some repeat in it.

    >>> error_text({"error": {"message": "no such model"}})
    'no such model'
    >>> error_text({"detail": [{"loc": ["body", "top_logprobs"], "msg": "too big", "input": 99}]})
    'body.top_logprobs: too big'
    """
    if not isinstance(body, dict):
        return ""
    error = body.get("error")
    entries = error if isinstance(error, dict) else body
    message = error if isinstance(error, str) else entries.get("message", entries.get("detail"))
    if isinstance(message, list):
        places = [entry for entry in message if isinstance(entry, dict)]
        return "; ".join(f"{_dotted(entry.get('loc'))}: {entry.get('msg')}" for entry in places)
    code = entries.get("code") or entries.get("type")
    words = " ".join(message.split()) if isinstance(message, str) else ""
    return f"{words} ({code})" if isinstance(code, str) and code not in words else words


def _dotted(place: Any) -> str:
    return ".".join(map(str, place)) if isinstance(place, list) else str(place)
