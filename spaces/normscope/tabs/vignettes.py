"""The tab *Vignettes*, and the endpoints `/vignette_norms` and `/vignette_prompts`."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....datasets_builders.ci_vignettes.context import bundled_contexts
from ....datasets_builders.ci_vignettes.prompts import bundled_prompts
from ....errors import NormscopeError
from ....rows import write_rows
from .. import limits
from ..norms import (
    MAX_ASKED,
    MAX_SHOWN,
    Asking,
    Norms,
    ask_model,
    blank_norms,
    context_of,
    read_answers,
)
from ..pages import answered, api_error, fragment, written
from ..upload import read_long
from ..views_norms import cell_detail, constants_in, grids, legend, number_blocks
from ..vignettes import MAX_FACETS, begin_with, choose, levels_of, prompts_of, vignettes
from ..words import Language, Told, Words, language_of

if TYPE_CHECKING:
    from .. import Space

FIRST = "coppa"
BEGIN = 16

_CELLS = """
const cells = () => [...element.querySelectorAll('[data-cell]')];
element.addEventListener('click', (event) => {
  const cell = event.target.closest('[data-cell]');
  if (!cell) return;
  cells().forEach((one) => one.setAttribute('aria-pressed', one === cell));
  trigger('click', { cell: cell.dataset.cell });
});
element.addEventListener('keydown', (event) => {
  const cell = event.target.closest('[data-cell]');
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  if (!cell || !step[event.key]) return;
  const [down, across] = step[event.key];
  const at = cell.parentElement.cellIndex, row = cell.closest('tr');
  const next = row.parentElement.rows[row.sectionRowIndex + down]?.cells[at + across];
  const button = next?.querySelector('[data-cell]');
  if (button) { button.focus(); event.preventDefault(); }
});
"""
_LOOK = """() => setTimeout(() => {
  const shown = document.querySelector('#vignettes-detail .cell');
  shown?.focus({ preventScroll: true });
  shown?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
}, 50)"""


PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
SHARED: dict[str, Any] = {"concurrency_limit": limits.AT_ONCE["file"], "concurrency_id": "file"}

Drawn = tuple[str, str, str, Norms | None]
"""The heatmap, what is behind a cell, the numbers over all, and what they were made of."""


@dataclass(frozen=True, slots=True)
class _Parts:
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
            heat = gr.HTML(js_on_load=_CELLS, elem_id="vignettes-heat")
            behind = gr.HTML(elem_id="vignettes-detail", elem_classes="live")
            numbers = gr.HTML(elem_id="vignettes-numbers-all")
    state = gr.State(None, time_to_live=limits.KEEP_S)
    parts = _Parts(**chosen, status=status, heat=heat, behind=behind, numbers=numbers, state=state)
    _follow(space, parts)
    _look_behind(space.words, parts)
    _take(space.words, parts)
    if space.model.name:
        _ask(space, parts)
    _endpoints(space)


def _choices(space: "Space") -> dict[str, Any]:
    """The context, a menu per factor, the file, and the ways to have answers."""
    words, model = space.words, space.model
    context = gr.Dropdown(
        choices=[(words.of(f"vignettes_context_{one}"), one) for one in bundled_contexts()],
        value=FIRST,
        label=words.of("vignettes_context"),
        elem_id="vignettes-context",
    )
    begin = begin_with(FIRST, most=BEGIN)
    known = [(facet, levels, begin[facet]) for facet, levels in levels_of(FIRST).items()]
    known += [("", [], [])] * (MAX_FACETS - len(known))
    factors = [
        gr.Dropdown(
            choices=levels,
            value=value,
            label=words.of(f"vignettes_factor_{facet}") if facet else "",
            multiselect=True,
            visible=bool(facet),
            elem_id=f"vignettes-factor-{at}",
        )
        for at, (facet, levels, value) in enumerate(known)
    ]
    gr.Markdown(words.of("vignettes_levels_hint"), elem_classes="quiet")
    ask = cancel = None
    if model.name:
        ask = gr.Button(words.of("vignettes_ask"), variant="primary", elem_id="vignettes-ask")
        cancel = gr.Button(words.of("vignettes_cancel"), variant="stop", elem_id="vignettes-cancel")
    file = gr.File(
        label=words.of("vignettes_file"),
        file_types=[".csv", ".jsonl", ".parquet"],
        height=170,
        elem_id="vignettes-file",
    )
    gr.Markdown(words.of("vignettes_file_note"), elem_classes="quiet")
    take = gr.Button(words.of("vignettes_take_prompts"), size="sm", elem_id="vignettes-take")
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


def _follow(space: "Space", parts: _Parts) -> None:
    """The map follows the context, the levels and the file."""
    words = space.words

    def slots(name: str, begin: Mapping[str, Any], told: Language) -> list[Any]:
        known = levels_of(name)
        found = [
            gr.update(
                label=factor_name(words, facet, told),
                choices=[(level or words.say("vignettes_blank", told), level) for level in levels],
                value=list(begin.get(facet, [])),
                visible=True,
            )
            for facet, levels in known.items()
        ]
        return found + [gr.update(visible=False, choices=[], value=[])] * (MAX_FACETS - len(found))

    def changed(name: str, file: str | None, request: gr.Request) -> tuple[Any, ...]:
        told = language_of(request)
        begin = begin_with(name, most=BEGIN)
        return (*slots(name, begin, told), *shown(space, name, begin, file, told))

    def uploaded(name: str, file: str | None, request: gr.Request) -> tuple[Any, ...]:
        told = language_of(request)
        begin = begin_with(name, most=BEGIN)
        if file is not None:
            with answered(words, told):
                name = context_of(Path(file)) or name
                begin = widest(name, Path(file))
        return (name, *slots(name, begin, told), *shown(space, name, begin, file, told))

    def chosen_again(request: gr.Request, name: str, file: str | None, *levels: list[str]) -> Drawn:
        return shown(space, name, by_factor(name, levels), file, language_of(request))

    given, last = [parts.context, parts.file], {"trigger_mode": "always_last", **PRIVATE}
    everything = [*parts.factors, *parts.drawn]
    gr.on(None, changed, given, everything, **last)
    parts.context.input(changed, given, everything, **last)
    files = [parts.file.upload, parts.file.clear]
    gr.on(files, uploaded, given, [parts.context, *everything], **last)
    menus = [one.input for one in parts.factors]
    gr.on(menus, chosen_again, [*given, *parts.factors], parts.drawn, **last)


def _look_behind(words: Words, parts: _Parts) -> None:
    """A cell that is chosen shows its prompts and answers."""

    def detail(norms: Norms | None, event: gr.EventData, request: gr.Request) -> str:
        told = language_of(request)
        one = None if norms is None else norms.vignette(str(event.cell))
        if norms is None or one is None:
            return ""
        with answered(words, told) as page:
            page.html = fragment("cell", words, told, **cell_detail(norms, one, words, told))
        return page.html

    looking = parts.heat.click(detail, parts.state, parts.behind, queue=False, **PRIVATE)
    looking.then(None, None, None, js=_LOOK, api_visibility="private")


def _take(words: Words, parts: _Parts) -> None:
    """The prompts of the chosen vignettes as a file."""

    def taken(request: gr.Request, name: str, *levels: list[str]) -> Iterator[Any]:
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            with answered(words, language_of(request)) as page:
                path = write_prompts(name, by_factor(name, levels), Path(folder))
                yield "", gr.update(value=str(path), visible=True)
            if page.html:
                yield page.html, gr.update(value=None, visible=False)

    asked = [parts.context, *parts.factors]
    parts.take.click(taken, asked, [parts.status, parts.prompts], **PRIVATE)


def _ask(space: "Space", parts: _Parts) -> None:
    """The model under test is asked about the chosen vignettes, until it is done or stopped."""
    words = space.words

    def asked(request: gr.Request, name: str, *levels: list[str]) -> Iterator[tuple[Any, ...]]:
        told = language_of(request)
        with answered(words, told) as page, space.turns.turn("file", limits.user_of(request)):
            for step in ask_model(space.model, name, by_factor(name, levels)):
                if isinstance(step, Asking):
                    text = words.say("vignettes_asking", told, done=step.done, of=step.of)
                    bar = fragment("asking", words, told, text=text, done=step.done, of=step.of)
                    yield bar, *[gr.skip()] * 4
                else:
                    found = page_of(step, "", words, told), "", numbers_of(step, words, told)
                    yield "", *found, step
        if page.html:
            yield page.html, *[gr.skip()] * 4

    def stopped(request: gr.Request) -> str:
        told = language_of(request)
        return fragment("note", words, told, text=words.say("vignettes_stopped", told))

    running = parts.ask.click(
        asked,
        [parts.context, *parts.factors],
        [parts.status, *parts.drawn],
        trigger_mode="once",
        **SHARED,
        **PRIVATE,
    )
    parts.cancel.click(stopped, None, parts.status, cancels=[running], queue=False, **PRIVATE)


def shown(
    space: "Space", name: str, levels: Mapping[str, Any], file: str | None, told: Language
) -> Drawn:
    """What the file says about the vignettes, or, without one, what would be asked."""
    words, norms, numbers = space.words, None, ""
    with answered(words, told) as page:
        norms = read_answers(Path(file), name, levels) if file else blank(name, levels)
        note = "" if file else words.say("vignettes_blank_note", told)
        if not file and space.model.name:
            model = {"model": space.model.shown, "most": MAX_ASKED}
            note = f"{words.say('vignettes_ask_note', told, **model)} {note}"
        elif not file:
            note = f"{words.say('vignettes_no_model', told)} {note}"
        page.html = page_of(norms, note, words, told)
        numbers = numbers_of(norms, words, told)
    return page.html, "", numbers, norms


def _endpoints(space: "Space") -> None:
    """The named endpoints, on components of their own that nobody sees."""

    def vignette_norms(
        context: str, levels: Any, answers: str | None, request: gr.Request
    ) -> dict[str, Any]:
        """The norms of a file of answers, or of the model under test if there is no file.

        `levels` maps factors to lists of levels; a factor that is left out is taken whole.
        """
        try:
            wanted = checked_levels(levels)
            if answers is not None:
                return plain(read_answers(Path(answers), context, wanted))
            with space.turns.turn("file", limits.user_of(request)):
                *_, last = ask_model(space.model, context, wanted)
                return plain(last)
        except NormscopeError as error:
            raise api_error(error) from error

    def vignette_prompts(context: str, levels: Any) -> Iterator[str]:
        """The prompts of the vignettes with these levels as a CSV with an empty answer column."""
        try:
            with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
                yield str(write_prompts(context, checked_levels(levels), Path(folder)))
        except NormscopeError as error:
            raise api_error(error) from error

    with gr.Group(visible=False):
        context = gr.Textbox(label="context", value=FIRST)
        levels = gr.JSON(label="levels", value={})
        answers = gr.File(label="answers")
        found = gr.JSON(label="norms")
        made = gr.File(label="prompts")
        gr.Button().click(
            vignette_norms,
            [context, levels, answers],
            found,
            api_name="vignette_norms",
            **SHARED,
        )
        gr.Button().click(vignette_prompts, [context, levels], made, api_name="vignette_prompts")


def blank(name: str, levels: Mapping[str, Any]) -> Norms:
    """The chosen vignettes with nothing answered."""
    chosen = choose(name, levels)
    if len(chosen) > MAX_SHOWN:
        raise Told("vignettes_too_many", n=f"{len(chosen):,}", most=MAX_SHOWN)
    return blank_norms(name, chosen)


def by_factor(name: str, levels: tuple[list[str], ...]) -> dict[str, list[str]]:
    """The levels under their factors, as the tab's menus stand."""
    return {
        facet: list(chosen or []) for facet, chosen in zip(levels_of(name), levels, strict=False)
    }


