"""A Space as a process of its own, and what visits it: a browser, a client, plain requests."""

import csv
import http.client
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from uuid import uuid4

from served_process import served_process

from normscope.space.tabs import TABS

SCRIPTED = Path(__file__).parent / "scripted_space.py"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PICTURES = os.environ.get("NORMSCOPE_SCREENSHOTS")

Served = tuple[str, Path, int]
"""The address, a folder with its temporary files in `tmp`, the process."""

View = tuple[str, int, str]
"""A browser's language, its width, and whether it is light or dark."""

VIEWS: tuple[View, ...] = (("en-GB", 1280, "light"), ("zh-CN", 390, "dark"))


@contextmanager
def served_space(folder: Path, *command: str | Path, **environment: str) -> Iterator[Served]:
    """The Space while the block lasts: the scripted one, or what the command starts.

    The command gets the port as its last argument.
    """
    (folder / "tmp").mkdir()
    unset = {"NORMSCOPE_JUDGE", "NORMSCOPE_RUBRIC", "NORMSCOPE_CARDS"}
    own = {name: value for name, value in os.environ.items() if name not in unset}
    own |= {"TMPDIR": str(folder / "tmp"), **environment}
    log = folder / "log.txt"
    with served_process(command or (SCRIPTED,), log=log, ready="/config", environment=own) as (
        address,
        process,
    ):
        yield address, folder, process.pid


def client_of(address: str, **more: Any) -> Any:
    """A client of the Space's API."""
    return import_module("gradio_client").Client(address, verbose=False, **more)


def upload(path: Path) -> Any:
    """The file as an argument of an endpoint."""
    return import_module("gradio_client").handle_file(str(path))


def temporary(served: Served) -> list[Path]:
    """The folders in which the Space is at work for somebody."""
    return list((served[1] / "tmp").glob("normscope-*/"))


def _request(address: str, method: str, path: str, *content: Any) -> tuple[int, str]:
    with closing(http.client.HTTPConnection(urlparse(address).netloc, timeout=30)) as connection:
        connection.request(method, path, *content)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def post(address: str, path: str, value: Any) -> tuple[int, str]:
    """The status and the text of the answer."""
    return _request(address, "POST", path, json.dumps(value), {"Content-Type": "application/json"})


def get(address: str, path: str) -> str:
    return _request(address, "GET", path)[1]


def called(address: str, event: Mapping[str, Any], data: Sequence[Any]) -> str:
    """The stream of what an event of the page's config answers, as a client of the API gets it."""
    if event["api_visibility"] == "public":
        path = f"/gradio_api/call/{event['api_name']}"
        _, reply = post(address, path, {"data": data})
        return get(address, f"{path}/{json.loads(reply)['event_id']}")
    # an event of the page itself, asked for as the page does
    session = uuid4().hex
    asked = {"data": data, "fn_index": event["id"], "session_hash": session}
    post(address, "/gradio_api/queue/join", asked)
    return get(address, f"/gradio_api/queue/data?session_hash={session}")


@contextmanager
def visited(
    address: str,
    name: str = "score",
    view: View = ("en-GB", 1280, "light"),
    query: str = "",
    ready: str = "#tab-norms #norms-view .answers",
) -> Iterator[tuple[Any, list[str]]]:
    """The page on the tab, and what is to be complained of: errors, dialogs, outsiders.

    With a `query` the page is opened by that link, on the tab that it names; `ready` is what is
    there when it can be used. When the block ends, the page must not be wider than the screen.
    """
    locale, width, scheme = view
    complaints: list[str] = []
    with import_module("playwright.sync_api").sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            locale=locale, viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((f"{address}/", "data:", "blob:", "about:"))
                else complaints.append(request.url)
            ),
        )
        page.goto(f"{address}/{query}")
        page.wait_for_selector(ready, state="attached")
        if not query:
            open_tab(page, name)
        yield page, complaints
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} wide on a screen of {width}"
        browser.close()


def language_of(view: View) -> str:
    return "zh" if view[0].startswith("zh") else "en"


def open_tab(page: Any, name: str) -> None:
    page.click(f"#tab-{name}-button" if name in TABS else f'#more a[href="#tab-{name}"]')
    page.wait_for_selector(f"#tab-{name}", state="visible")


def open_file(page: Any) -> None:
    """Unfolds the part of the tab that takes a file."""
    page.click("#score-file button >> nth=0")
    page.wait_for_selector("#file-button", state="visible")


def picture(page: Any, name: str, *more: str | int) -> None:
    """A screenshot, if somebody wants to look at them: `NORMSCOPE_SCREENSHOTS` is the folder."""
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(500)
        file = Path(PICTURES) / f"{'-'.join(map(str, (name, *more)))}.png"
        page.screenshot(path=str(file), full_page=True)


def resident(process: int) -> float:
    """The megabytes that the process holds."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def rows_of(path: str | Path) -> list[dict[str, str]]:
    """The rows of a CSV file that came back."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    """The path of a CSV file with these rows."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path
