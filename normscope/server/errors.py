"""What a client is told when its request is not answered, in the shape of OpenAI's errors."""

from collections.abc import Mapping
from dataclasses import dataclass

from . import limits


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """An error: what was wrong and what to do, its kind, and which field it is about."""

    message: str
    type: str
    code: str
    param: str | None = None


class RequestError(Exception):
    """A request that is not answered, or one answer of it: an HTTP status and what is said."""

    def __init__(
        self,
        status: int,
        code: str,
        text: str,
        *,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`code` is for programs, `text` for people; `param` names the field that is wrong."""
        super().__init__(text)
        self.status, self.headers = status, dict(headers or {})
        self.body = ErrorBody(text, _KINDS.get(status, "invalid_request_error"), code, param)


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """The body of a response that is an error."""

    error: ErrorBody


_KINDS = {
    401: "authentication_error",
    422: "unscored",
    429: "overloaded",
    500: "server_error",
    503: "server_error",
}


def too_large() -> RequestError:
    """What is said of a body with too many bytes."""
    text = f"the body has more than {limits.MAX_BODY_BYTES:,} bytes: send fewer answers at once"
    return RequestError(413, "too_large", text)
