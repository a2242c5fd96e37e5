"""The tab *Score*: an answer, or a file of them."""

from typing import TYPE_CHECKING

import gradio as gr

from ..texts import label
from . import answer, file

if TYPE_CHECKING:
    from ..served import Judges


def build(judges: "Judges") -> None:
    """Draws the tab and names its endpoints."""
    answer.build(judges)
    with gr.Accordion(label("A file of answers"), open=False, elem_id="score-file"):
        file.build(judges)
