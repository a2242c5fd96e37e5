"""What stands around gradio's page: its head, with a script that runs before gradio's own.

gradio puts `head=` into the page from its script, after that script has asked the browser for its
language: too late for a page that lets its visitors choose another.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from ..report.templates import templates
from .limits import MAX_LONG_BYTES
from .texts import LOCALES, page_texts

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HERE = Path(__file__).parent
_END = b"</head>"


class Framed:
    """The app whose first page has our head in it."""

    def __init__(self, app: "ASGIApp", head: str) -> None:
        """`head` is HTML; it goes to the end of the page's own head."""
        self._app, self._head = app, head.encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answers as the app does, the first page with the head."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != "/":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        start: Message = {}

        async def whole(message: "Message") -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            body.extend(message.get("body", b""))
            if message.get("more_body", False):
                return
            page = bytes(body).replace(_END, self._head + _END, 1)
            length = (b"content-length", str(len(page)).encode())
            headers = [h for h in start["headers"] if h[0].lower() != length[0]]
            await send({**start, "headers": [*headers, length]})
            await send({"type": "http.response.body", "body": page})

        # what is in the address is for our script; gradio would look for a page of its own by it
        await self._app({**scope, "query_string": b""}, receive, whole)


def head() -> str:
    """The end of the page's head: its texts in every language, and the script that reads them."""
    embedded = import_module("..report.templates", __package__).embedded
    data = {"locales": LOCALES, "texts": page_texts(MAX_LONG_BYTES)}
    script = Markup((_HERE / "page.js").read_text(encoding="utf-8"))  # noqa: S704 - our own
    template = templates(_HERE / "templates").get_template("head.html")
    return template.render(data=embedded(data), script=script)
