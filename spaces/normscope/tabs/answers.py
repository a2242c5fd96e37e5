"""The tab *Answers*, and the endpoint `/answers`."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....errors import NormscopeError, UsageError
from ....messages import Language, marked, message, translate
from ....report.blocks import in_language
from ....viewer import Query
from .. import limits
from ..answer_controls import MOST_CONTROLS, Controls
from ..pages import answered, api_errors, notice
from ..run_files import KINDS
from ..shelf import Shown
from ..texts import VisitorError, label, language_of
from ..views_answers import Place, answers_page, framed, plain

if TYPE_CHECKING:
    from .. import Space

_SCRIPT = Path(__file__).parent.parent / "answers.js"
_SIDES = (marked("A run"), marked("Another, to see the same answers beside each other"))

PRIVATE: dict[str, Any] = {
    "api_visibility": "private",
    "show_progress": "minimal",
    "trigger_mode": "always_last",
    **limits.at_once("look"),
}


@dataclass(frozen=True, slots=True)
class _Components:
    """What stands on the tab. `runs` are the places for files, or the menu of the server's runs."""

    runs: list[Any]
    filter: Any
    search: Any
    sort: Any
    changed: Any
    controls: list[Any]
    result: Any

    @property
    def choices(self) -> list[Any]:
        """What writes into the filter."""
        return [self.sort, self.changed, *self.controls]

    @property
    def shown(self) -> list[Any]:
        """What another filter or another run changes."""
        return [self.filter, *self.choices, self.result]


def build(space: "Space") -> None:
    """Draws the tab and names its endpoint."""
    components = _drawn(space)
    _follow(space, components)
    _endpoint(space)


def _drawn(space: "Space") -> _Components:
    runs = _menu(space.shelf.names) if space.shelf.names else _files()
    with gr.Row(equal_height=True):
        line = gr.Textbox(
            label=label("Filter"),
            info=label(
                'Words and "quoted words" search the texts; the lists below write the rest, as '
                "in category:social_bias refusal=risky -coverage<0.5"
            ),
            max_lines=1,
            max_length=limits.MAX_FILTER,
            scale=8,
            min_width=260,
            elem_id="answers-filter",
        )
        search = gr.Button(
            label("Search"), variant="primary", scale=1, min_width=100, elem_id="answers-search"
        )
    with (
        gr.Accordion(label("Choose from lists"), open=False, elem_id="answers-lists"),
        gr.Row(),
    ):
        controls = [
            gr.Dropdown(
                choices=[],
                value=[],
                multiselect=True,
                visible=False,
                min_width=220,
                elem_id=f"answers-control-{at}",
            )
            for at in range(MOST_CONTROLS)
        ]
    with gr.Row(equal_height=True):
        sort = gr.Dropdown(
            choices=[(label("as in the run"), "")],
            value="",
            label=label("Order"),
            visible=False,
            min_width=220,
            elem_id="answers-sort",
        )
        changed = gr.Checkbox(
            label=label("Only where the label changed"),
            visible=False,
            min_width=220,
            elem_id="answers-changed",
        )
    result = gr.HTML(
        js_on_load=_SCRIPT.read_text(encoding="utf-8"),
        elem_id="answers-result",
        elem_classes="live",
    )
    return _Components(runs, line, search, sort, changed, controls, result)


def _menu(names: Sequence[str]) -> list[Any]:
    """Which of the server's runs are looked at, where there are two."""
    if len(names) == 1:
        return []
    return [
        gr.Dropdown(
            choices=list(names),
            value=list(names),
            multiselect=True,
            label=label("Runs (none chosen means all)"),
            elem_id="answers-runs",
        )
    ]


def _files() -> list[Any]:
    """The places for the files of one run or two."""
    gr.Markdown(
        label(
            "Every answer of a run, or of two runs side by side: search, filter, open. Drop a "
            "run's judgements.parquet, and its responses.parquet, items.parquet and config.yaml "
            "with it. Up to 40 MB and 100,000 rows each; deleted within the hour. Larger runs: "
            "normscope view RUN on your own machine."
        ),
        elem_classes="quiet",
    )
    with gr.Row(equal_height=False):
        return [
            gr.File(
                label=label(title),
                file_count="multiple",
                file_types=KINDS,
                height=150,
                elem_id=f"answers-run-{at}",
            )
            for at, title in enumerate(_SIDES)
        ]


