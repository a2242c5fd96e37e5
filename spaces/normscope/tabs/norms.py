"""The tab *Norms of real models*, and the endpoint `/published_norms`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....datasets_builders.ci_vignettes.published_answers import published_models
from ....messages import joined
from ....report.names import name_of
from ..links import chosen, one_chosen
from ..pages import answered, api_errors
from ..published import FIRST, SIDES, chosen_models
from ..texts import VisitorError, label, language_of
from ..views_published import more_page, norms_page, plain

if TYPE_CHECKING:
    from .. import Space

_BETWEEN = ","
_PAIRS = tuple(_BETWEEN.join(pair) for pair in SIDES)


def build(space: "Space") -> None:
    """Draws the tab and names its endpoint."""
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
                (label(joined(map(name_of, pair), " × ")), value)
                for pair, value in zip(SIDES, _PAIRS, strict=True)
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
                view.html = draw(tuple(sorted(models)), factors(sides.split(_BETWEEN)), language)
            return view.html

        return view

    def linked(request: gr.Request) -> tuple[list[str], str, str]:
        models = chosen(request, "models", published_models()) or []
        sides = one_chosen(request, "sides", _PAIRS, _BETWEEN.join(FIRST))
        return models, sides, shown(norms_page)(models, sides, request)

    reopened = space.links.follow("norms", {"models": models, "sides": sides})
    # what is seen first waits neither for the rest nor for anybody's turn
    drawn = (
        gr.on(
            reopened,
            linked,
            None,
            [models, sides, first],
            api_visibility="private",
            trigger_mode="always_last",
            queue=False,
        ),
        gr.on(
            [models.input, sides.input],
            shown(norms_page),
            [models, sides],
            first,
            api_visibility="private",
            trigger_mode="always_last",
        ),
    )
    for event in drawn:
        event.then(shown(more_page), [models, sides], more, api_visibility="private", queue=False)
    _endpoint()


def _endpoint() -> None:
    """The named endpoint, on components of its own that nobody sees."""

    def published_norms(models: Any, rows: str, columns: str) -> dict[str, Any]:
        """The mean norms of these models, or of all, by two factors of the flows.

        With the mean answer in each prompt variant, and on how many vignettes two models agree.
        """
        with api_errors():
            if not isinstance(models, list) or not all(isinstance(name, str) for name in models):
                raise VisitorError("Models are a list of names.")
            return plain(chosen_models(models), factors((rows, columns)))

    with gr.Group(visible=False):
        models = gr.JSON(label="models", value=[])
        rows, columns = (
            gr.Textbox(label=side, value=factor)
            for side, factor in zip(("rows", "columns"), FIRST, strict=True)
        )
        norms = gr.JSON(label="norms")
        gr.Button().click(
            published_norms, [models, rows, columns], norms, api_name="published_norms"
        )


def factors(names: Sequence[str]) -> tuple[str, str]:
    """The two factors of a map, in either order; an error names those that there are."""
    known = sorted({factor for pair in SIDES for factor in pair})
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(known):  # noqa: PLR2004
        raise VisitorError(
            "{names} are not two factors of the flows; there are: {known}.",
            names=", ".join(name[:60] for name in names),
            known=", ".join(known),
        )
    return names[0], names[1]
