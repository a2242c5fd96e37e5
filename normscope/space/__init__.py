"""The Space for people who would rather look: scores, norms and judges' cards in a browser.

`build` draws it, `serve` shows it. gradio is imported when it is drawn, not before.
"""

import os
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

from markupsafe import Markup

from ..errors import UsageError
from ..extras import require
from ..report.writers.html import SCROLL
from .frame import Framed, head
from .limits import KEEP_S, MAX_LONG_BYTES, QUEUE, SESSIONS, SWEEP_S
from .served import Judges
from .tabs import FOOTER, TABS
from .texts import NAMES, i18n, label
from .views_norms import norms_page

ENDPOINTS = frozenset({"score_answer", "score_file", "check_context"})
"""What programs can call; everything else is the page's own."""

_HERE = Path(__file__).parent
_THIS_MACHINE = ("localhost", "127.0.0.1")


def build(judges: Judges | None = None) -> Any:
    """The page with all its tabs and endpoints, as a `gradio.Blocks` that is not yet served."""
    # gradio reads it when it is imported
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    gr = require("gradio", extra="space")
    judges = judges or Judges()
    with gr.Blocks(
        title="Normscope", analytics_enabled=False, delete_cache=(SWEEP_S, KEEP_S)
    ) as page:
        gr.Markdown("# Normscope", elem_id="title")
        gr.HTML(_languages(), elem_id="languages")
        with gr.Tabs(elem_id="tabs"):
            # the style takes the footer's from the row of tabs: links at the bottom open them
            for name, title in (TABS | FOOTER).items():
                with gr.Tab(label(title), id=name, elem_id=f"tab-{name}"):
                    # results begin with headings of the third level
                    look = "unseen" if name in TABS else None
                    gr.HTML(label(title), html_template="<h2>${value}</h2>", elem_classes=look)
                    import_module(f".tabs.{name}", __package__).build(judges)
        _footer()
    for event in page.fns.values():
        if event.api_name not in ENDPOINTS:
            event.api_name, event.api_visibility = False, "private"
    # for events that name no limit of their own (`at_once`)
    page.queue(max_size=QUEUE, default_concurrency_limit=2)
    page.judges = judges
    page.validate_inputs = _complete_inputs
    return page


def _footer() -> None:
    """Links to what few need, and the commands for what no page does."""
    import gradio as gr

    with gr.Row(elem_id="more"):
        for name, title in FOOTER.items():
            link = f'<a href="#tab-{name}">${{value}}</a>'
            gr.HTML(label(title), html_template=link)
        gr.HTML(label("API"), html_template='<a href="#api">${value}</a>')
        gr.Markdown(
            label(
                "Label a sheet: `normscope annotate sample runs/NAME --out labels` writes one for "
                "each rater. Docs: docs/index.md in the repository, and `normscope --help`."
            ),
            elem_classes="quiet",
        )


def _complete_inputs(event: Any, inputs: list[Any]) -> None:
    """Adds what a client of the API left out; a `gradio.Error` for a file that is no upload.

    gradio's own client adds the components' values before it sends; `curl` does not, and gradio
    would refuse its inputs with an error without a text. A path is not looked at before it is
    known to be an upload's, and gradio would fetch a web address of whatever size.
    """
    from gradio import Error
    from gradio.utils import get_upload_folder, is_in_or_equal
    from gradio_client.utils import is_file_obj_with_meta, traverse

    def check(file: Any) -> Any:
        if not is_in_or_equal(file["path"], get_upload_folder()):
            raise Error(
                "The file was not uploaded here: post it to /gradio_api/upload, and send the path "
                "that comes back."
            )
        return file

    traverse(inputs, check, is_file_obj_with_meta)
    inputs += [getattr(block, "value", None) for block in event.inputs[len(inputs) :]]


def serve(
    page: Any,
    *,
    host: str | None = None,
    port: int | None = None,
    quiet: bool = False,
) -> None:
    """Shows the page until the process ends; loads the default judge and reads the norms meanwhile.

    Without a host this machine alone reaches it.
    """
    gr = require("gradio", extra="space")
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    page.judges.warm()
    Thread(target=norms_page, args=({}, "en"), daemon=True).start()
    named = host or os.environ.get("GRADIO_SERVER_NAME") or _THIS_MACHINE[1]
    # a name that leads here from elsewhere (DNS rebinding) reads nothing
    names = _THIS_MACHINE if named in _THIS_MACHINE else ("*",)
    red = gr.themes.colors.red
    try:
        _, address, _ = page.launch(
            server_name=named,
            server_port=port,
            quiet=True,
            prevent_thread_lock=True,
            max_file_size=MAX_LONG_BYTES,
            state_session_capacity=SESSIONS,
            app_kwargs={
                "middleware": [
                    Middleware(TrustedHostMiddleware, allowed_hosts=names),
                    Middleware(Framed, head=head()),
                ]
            },
            share=False,
            ssr_mode=False,
            pwa=False,
            run_history=False,
            enable_monitoring=False,
            footer_links=["api"],
            i18n=i18n(),
            theme=gr.themes.Default(
                primary_hue="blue",
                font=["system-ui", "sans-serif"],
                font_mono=["ui-monospace", "monospace"],
            ).set(
                # white on the usual blue and red, and the usual grey on white, are too faint
                button_primary_background_fill="*primary_600",
                button_primary_background_fill_hover="*primary_700",
                button_cancel_background_fill=red.c600,
                button_cancel_background_fill_hover=red.c700,
                body_text_color_subdued="*neutral_500",
                input_placeholder_color="*neutral_500",
            ),
            css_paths=[SCROLL, *sorted(_HERE.glob("*.css"))],
        )
    except OSError as error:
        raise UsageError(
            f"cannot listen at {named}, port {port or 'any'} ({error}): choose another with --port"
        ) from error
    if not quiet:
        print(f"* Running on {address}", flush=True)  # noqa: T201
    page.block_thread()


def _languages() -> str:
    """Links to the page in each language; its script has them lead to what is seen."""
    links = (
        Markup('<a href="?lang={0}" lang="{0}" hreflang="{0}">{1}</a>').format(code, name)
        for code, name in NAMES.items()
    )
    return Markup('<nav aria-label="Language · 语言">{}</nav>').format(Markup(" ").join(links))