def _follow(space: "Space", components: _Components) -> None:
    """List and controls follow the runs, the filter and the place in the page's address."""
    has_menu, files = len(space.shelf.names) > 1, components.runs

    def everything(place: Place, sources: Sequence[Any], request: gr.Request) -> list[Any]:
        """The filter, what its controls are set to, and the answers, or what is wrong."""
        html, controls = looked(space, place, sources, request)
        choices: list[Any] = [gr.skip()] * len(components.choices)
        if controls is not None:
            choices = _updates(controls, place.filter, language_of(request))
        return [place.filter, *choices, html]

    def restored(event: gr.EventData, request: gr.Request, *sources: Any) -> list[Any]:
        place = Place.of(event._data or {})
        menu = [list(place.run or space.shelf.names)] if has_menu else []
        return [*menu, *everything(place, sources, request)]

    def turned(event: gr.EventData, request: gr.Request, *sources: Any) -> str:
        return looked(space, Place.of(event._data or {}), sources, request)[0]

    def searched(request: gr.Request, line: str, *sources: Any) -> list[Any]:
        return everything(_place(space, line, sources), sources, request)

    def chosen(request: gr.Request, line: str, sort: str, changed: bool, *rest: Any) -> list[Any]:
        lists, sources = rest[:MOST_CONTROLS], rest[MOST_CONTROLS:]
        # what is amiss with line or runs is said by `everything`, which reads them again
        with suppress(NormscopeError):
            shown = _shown(space, _place(space, line, sources), sources, limits.user_of(request))
            if shown is not None:
                query = Query.parse(line)
                line = shown.controls.written(query, lists, sort, changed=changed).text()
        return searched(request, line, *sources)

    line, result, shown = components.filter, components.result, components.shown
    # the answers alone fade while others come, not the lists that follow them
    private = {**PRIVATE, "show_progress_on": result}
    menu = files if has_menu else []
    result.restore(restored, files, [*menu, *shown], **private)
    result.turn(turned, files, result, **private)
    gr.on([line.submit, components.search.click], searched, [line, *files], shown, **private)
    picked = [choice.input for choice in components.choices]
    gr.on(picked, chosen, [line, *components.choices, *files], shown, **private)
    given = [
        event
        for each in files
        for event in ([each.input] if has_menu else [each.upload, each.clear])
    ]
    if given:
        gr.on(given, searched, [line, *files], shown, **private)


def looked(
    space: "Space", place: Place, sources: Sequence[Any], request: gr.Request
) -> tuple[str, Controls | None]:
    """The page of answers at the place, or what is wrong; and the controls where there are runs."""
    language, html, controls = language_of(request), "", None
    with answered(language) as page:
        shown = _shown(space, place, sources, limits.user_of(request))
        if shown is not None:
            # before the filter is tried: one that says nothing does not take the lists away
            controls = shown.controls
            html = answers_page(shown, place, language)
        else:
            text = message("The answers will stand here.")
            html = framed(notice("waiting", text, language), replace(place, filter=""), language)
    # only an error leaves something on the page
    return html or framed(page.html, place, language), controls


def _shown(space: "Space", place: Place, sources: Sequence[Any], user: str) -> Shown | None:
    """The runs that the place names of the server's, or those of the visitor's files."""
    if space.shelf.names:
        return space.shelf.served(place.run)
    uploads = [[Path(path) for path in paths] for paths in sources if paths]
    if not uploads:
        return None
    with space.turns.turn("look", user):
        return space.shelf.uploaded(uploads)


def _place(space: "Space", line: str, sources: Sequence[Any]) -> Place:
    """The first page of what the filter leaves of the runs that are chosen."""
    names = space.shelf.names
    # of two there is a menu
    chosen = sources[0] if len(names) > 1 and sources and sources[0] else names
    return Place(run=tuple(chosen), filter=line)


def _updates(controls: Controls, line: str, language: Language) -> list[Any]:
    """The choices of the controls, and what the filter sets them to."""
    try:
        query = Query.parse(line)
    except UsageError:
        query = Query()
    orders = [(translate(title, language), value) for title, value in controls.orders]
    lists = [
        gr.update(
            label=in_language(control.title, language),
            choices=[(in_language(title, language), value) for title, value in control.choices],
            value=controls.shown(query, control),
            visible=True,
        )
        for control in controls.lists
    ]
    hidden = gr.update(choices=[], value=[], visible=False)
    return [
        gr.update(choices=orders, value=controls.sort(query), visible=True),
        gr.update(value=controls.changed(query), visible=controls.paired),
        *lists,
        *[hidden] * (MOST_CONTROLS - len(lists)),
    ]


def _endpoint(space: "Space") -> None:
    """The named endpoint, on components of its own that nobody sees."""

    def answers(
        filter: str,  # noqa: A002 - as the endpoint calls it
        page: float,
        first: Any,
        second: Any,
        request: gr.Request,
    ) -> dict[str, Any]:
        """Lists the answers of one run or two that a filter leaves, a page of 25 at a time.

        A run is its `judgements.parquet` with its `responses.parquet`, `items.parquet` and
        `config.yaml`; without files it is those that the server was started on.
        """
        with api_errors():
            uploads = [[Path(path) for path in paths] for paths in (first, second) if paths]
            if not (uploads or space.shelf.names):
                raise VisitorError("Add a run's files: there are no runs on this server.")
            with space.turns.turn("look", limits.user_of(request)):
                shown = space.shelf.uploaded(uploads) if uploads else space.shelf.served()
                return plain(shown.filtered(filter or ""), max(int(page or 1), 1))

    with gr.Group(visible=False):
        line = gr.Textbox(label="filter", value="")
        page = gr.Number(label="page", value=1)
        runs = [
            gr.File(label=title, file_count="multiple", file_types=KINDS)
            for title in ("first", "second")
        ]
        rows = gr.JSON(label="answers")
        gr.Button().click(
            answers, [line, page, *runs], rows, api_name="answers", **limits.at_once("look")
        )
