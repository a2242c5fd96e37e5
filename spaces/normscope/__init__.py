"""The Space for people who would rather look: scores, norms and judges' cards in a browser.

`build` draws it, `serve` shows it. gradio is imported when it is drawn, not before.
"""

import os
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...extras import require
from ...palette import properties, rules
from ...report.writers.html import SCROLL
from .frame import Framed, head
from .held import Held
from .limits import KEEP_S, MAX_FILE_BYTES, QUEUE, READ_ONCE, SESSIONS, SWEEP_S, Turns
from .links import Links
from .norm_file import ContextAnswers
from .served import Judges, ServedModel
from .tabs import TABS
from .texts import NAMES, i18n, label

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Space:
    """What every tab is given: models, whose turn it is, what the address says.

    `tables` are visitors' answers to vignettes, by their file and context: held here and not by
    gradio for each visitor, they are few.
    """

    judges: Judges = field(default_factory=Judges)
    model: ServedModel = field(default_factory=ServedModel)
    turns: Turns = field(default_factory=Turns)
    links: Links = field(default_factory=Links)
    tables: Held[ContextAnswers] = field(default_factory=lambda: Held(READ_ONCE, KEEP_S))


def build(space: Space | None = None) -> Any:
    """The page with all its tabs and endpoints, as a `gradio.Blocks` that is not yet served."""
    # gradio reads it when it is imported
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    gr = require("gradio", extra="space")
    space = space or Space()
    with gr.Blocks(
        title="Normscope", analytics_enabled=False, delete_cache=(SWEEP_S, KEEP_S)
    ) as page:
        gr.Markdown(
            label(
                "# Normscope\nWhich flows of information does a model find acceptable? And does "
                "an answer refuse, comply or do harm?"
            ),
            elem_id="title",
        )
        gr.HTML(_languages(), elem_id="languages")
        with gr.Tabs(elem_id="tabs"):
            for name, title in TABS.items():
                with gr.Tab(label(title), id=name, elem_id=f"tab-{name}"):
                    # results begin with headings of the third level
                    gr.HTML(label(title), html_template="<h2>${value}</h2>", elem_classes="unseen")
                    import_module(f".tabs.{name}", __package__).build(space)
    # for events that name no limit of their own (`at_once`)
    page.queue(max_size=QUEUE, default_concurrency_limit=2)
    # the server is mounted, not launched, which is where gradio takes it as an argument
    page.state_session_capacity = SESSIONS
    page.space = space
    page.validate_inputs = _complete_inputs
    return page


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
    address: str = "/",
    opens: bool = False,
) -> None:
    """Shows the page until the process ends; loads the default judge and draws meanwhile.

    With `opens` a browser opens on the `address`.
    """
    # uvicorn is needed to serve the page, not to draw it
    run = import_module(".serving", __package__).run
    page.space.judges.warm()
    import_module(".views_published", __package__).warm()
    run(mounted(page), host=host, port=port, quiet=quiet, address=address, opens=opens)


def _languages() -> str:
    """Links to the page in each language; its script has them lead to what is seen."""
    links = (
        Markup('<a href="?lang={0}" lang="{0}" hreflang="{0}">{1}</a>').format(code, name)
        for code, name in NAMES.items()
    )
    return Markup('<nav aria-label="Language · 语言">{}</nav>').format(Markup(" ").join(links))


def _colours() -> str:
    """The tones and labels of the reports, on the page's own ground."""
    ground = ".ns { --paper: var(--body-background-fill); --ink: var(--body-text-color); }\n"
    return properties(".ns", ".dark .ns") + rules(".ns") + ground


def mounted(page: Any) -> Any:
    """The page as an app that a server can run."""
    gr = require("gradio", extra="space")
    red = gr.themes.colors.red
    app = gr.mount_gradio_app(
        require("fastapi", extra="space").FastAPI(openapi_url=None),
        page,
        path="/",
        show_error=False,
        ssr_mode=False,
        max_file_size=MAX_FILE_BYTES,
        footer_links=["api"],
        i18n=i18n(),
        theme=gr.themes.Default(
            primary_hue="blue",
            font=["system-ui", "sans-serif"],
            font_mono=["ui-monospace", "monospace"],
        ).set(
            # white on the usual blue and red, and the usual grey on white, are too faint to read
            button_primary_background_fill="*primary_600",
            button_primary_background_fill_hover="*primary_700",
            button_cancel_background_fill=red.c600,
            button_cancel_background_fill_hover=red.c700,
            body_text_color_subdued="*neutral_500",
            input_placeholder_color="*neutral_500",
        ),
        css=_colours(),
        css_paths=[SCROLL, *sorted(_HERE.glob("*.css"))],
    )
    # gradio checks no path of a page that is mounted, not launched: neither those that visitors
    # send nor those that are sent to them
    page.has_launched = True
    return Framed(app, head(page.space.links.keys))
