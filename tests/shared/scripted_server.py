"""A local OpenAI-compatible server that answers from a script or a real tiny model, and can fail.

`serve(Script(...))` and `serve_model(folder)` are context managers; `server.address` goes into a
`ModelSpec`, `server.trouble` decides call by call how to fail, `server.asked` has what was asked.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from served_voices import Echo, Script, TinyVoice, Top, Voice

from normscope.judges.engine import LabelRequest
from normscope.judges.scale import Scale

__all__ = ["Echo", "Script", "TinyVoice", "Top", "Voice", "serve", "serve_model"]

MORAL = Scale(labels=("0", "1"), values=(0.0, 1.0))
Trouble = Callable[["Handler"], None]
"""A way to fail: it does with the connection what it likes."""


@dataclass
class Asked:
    """One call: its path, its body (null for a GET), and its Authorization header."""

    path: str
    body: dict[str, Any] | None
    authorization: str | None


@dataclass
class Server:
    """What the server knows, does and remembers."""

    voice: Voice
    models: Sequence[str] = ("tiny",)
    context: int | None = None
    key: str | None = None
    apis: Sequence[str] = ("chat/completions", "completions")
    top: int = 20
    tells_logprobs: bool = True
    echoes: str = "right"
    tokenizer: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    refuses: Sequence[str] = ()
    spell: Callable[[str], str] = str
    gives_bytes: bool = False
    trouble: Callable[[int, dict[str, Any] | None], Trouble | None] = lambda _call, _body: None
    asked: list[Asked] = field(default_factory=list)
    tokenized: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0
    port: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    inside: int = 0

    @property
    def address(self) -> str:
        """What goes into a `ModelSpec`."""
        return f"http://127.0.0.1:{self.port}/v1#{self.models[0]}"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was posted after the greeting, in the order of arrival."""
        posted = [asked.body for asked in self.asked if asked.body is not None]
        return [body for body in posted if "is water wet" not in str(body)]


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    owner: Server

    def log_message(self, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        self._meet(None)

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self._meet(json.loads(self.rfile.read(length)))

    def send(self, status: int, body: Any, **headers: str) -> None:
        """A whole answer at once."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = {"Content-Length": str(len(content)), **headers}
        self.send_raw(status, lines, content)

    def send_raw(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        """Whatever the headers promise."""
        head = "".join(f"{name.replace('_', '-')}: {text}\r\n" for name, text in headers.items())
        self.wfile.write(f"HTTP/1.1 {status} x\r\n{head}\r\n".encode() + content)

    def _tokenize(self, body: dict[str, Any]) -> None:
        server = self.owner
        with server.lock:
            server.tokenized.append(body)
        if server.tokenizer is None:
            self.send(404, {"detail": "Not Found"})
        else:
            self.send(200, server.tokenizer(body))

    def _meet(self, body: dict[str, Any] | None) -> None:
        server = self.owner
        path = self.path.removeprefix("/v1/")
        if path == "/tokenize" and body is not None:
            self._tokenize(body)
            return
        with server.lock:
            call = len(server.asked)
            server.asked.append(Asked(path, body, self.headers["Authorization"]))
            server.inside += 1
            server.most_at_once = max(server.most_at_once, server.inside)
        try:
            trouble = server.trouble(call, body)
            if trouble is not None:
                trouble(self)
            elif server.key and self.headers["Authorization"] != f"Bearer {server.key}":
                told = f"Incorrect API key provided: {self.headers['Authorization']}"
                self.send(401, {"error": {"message": told}})
            else:
                self.send(*answer(server, path, body))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with server.lock:
                server.inside -= 1


def answer(server: Server, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
    """Status and body of a call, as such a server gives them."""
    if path == "models" and body is None:
        told = {"max_model_len": server.context} if server.context else {}
        return 200, {"data": [{"id": name, **told} for name in server.models]}
    if path not in server.apis or body is None:
        return 404, {"detail": "Not Found"}
    return _refusal(server, path, body) or (200, _reply(server, path, body))


def _refusal(server: Server, path: str, body: dict[str, Any]) -> tuple[int, Any] | None:
    if body["model"] not in server.models:
        return 404, _error(f"The model `{body['model']}` does not exist.")
    for name in server.refuses:
        if name in body:
            return 400, _error(f"Unsupported parameter: '{name}' is not supported here.")
    asked, prompt = _asked_for(server, path, body)
    if asked is not None and asked > server.top:
        return 400, _error(f"logprobs: {asked} is more than {server.top}, the most allowed")
    if server.context and len(prompt) > server.context:
        told = f"This model's maximum context length is {server.context} tokens. However, you …"
        return 400, _error(told)
    return None


def _asked_for(server: Server, path: str, body: dict[str, Any]) -> tuple[int | None, str]:
    """How many top tokens, and after what."""
    if path.startswith("chat"):
        return body.get("top_logprobs"), server.voice.chat_prompt(body["messages"])
    return body.get("logprobs"), body["prompt"]


def _reply(server: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    chat = path.startswith("chat")
    asked, prompt = _asked_for(server, path, body)
    one = body.get("max_tokens", body.get("max_completion_tokens")) == 1
    top = server.voice.next_top(prompt, asked or 1) if one else {}
    text = next(iter(top), "") if one else server.voice.write(prompt, body)
    reply: dict[str, Any] = {"model": f"{body['model']}-2026", "system_fingerprint": "fp_1"}
    reply["usage"] = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    tells = asked is not None and server.tells_logprobs
    if chat:
        logprobs = _chat_logprobs(server, top) if tells else None
        choice: dict[str, Any] = {
            "message": {"role": "assistant", "content": text},
            "logprobs": logprobs,
        }
    else:
        echo = server.voice.echo(prompt, asked) if body.get("echo") and tells else Echo([], [], [])
        echo = _bend(echo, server.echoes)
        choice = {"text": text, "logprobs": _text_logprobs(server, echo, top) if tells else None}
    return reply | {"choices": [{"index": 0, "finish_reason": "length", **choice}]}


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": None}}


def _chat_logprobs(server: Server, top: Top) -> dict[str, Any]:
    told = [
        {
            "token": server.spell(token),
            "logprob": value,
            "bytes": list(token.encode()) if server.gives_bytes else None,
        }
        for token, value in top.items()
    ]
    return {"content": [{**told[0], "top_logprobs": told}] if told else []}


def _text_logprobs(server: Server, echo: Echo, top: Top) -> dict[str, Any]:
    written = list(top.items())[:1]
    tops = [*echo.tops, *([top] if top else [])]
    spelt = [top and {server.spell(t): value for t, value in top.items()} for top in tops]
    return {
        "tokens": [server.spell(t) for t in [*echo.tokens, *(token for token, _ in written)]],
        "token_logprobs": [*echo.logprobs, *(value for _, value in written)],
        "top_logprobs": spelt,
    }


def _bend(echo: Echo, how: str) -> Echo:
    """The echo as it is, none, or with the probabilities of the next place (llama_cpp.server)."""
    if how == "none":
        return Echo([], [], [])
    if how == "shifted":
        return Echo(echo.tokens, [*echo.logprobs[1:], -1.0], [*echo.tops[1:], {"x": -1.0}])
    return echo


@contextmanager
def serve(voice: Voice, **settings: Any) -> Iterator[Server]:
    """A server on a free port of this machine until the block ends."""
    server = Server(voice, **settings)
    handler = type("Bound", (Handler,), {"owner": server})
    http = _Http(("127.0.0.1", 0), handler)
    server.port = http.server_address[1]
    thread = threading.Thread(target=lambda: http.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        http.shutdown()
        http.server_close()
        thread.join()


def serve_model(folder: Path | str, **settings: Any) -> Any:
    """A server that answers from the model in the folder; settings as in `Server`."""
    return serve(TinyVoice(Path(folder)), **settings)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


def status(code: int, message: str = "no", **headers: str) -> Trouble:
    """An error of the server's, with headers (`Retry_After="7"`)."""
    return lambda handler: handler.send(code, {"error": {"message": message}}, **headers)


def plain(code: int, body: bytes) -> Trouble:
    """An answer that is not JSON, or not of the right shape."""
    return lambda handler: handler.send(code, body)


def hang(handler: Handler) -> None:
    """Never answers."""
    handler.owner.over.wait(30)
    handler.close_connection = True


def drip(handler: Handler) -> None:
    """Answers a byte at a time, for ever."""
    handler.send_raw(200, {"Content-Length": "100000"}, b"")
    while not handler.owner.over.wait(0.02):
        handler.wfile.write(b" ")


def half(handler: Handler) -> None:
    """Promises more than it sends."""
    handler.send_raw(200, {"Content-Length": "1000"}, b'{"choices": [{"mess')
    handler.close_connection = True


def close(handler: Handler) -> None:
    """Hangs up without a word."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def first(times: int, trouble: Trouble, *, after: int = 2) -> Callable[..., Trouble | None]:
    """Fails so many times after the greeting (a list of models and a call), then no more."""
    return lambda call, _body: trouble if after <= call < after + times else None


def whenever(word: str, trouble: Trouble) -> Callable[..., Trouble | None]:
    """Fails whenever the word is in what is asked."""
    return lambda _call, body: trouble if word in str(body) else None


def ask(text: str = "a question", scale: Scale = MORAL, lead: str = "") -> LabelRequest:
    """A request for the labels of a scale."""
    return LabelRequest(conversation=(("user", text),), scale=scale, lead=lead)
