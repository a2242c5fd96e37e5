"""What stands around gradio's page: its head, with a script that runs before gradio's own.

gradio puts `head=` into the page from its script, after that script has asked the browser for its
language: too late for a page that lets its visitors choose another. The first tab is written here,
too: it is seen before gradio's script has run, and for each of its addresses.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from ..messages import LANGUAGES, Language, translate
from ..palette import properties, rules
from ..report.templates import embedded, templates, translated
from .limits import MAX_LONG_BYTES
from .tabs import FOOTER, TABS
from .texts import LOCALES, language_of, page_texts
from .views_norms import norms_page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TEMPLATES = Path(__file__).parent / "templates"
_HEAD, _BODY = b"</head>", b"<gradio-app"
_NORMS = next(iter(TABS))


class Framed:
    """The app whose first page has our head and first tab in it, and which writes that tab anew."""

    def __init__(self, app: "ASGIApp", head: str) -> None:
        """`head` is HTML; it goes to the end of the page's own head."""
        self._app, self._head = app, head

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answers as the app does, the first page with the head and tab, `/norms` with the tab."""
        from starlette.concurrency import run_in_threadpool
        from starlette.requests import Request
        from starlette.responses import HTMLResponse

        path = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else ""
        if path not in {"/", "/norms"}:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if path == "/norms":
            _, html = await run_in_threadpool(norms_page, request.query_params, _language(request))
            response = HTMLResponse(html, headers={"cache-control": "no-store"})
            await response(scope, receive, send)
            return
        title, first = await run_in_threadpool(_first, request)
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
            page = bytes(body).replace(_HEAD, f"{title}{self._head}".encode() + _HEAD, 1)
            page = page.replace(_BODY, first.encode() + _BODY, 1)
            length = (b"content-length", str(len(page)).encode())
            headers = [h for h in start["headers"] if h[0].lower() != length[0]]
            await send({**start, "headers": [*headers, length]})
            await send({"type": "http.response.body", "body": page})

        # what is in the address is for our script; gradio would look for a page of its own by it
        await self._app({**scope, "query_string": b""}, receive, whole)


def _language(request: "Request") -> Language:
    named = request.query_params.get("lang")
    return next((language for language in LANGUAGES if language == named), language_of(request))


def _first(request: "Request") -> tuple[str, str]:
    """The page's title, and what is seen before gradio has drawn: nothing on another tab."""
    language = _language(request)
    if request.query_params.get("tab", _NORMS) in {*TABS, *FOOTER} - {_NORMS}:
        return "", ""
    title, html = norms_page(request.query_params, language)
    tabs = {name: translate(text, language) for name, text in TABS.items()}
    template = translated(_TEMPLATES, language).get_template("first.html")
    view = Markup(html)  # noqa: S704 - written by our template
    return Markup("<title>{}</title>").format(title), template.render(tabs=tabs, view=view)


def head() -> str:
    """The end of the page's head: its texts in every language, and the script that reads them."""
    data = {"locales": LOCALES, "texts": page_texts(MAX_LONG_BYTES)}
    script = Markup((_TEMPLATES.parent / "page.js").read_text(encoding="utf-8"))  # noqa: S704
    # the tones and labels of the reports
    sheet = (_TEMPLATES / "norms.css").read_text(encoding="utf-8")
    style = Markup(properties(".ns", ".dark .ns") + rules(".ns") + sheet)  # noqa: S704 - our own
    template = templates(_TEMPLATES).get_template("head.html")
    return template.render(data=embedded(data), script=script, style=style)