def checked_levels(levels: Any) -> dict[str, list[str]]:
    """The levels as a client of the API sent them."""
    if not levels:
        return {}
    if not isinstance(levels, dict) or not all(
        isinstance(one, list) and all(isinstance(level, str) for level in one)
        for one in levels.values()
    ):
        raise Told("vignettes_levels_form")
    return {str(name): list(one) for name, one in levels.items()}


def widest(name: str, file: Path) -> dict[str, list[str]]:
    """The levels that the file has answers about, one of each factor while they are too many."""
    there = ids_of(file)
    left = [one for one in vignettes(name) if one.item_id in there]
    chosen: dict[str, list[str]] = {}
    for facet, levels in levels_of(name).items():
        found = [level for level in levels if any(one.flow.get(facet) == level for one in left)]
        if len(left) > MAX_SHOWN and len(found) > 1:
            found = found[:1]
            left = [one for one in left if one.flow.get(facet) in {None, *found}]
        chosen[facet] = [] if len(found) == len(levels) else found
    return chosen


def ids_of(file: Path) -> set[str]:
    """The ids of the file's vignettes."""
    return {str(one) for one in read_long(file, ("item_id",)).column("item_id")}


def factor_name(words: Words, facet: str, told: Language) -> str:
    """What the factor is called."""
    key = f"vignettes_factor_{facet}"
    return words.say(key, told) if key in words.texts else facet.replace("_", " ")


