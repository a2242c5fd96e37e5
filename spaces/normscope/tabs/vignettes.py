"""The tab *Vignettes*, and the endpoints `/vignette_norms` and `/vignette_prompts`."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....datasets_builders.ci_vignettes.context import bundled_contexts
from ....messages import Language, joined, known, message, translate
from ....report.names import name_of
from .. import limits, vignette_links
from ..norm_file import norms_in, read_answers, read_context
from ..norms import MAX_REQUESTED, Asking, Norms, ask_model, blank_norms
from ..pages import answered, api_errors, notice, progress, written
from ..served import NO_MODEL
from ..texts import label, language_of
from ..views_norms import cell_blocks, heatmap, number_blocks, plain
from ..vignettes import (
    MAX_FACETS,
    Levels,
    begin_with,
    by_factor,
    checked_levels,
    levels_of,
    write_prompts,
)

if TYPE_CHECKING:
    from .. import Space

FIRST = "coppa"
BEGIN = 16

_CELLS = Path(__file__).parents[1] / "cells.js"
_LOOK = """() => setTimeout(() => {
  const shown = document.querySelector('#vignettes-detail .ns');
  shown?.setAttribute('tabindex', '-1');
  shown?.focus({ preventScroll: true });
  shown?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
}, 50)"""


PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}

Drawn = tuple[str, str, str, Norms | None]
"""The heatmap, what is behind a cell, the numbers over all, and what they were made of."""


@dataclass(frozen=True, slots=True)
class _Components:
    """What stands on the tab; `ask` and `cancel` are null where no model is under test."""

    context: Any
    factors: list[Any]
    file: Any
    take: Any
    prompts: Any
    ask: Any
    cancel: Any
    status: Any
    heat: Any
    behind: Any
    numbers: Any
    state: Any

    @property
    def drawn(self) -> list[Any]:
        """Where what is `Drawn` goes."""
        return [self.heat, self.behind, self.numbers, self.state]


def build(space: "Space") -> None:
    """Draws the tab and names its endpoints."""
    with gr.Row(equal_height=False):
        with gr.Column(scale=3, min_width=280):
            chosen = _choices(space)
        with gr.Column(scale=7, min_width=320):
            status = gr.HTML(elem_id="vignettes-status", elem_classes="live")
            heat = gr.HTML(js_on_load=_CELLS.read_text(encoding="utf-8"), elem_id="vignettes-heat")
            behind = gr.HTML(elem_id="vignettes-detail", elem_classes="live")
            numbers = gr.HTML(elem_id="vignettes-numbers-all")
    # forgotten when the visitors' files are deleted
    state = gr.State(None, time_to_live=limits.KEEP_S)
    components = _Components(
        **chosen,
        status=status,
        heat=heat,
        behind=behind,
        numbers=numbers,
        state=state,
    )
    _follow(space, components)
    _look_behind(components)
    _take(components)
    if space.model.name:
        _ask(space, components)
    _endpoints(space)


def _choices(space: "Space") -> dict[str, Any]:
    """The context, a menu per factor, the file, and the ways to have answers."""
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
    ask = cancel = None
    if space.model.name:
        ask = gr.Button(label("Ask the model here"), variant="primary", elem_id="vignettes-ask")
        cancel = gr.Button(label("Stop"), variant="stop", elem_id="vignettes-cancel")
    file = gr.File(
        label=label("Answers of a model (CSV, JSONL or Parquet)"),
        file_types=[".csv", ".jsonl", ".parquet"],
        height=170,
        elem_id="vignettes-file",
    )
    gr.Markdown(
        label(
            "A run's responses.parquet or judgements.parquet, or a table with item_id, variant_id "
            "and answer. Up to 40 MB and 100,000 rows, 600 vignettes shown at once; deleted within "
            "the hour."
        ),
        elem_classes="quiet",
    )
    take = gr.Button(
        label("Take these prompts (CSV, with an empty answer column)"),
        size="sm",
        elem_id="vignettes-take",
    )
    prompts = gr.File(visible=False, interactive=False, elem_id="vignettes-prompts")
    return {
        "context": context,
        "factors": factors,
        "file": file,
        "take": take,
        "prompts": prompts,
        "ask": ask,
        "cancel": cancel,
    }


def _follow(space: "Space", components: _Components) -> None:
    """The map follows the context, the levels and the file."""

    def menus(name: str, begin: Levels, language: Language) -> list[Any]:
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

    def whole(
        request: gr.Request,
        name: str,
        levels: Levels,
        file: str | None,
    ) -> tuple[Any, ...]:
        language = language_of(request)
        shown = drawn(space, name, levels, file, language=language)
        return (name, *menus(name, levels, language), *shown)

    def changed(name: str, file: str | None, request: gr.Request) -> tuple[Any, ...]:
        return whole(request, name, begin_with(name, most=BEGIN), file)

    def linked(file: str | None, request: gr.Request) -> tuple[Any, ...]:
        return whole(request, *vignette_links.linked(request, FIRST, BEGIN), file)

    def uploaded(name: str, file: str | None, request: gr.Request) -> tuple[Any, ...]:
        begin = begin_with(name, most=BEGIN)
        if file is not None:
            # an unreadable file is told by `drawn`, which reads it again
            with answered(language_of(request)):
                answers = read_context(Path(file), name, guess=True)
                name, begin = answers.context, dict(answers.began)
                # every choice of levels looks at the same rows
                space.tables.get((file, name), lambda: answers)
        return whole(request, name, begin, file)

    def chosen_again(
        request: gr.Request,
        name: str,
        file: str | None,
        *levels: list[str],
    ) -> Drawn:
        chosen, language = by_factor(name, levels), language_of(request)
        return drawn(space, name, chosen, file, language=language)

    source, last = [components.context, components.file], {"trigger_mode": "always_last", **PRIVATE}
    everything = [components.context, *components.factors, *components.drawn]
    reopened = space.links.reopened("vignettes", vignette_links.keys())
    gr.on(reopened, linked, components.file, everything, **last)
    components.context.input(changed, source, everything, **last)
    files = [components.file.upload, components.file.clear]
    taken = gr.on(files, uploaded, source, everything, **last)
    vignette_links.follow(components.context, components.factors, taken)
    inputs = [menu.input for menu in components.factors]
    gr.on(
        inputs,
        chosen_again,
        [*source, *components.factors],
        components.drawn,
        **last,
    )


def _look_behind(components: _Components) -> None:
    """A cell that is chosen shows its prompts and answers."""

    def detail(norms: Norms | None, event: gr.EventData, request: gr.Request) -> str:
        vignettes = () if norms is None else norms.vignettes
        vignette = next((v for v in vignettes if v.item_id == str(event.cell)), None)
        if norms is None or vignette is None:
            return ""
        language = language_of(request)
        with answered(language) as page:
            page.html = written(tuple(cell_blocks(norms, vignette)), language)
        return page.html

    looking = components.heat.click(
        detail, components.state, components.behind, queue=False, **PRIVATE
    )
    looking.then(None, None, None, js=_LOOK, api_visibility="private")


def _take(components: _Components) -> None:
    """The prompts of the chosen vignettes as a file."""

    def written_prompts(request: gr.Request, name: str, *levels: list[str]) -> Iterator[Any]:
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            with answered(language_of(request)) as page:
                path = write_prompts(name, by_factor(name, levels), Path(folder))
                yield "", gr.update(value=str(path), visible=True)
            # only an error leaves something there, after the block has ended
            if page.html:
                yield page.html, gr.update(value=None, visible=False)

    chosen = [components.context, *components.factors]
    components.take.click(
        written_prompts, chosen, [components.status, components.prompts], **PRIVATE
    )


def _ask(space: "Space", components: _Components) -> None:
    """The model under test is asked about the chosen vignettes, until it is done or stopped."""

    def norms_of_model(
        request: gr.Request, name: str, *levels: list[str]
    ) -> Iterator[tuple[Any, ...]]:
        language, unchanged = language_of(request), [gr.skip()] * len(components.drawn)
        with answered(language) as page, space.turns.turn("file", limits.user_of(request)):
            for step in ask_model(space.model, name, by_factor(name, levels)):
                if isinstance(step, Asking):
                    text = message("{done} of {of} prompts asked", done=step.done, of=step.of)
                    yield progress(text, step.done, step.of, language), *unchanged
                else:
                    yield (
                        "",
                        heatmap(step, "", language),
                        "",
                        numbers_of(step, language),
                        step,
                    )
        if page.html:
            yield page.html, *unchanged

    def stopped(request: gr.Request) -> str:
        return notice("status", message("Stopped. Nothing was kept."), language_of(request))

    running = components.ask.click(
        norms_of_model,
        [components.context, *components.factors],
        [components.status, *components.drawn],
        trigger_mode="once",
        **limits.at_once("file"),
        **PRIVATE,
    )
    components.cancel.click(
        stopped, None, components.status, cancels=[running], queue=False, **PRIVATE
    )


def drawn(
    space: "Space",
    name: str,
    levels: Levels,
    file: str | None,
    *,
    language: Language,
) -> Drawn:
    """What the file says about the vignettes, or, without one, what would be asked."""
    norms, numbers, note = None, "", ""
    with answered(language) as page:
        if file:
            answers = space.tables.get((file, name), lambda: read_context(Path(file), name))
            norms = norms_in(answers, levels)
        else:
            norms = blank_norms(name, levels)
            model = message(NO_MODEL)
            if space.model.name:
                model = message(
                    "Model under test: {model}. Up to {most} vignettes at once, each in eleven "
                    "prompt variants.",
                    model=space.model.shown,
                    most=MAX_REQUESTED,
                )
            nobody = message("Nobody has been asked yet. Choose a cell to see what would be asked.")
            note = joined((model, nobody), " ")
        page.html = heatmap(norms, note, language)
        numbers = numbers_of(norms, language)
    return page.html, "", numbers, norms


def numbers_of(norms: Norms, language: Language) -> str:
    """The numbers over all vignettes and the mean of each variant; empty if none is answered."""
    return written(tuple(number_blocks(norms)), language) if norms.prompts else ""


def _endpoints(space: "Space") -> None:
    """The named endpoints, on components of their own that nobody sees."""

    def vignette_norms(
        context: str, levels: Any, answers: str | None, request: gr.Request
    ) -> dict[str, Any]:
        """The norms of a file of answers, or of the model under test if there is no file.

        `levels` maps factors to lists of levels; a factor that is left out is taken whole.
        """
        with api_errors():
            requested = checked_levels(levels)
            if answers is not None:
                return plain(read_answers(Path(answers), context, requested))
            with space.turns.turn("file", limits.user_of(request)):
                *_, norms = ask_model(space.model, context, requested)
                assert isinstance(norms, Norms)  # noqa: S101 - the last that it gives
                return plain(norms)

    def vignette_prompts(context: str, levels: Any) -> Iterator[str]:
        """The prompts of the vignettes with these levels as a CSV with an empty answer column."""
        with api_errors(), tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            yield str(write_prompts(context, checked_levels(levels), Path(folder)))

    with gr.Group(visible=False):
        context = gr.Textbox(label="context", value=FIRST)
        levels = gr.JSON(label="levels", value={})
        answers = gr.File(label="answers")
        norms = gr.JSON(label="norms")
        prompts = gr.File(label="prompts")
        gr.Button().click(
            vignette_norms,
            [context, levels, answers],
            norms,
            api_name="vignette_norms",
            **limits.at_once("file"),
        )
        gr.Button().click(vignette_prompts, [context, levels], prompts, api_name="vignette_prompts")
