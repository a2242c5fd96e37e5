"""The tab *Norms of real models*."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import gradio as gr

from ...builders.ci_vignettes.published_answers import published_models
from ...messages import joined
from ...report.names import name_of
from ..pages import answered
from ..published import FIRST, SIDES
from ..texts import label, language_of
from ..views_published import more_page, norms_page

if TYPE_CHECKING:
    from ..served import Judges

_BETWEEN = ","
_SIDES = {_BETWEEN.join(pair): pair for pair in SIDES}


def build(_: "Judges") -> None:
    """Draws the tab."""
    with gr.Row(equal_height=False):
        models = gr.Dropdown(
            choices=list(published_models()),
            value=[],
            multiselect=True,
            label=label("Models (none chosen means all)"),
            elem_id="norms-models",
            min_width=280,
        )
        sides = gr.Dropdown(
            choices=[
                (label(joined(map(name_of, pair), " × ")), value) for value, pair in _SIDES.items()
            ],
            value=_BETWEEN.join(FIRST),
            label=label("Rows × columns"),
            elem_id="norms-sides",
            min_width=280,
        )
    first = gr.HTML(elem_id="norms-result", elem_classes="live")
    more = gr.HTML(elem_id="norms-more")

    def shown(draw: Callable[..., str]) -> Callable[..., str]:
        def view(models: list[str], sides: str, request: gr.Request) -> str:
            language = language_of(request)
            with answered(language) as view:
                view.html = draw(tuple(sorted(models)), _SIDES.get(sides, FIRST), language)
            return view.html

        return view

    # what is seen first waits neither for the rest nor for anybody's turn
    chosen = [models, sides]
    drawn = (
        gr.on(None, shown(norms_page), chosen, first, trigger_mode="always_last", queue=False),
        gr.on(
            [models.input, sides.input],
            shown(norms_page),
            chosen,
            first,
            trigger_mode="always_last",
        ),
    )
    for event in drawn:
        event.then(shown(more_page), chosen, more, queue=False)
