"""The tab *Vignettes*: a context's flows, their prompts, and the norms of a model's answers."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....datasets_builders.ci_vignettes.context import bundled_contexts
from ....messages import Language, known, message, translate
from ....report.names import name_of
from .. import limits
from ..norm_file import first_levels, norms_in, read_answers
from ..norms import Norms, blank_norms
from ..pages import answered, written
from ..texts import label, language_of
from ..views_norms import cell_blocks, heatmap, number_blocks
from ..vignettes import MAX_FACETS, Levels, begin_with, by_factor, levels_of, write_prompts

if TYPE_CHECKING:
    from ..served import Judges

FIRST = "coppa"
BEGIN = 16

_CELLS = Path(__file__).parents[1] / "cells.js"
_LOOK = """() => setTimeout(() => {
  const shown = document.querySelector('#vignettes-detail .ns');
  shown?.setAttribute('tabindex', '-1');
  shown?.focus({ preventScroll: true });
  shown?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
}, 50)"""

Drawn = tuple[str, str, str, Norms | None]
"""The heatmap, what is behind a cell, the numbers over all, and what they were made of."""


def build(_: "Judges") -> None:
    """Draws the tab."""
    with gr.Row(equal_height=False):
        with gr.Column(scale=3, min_width=280):
            context, factors, take, prompts, file = _choices()
        with gr.Column(scale=7, min_width=320):
            status = gr.HTML(elem_id="vignettes-status", elem_classes="live")
            heat = gr.HTML(js_on_load=_CELLS.read_text(encoding="utf-8"), elem_id="vignettes-heat")
            behind = gr.HTML(elem_id="vignettes-detail", elem_classes="live")
            numbers = gr.HTML(elem_id="vignettes-numbers-all")
    # forgotten when the visitors' files are deleted
    state = gr.State(None, time_to_live=limits.KEEP_S)

    def whole(request: gr.Request, name: str, levels: Levels, file: str | None) -> tuple[Any, ...]:
        language = language_of(request)
        shown = drawn(name, levels, file, language)
        return (name, *_menus(name, levels, language), *shown)

    def changed(name: str, file: str | None, request: gr.Request) -> tuple[Any, ...]:
        return whole(request, name, begin_with(name, most=BEGIN), file)

    def uploaded(name: str, file: str | None, request: gr.Request) -> tuple[Any, ...]:
        begin: Levels = begin_with(name, most=BEGIN)
        # an unreadable file is told by `drawn`, which reads it again
        with answered(language_of(request)):
            if file is not None:
                answers = read_answers(Path(file))
                name, begin = answers.context, first_levels(answers)
        return whole(request, name, begin, file)

    def chosen_again(request: gr.Request, name: str, file: str | None, *levels: list[str]) -> Drawn:
        return drawn(name, by_factor(name, levels), file, language_of(request))

    def detail(norms: Norms | None, event: gr.EventData, request: gr.Request) -> str:
        vignettes = () if norms is None else norms.vignettes
        vignette = next((v for v in vignettes if v.item_id == str(event.cell)), None)
        if norms is None or vignette is None:
            return ""
        language = language_of(request)
        with answered(language) as page:
            page.html = written(tuple(cell_blocks(norms, vignette)), language)
        return page.html

    def written_prompts(request: gr.Request, name: str, *levels: list[str]) -> Iterator[Any]:
        # a generator: gradio has copied the file before it goes on and the folder is deleted
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            with answered(language_of(request)) as page:
                path = write_prompts(name, by_factor(name, levels), Path(folder))
                yield "", gr.update(value=str(path), visible=True)
            # only an error leaves something there, after the block has ended
            if page.html:
                yield page.html, gr.update(value=None, visible=False)

    results = [heat, behind, numbers, state]
    source, everything = [context, file], [context, *factors, *results]
    last: dict[str, Any] = {"trigger_mode": "always_last", "show_progress": "hidden"}
    gr.on(None, changed, source, everything, **last)
    context.input(changed, source, everything, **last)
    gr.on([file.upload, file.clear], uploaded, source, everything, **last)
    inputs = [menu.input for menu in factors]
    gr.on(inputs, chosen_again, [*source, *factors], results, **last)
    looking = heat.click(detail, state, behind, queue=False, show_progress="hidden")
    looking.then(None, None, None, js=_LOOK)
    take.click(
        written_prompts,
        [context, *factors],
        [status, prompts],
        show_progress="hidden",
    )


def _choices() -> tuple[Any, list[Any], Any, Any, Any]:
    """The context, a menu per factor, the file, and the prompts to take."""
    titles = [(label(known(context.title)), name) for name, context in bundled_contexts().items()]
    context = gr.Dropdown(
        choices=titles, value=FIRST, label=label("Context"), elem_id="vignettes-context"
    )
    begin = begin_with(FIRST, most=BEGIN)
    menus = [(label(name_of(at)), levels, begin[at]) for at, levels in levels_of(FIRST).items()]
    menus += [("", [], [])] * (MAX_FACETS - len(menus))
    factors = [
        gr.Dropdown(
            choices=levels,
            value=value,
            label=title,
            multiselect=True,
            visible=bool(levels),
            elem_id=f"vignettes-factor-{at}",
        )
        for at, (title, levels, value) in enumerate(menus)
    ]
    gr.Markdown(label("None chosen means all"), elem_classes="quiet")
    take = gr.Button(
        label("Take these prompts (CSV, with an empty answer column)"),
        size="sm",
        elem_id="vignettes-take",
    )
    prompts = gr.File(visible=False, interactive=False, elem_id="vignettes-prompts")
    file = gr.File(
        label=label("Answers of a model (CSV, JSONL or Parquet)"),
        file_types=[".csv", ".jsonl", ".parquet"],
        height=170,
        elem_id="vignettes-file",
    )
    gr.Markdown(
        label(
            "The prompts that you took with their answers filled in, or a run's "
            "judgements.parquet. Up to 40 MB and 100,000 rows, 600 vignettes shown at once; "
            "deleted within the hour."
        ),
        elem_classes="quiet",
    )
    return context, factors, take, prompts, file


def _menus(name: str, begin: Levels, language: Language) -> list[Any]:
    """The levels to choose from of every factor of the context."""
    absent = translate(message("(not given)"), language)
    shown = [
        gr.update(
            label=translate(name_of(factor), language),
            choices=[(level or absent, level) for level in levels],
            value=list(begin.get(factor, [])),
            visible=True,
        )
        for factor, levels in levels_of(name).items()
    ]
    return shown + [gr.update(visible=False, choices=[], value=[])] * (MAX_FACETS - len(shown))


def drawn(name: str, levels: Levels, file: str | None, language: Language) -> Drawn:
    """What the file says about the vignettes, or, without one, what would be asked."""
    norms, numbers, note = None, "", ""
    with answered(language) as page:
        answers = file and read_answers(Path(file))
        if answers and answers.context == name:
            norms = norms_in(answers, levels)
        else:
            norms = blank_norms(name, levels)
            note = message(
                "Take the prompts, let your model answer them, and upload the file. Choose a cell "
                "to see what would be asked."
            )
        page.html = heatmap(norms, note, language)
        # empty where none is answered
        numbers = written(tuple(number_blocks(norms)), language) if norms.prompts else ""
    return page.html, "", numbers, norms
