"""The tab *What models find acceptable*: `frame` writes it, here is its place and norms to open."""

from pathlib import Path
from typing import TYPE_CHECKING

import gradio as gr

from .. import limits
from ..flows import norms_of_files, opened
from ..pages import answered
from ..texts import label, language_of

if TYPE_CHECKING:
    from ..served import Judges


def build(_: "Judges") -> None:
    """Draws the tab."""
    gr.HTML(elem_id="norms-place")
    with gr.Row(elem_id="norms-open"):
        folder = gr.UploadButton(
            label("Open a run's folder"), file_count="directory", size="sm", min_width=180
        )
        tables = gr.UploadButton(
            label("Open tables of norms"),
            file_count="multiple",
            file_types=[".csv", ".parquet"],
            size="sm",
            min_width=180,
        )
        gr.Markdown(
            label(
                "Your own runs and norms.csv, in this view: beside these models where the flows "
                "are the same. Deleted after half an hour."
            ),
            elem_classes="quiet",
        )
    brought = gr.HTML(elem_id="norms-own", elem_classes="live")

    def from_files(files: list[str] | None, request: gr.Request) -> str:
        with answered(language_of(request)) as page:
            name = opened(norms_of_files([*map(Path, files or [])]))
            # the page's script shows the norms of that name
            page.html = f'<div data-own="{name}"></div>'
        return page.html

    for button in (folder, tables):
        button.upload(from_files, button, brought, **limits.at_once("other"))