def page_of(norms: Norms, note: str, words: Words, told: Language) -> str:
    """The heatmap and the numbers over all as HTML."""
    size = len(norms.vignettes)
    if norms.ways:
        lead = words.say("vignettes_lead", told, model=norms.model, n=f"{size:,}")
    else:
        ways = len(bundled_prompts().variants)
        lead = words.say(
            "vignettes_lead_blank", told, n=f"{size:,}", variants=ways, prompts=f"{size * ways:,}"
        )
    if norms.left_out:
        note = f"{note} {words.say('vignettes_left_out', told, n=f'{norms.left_out:,}')}".strip()
    return fragment(
        "norms",
        words,
        told,
        note=note,
        lead=lead,
        constants=constants_in(norms.vignettes),
        legend=legend(norms, words, told),
        grids=tuple(grids(norms, words, told)),
    )


def numbers_of(norms: Norms, words: Words, told: Language) -> str:
    """The numbers over all vignettes and the mean of each variant; empty if nothing is answered."""
    if not norms.ways:
        return ""
    return written(number_blocks(norms, words, told), told)


def write_prompts(name: str, levels: Mapping[str, Any], folder: Path) -> Path:
    """Writes the prompts of the chosen vignettes as a CSV into the folder."""
    chosen = choose(name, levels)
    if len(chosen) > MAX_SHOWN:
        raise Told("vignettes_too_many", n=f"{len(chosen):,}", most=MAX_SHOWN)
    rows = [
        {"item_id": one.item_id, "variant_id": variant, "prompt": prompt, "answer": ""}
        for one in chosen
        for variant, prompt in prompts_of(one).items()
    ]
    path = folder / f"{name}-prompts.csv"
    write_rows(path, rows)
    return path


def plain(norms: Norms | Asking) -> dict[str, Any]:
    """The norms as JSON values, for the API."""
    if isinstance(norms, Asking):  # the last that is yielded never is
        return {}
    return {
        "context": norms.context,
        "model": norms.model,
        "statistics": [asdict(one) for one in norms.statistics if one.name != "alpha"],
        "by_variant": {k: v if v == v else None for k, v in norms.by_variant.items()},  # noqa: PLR0124
        "vignettes": [
            {
                "item_id": one.item_id,
                "vignette": one.text,
                "flow": dict(one.flow),
                "norm": norm,
                "state": state.name.lower(),
                "answers": [
                    {
                        "variant_id": answer.way[0],
                        "value": answer.value,
                        "label": answer.label,
                        "probs": None if answer.probs is None else list(answer.probs),
                        "reason": answer.reason,
                    }
                    for answer in norms.answers[one.item_id]
                ],
            }
            for one, norm, state in zip(norms.vignettes, norms.norms, norms.states, strict=True)
        ],
    }
