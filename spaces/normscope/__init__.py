"""The Space for people who would rather look: scores, norms and judges' cards in a browser.

`build` draws it, `serve` shows it. gradio is imported when it is drawn, not before.
"""

import os
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from ...extras import require
from ...palette import properties, rules
from .limits import KEEP_S, MAX_FILE_BYTES, QUEUE, SWEEP_S, Turns
from .served import Judges, ServedModel
from .tabs import TABS
from .texts import i18n, label, page_texts

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Space:
    """What every tab is given: the models, and whose turn it is."""

    judges: Judges = field(default_factory=Judges)
    model: ServedModel = field(default_factory=ServedModel)
    turns: Turns = field(default_factory=Turns)


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
        with gr.Tabs(elem_id="tabs") as tabs:
            for name, title in TABS.items():
                with gr.Tab(label(title), id=name, elem_id=f"tab-{name}"):
                    import_module(f".tabs.{name}", __package__).build(space)
        # links on the page open a tab by this one: on a phone its own button is in a menu
        gr.Button(visible="hidden", elem_id="open-judges").click(
            lambda: gr.Tabs(selected="judges"), None, tabs, queue=False, api_visibility="private"
        )
    # for events that name no limit of their own (`at_once`)
    page.queue(max_size=QUEUE, default_concurrency_limit=2)
    page.space = space
    page.validate_inputs = _filled_in
    return page


def _filled_in(event: Any, inputs: list[Any]) -> None:
    """Adds what a client of the API left out: the values of the components that it is for.

    gradio's own client does so before it sends; `curl` does not, and gradio would refuse its inputs
    with an error without a text.
    """
    inputs += [getattr(block, "value", None) for block in event.inputs[len(inputs) :]]


def serve(
    page: Any, *, host: str | None = None, port: int | None = None, quiet: bool = False
) -> None:
    """Shows the page until the process ends; loads the default judge and draws meanwhile."""
    # uvicorn is needed to serve the page, not to draw it
    run = import_module(".serving", __package__).run
    page.space.judges.warm()
    import_module(".views_published", __package__).warm()
    run(mounted(page), host=host, port=port, quiet=quiet)


def _head() -> str:
    """What stands in the page's head: its texts as JSON, and the script that reads them."""
    embedded = import_module("...report.trust.labelling_page", __package__).embedded
    texts = embedded(page_texts(MAX_FILE_BYTES))
    script = f'<script type="application/json" id="page-texts">{texts}</script>'
    return script + (_HERE / "head.html").read_text(encoding="utf-8")


def _colours() -> str:
    """The tones and labels of the reports, on the page's own ground."""
    ground = ".ns { --paper: var(--body-background-fill); --ink: var(--body-text-color); }\n"
    return properties(".ns", ".dark .ns") + rules(".ns") + ground


def mounted(page: Any) -> Any:
    """The page as an app that a server can run."""
    gr = require("gradio", extra="space")
    return gr.mount_gradio_app(
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
            # white on the usual blue, and the usual grey on white, are too faint to read
            button_primary_background_fill="*primary_600",
            button_primary_background_fill_hover="*primary_700",
            body_text_color_subdued="*neutral_500",
            input_placeholder_color="*neutral_500",
        ),
        css=_colours(),
        css_paths=sorted(_HERE.glob("*.css")),
        head=_head(),
    )
