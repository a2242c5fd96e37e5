"""The tab *Compare*, and the endpoint `/compare_runs`."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....compare import Compared, Run
from ....compare import compare as compare_runs
from ....errors import NormscopeError
from ....report.comparison.write import write
from .. import limits
from ..comparing import MAX_NAME, MOST_RUNS, read_sides
from ..pages import answered, api_error, fragment, written
from ..views_compare import comparison_blocks, figure_blocks, plain
from ..words import Told, Words, language_of

if TYPE_CHECKING:
    from .. import Space

KINDS = [".parquet", ".csv", ".jsonl", ".yaml", ".yml", ".json"]


def build(space: "Space") -> None:
    """Draws the tab and names its endpoint."""
    words = space.words
    gr.Markdown(words.of("compare_intro"), elem_classes="quiet")
    with gr.Row(equal_height=False):
        sides = [_side(words, at) for at in range(2)]
    with (
        gr.Accordion(words.of("compare_more"), open=False, elem_id="compare-more"),
        gr.Row(equal_height=False),
    ):
        sides += [_side(words, at) for at in range(2, MOST_RUNS)]
    with gr.Row(equal_height=False):
        although = gr.Checkbox(label=words.of("compare_although"), elem_id="compare-although")
        button = gr.Button(
            words.of("compare_button"), variant="primary", size="lg", elem_id="compare-button"
        )
    result = gr.HTML(elem_id="compare-result", elem_classes="live")
    status = gr.HTML(elem_id="compare-status", elem_classes="live")
    drawn = gr.HTML(elem_id="compare-figures")
    downloads = gr.File(
        label=words.of("compare_downloads"),
        file_count="multiple",
        interactive=False,
        visible=False,
        height=260,
        elem_id="compare-downloads",
    )

    def compared_page(request: gr.Request, although: bool, *given: Any) -> Iterator[list[Any]]:
        told = language_of(request)
        nothing = gr.update(value=None, visible=False)
        with tempfile.TemporaryDirectory(prefix="normscope-") as made:
            with answered(words, told) as page, space.turns.turn("other", limits.user_of(request)):
                runs, found, unchecked = compared_of(
                    given[:MOST_RUNS], given[MOST_RUNS:], although=although
                )
                shown = written([*comparison_blocks(found, unchecked, words, told)], told)
                waiting = fragment("note", words, told, text=words.say("compare_drawing", told))
                yield [shown, waiting, "", nothing]
                folder = Path(made)
                html = written(figure_blocks(runs, found, folder, told), told)
                paths = [*write(found, folder), *sorted(folder.glob("*.png"))]
                yield [shown, "", html, gr.update(value=[str(p) for p in paths], visible=True)]
            if page.html:
                yield [page.html, "", "", nothing]

    def waiting(request: gr.Request) -> str:
        told = language_of(request)
        return fragment("waiting", words, told, text=words.say("compare_waiting", told))

    files, names = [side[0] for side in sides], [side[1] for side in sides]
    button.click(
        compared_page,
        [although, *files, *names],
        [result, status, drawn, downloads],
        trigger_mode="once",
        show_progress="minimal",
        api_visibility="private",
        concurrency_limit=limits.AT_ONCE["other"],
        concurrency_id="other",
    )
    gr.on(None, waiting, None, result, queue=False, api_visibility="private")
    _endpoint(space)


def _side(words: Words, at: int) -> tuple[Any, Any]:
    with gr.Column(min_width=280):
        files = gr.File(
            label=words.of(f"compare_run_{at}"),
            file_count="multiple",
            file_types=KINDS,
            height=170,
            elem_id=f"compare-run-{at}",
        )
        name = gr.Textbox(
            label=words.of("compare_name"),
            placeholder=words.of("compare_name_hint"),
            max_length=MAX_NAME,
            elem_id=f"compare-name-{at}",
        )
    return files, name


def _endpoint(space: "Space") -> None:
    """The named endpoint, on components of its own that nobody sees."""

    def compare_files(  # noqa: PLR0917 - gradio hands over by place
        although: bool,
        names: Any,
        first: Any,
        second: Any,
        third: Any,
        fourth: Any,
        request: gr.Request,
    ) -> Iterator[tuple[dict[str, Any], list[str]]]:
        """Compares two to four runs: every difference, then the whole comparison as files.

        A run is its `judgements.parquet` with its `items.parquet` and `config.yaml`, or a judged
        file. Runs that were not measured alike are refused unless `although`.
        """
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            try:
                with space.turns.turn("other", limits.user_of(request)):
                    called = [str(one) for one in names] if isinstance(names, list) else []
                    given = (first, second, third, fourth)
                    _, found, unchecked = compared_of(given, called, although=bool(although))
                    paths = write(found, Path(folder))
                    yield plain(found, unchecked, space.words), [str(path) for path in paths]
            except NormscopeError as error:
                raise api_error(error) from error

    with gr.Group(visible=False):
        although = gr.Checkbox(label="although")
        names = gr.JSON(label="names", value=[])
        files = [
            gr.File(label=f"run {at + 1}", file_count="multiple", file_types=KINDS)
            for at in range(MOST_RUNS)
        ]
        found = gr.JSON(label="comparison")
        made = gr.File(label="files", file_count="multiple")
        gr.Button().click(
            compare_files,
            [although, names, *files],
            [found, made],
            api_name="compare_runs",
            concurrency_limit=limits.AT_ONCE["other"],
            concurrency_id="other",
        )


def compared_of(
    given: Sequence[Sequence[str] | None], names: Sequence[str], *, although: bool
) -> tuple[tuple[Run, ...], Compared, list[str]]:
    """The runs of the files, their differences, and the keys of what could not be checked."""
    uploads = [[Path(path) for path in paths or ()] for paths in given]
    runs, unchecked = read_sides(uploads, names)
    compared = compare_runs(runs, although=although)
    if not compared.rows:
        raise Told("compare_nothing")
    return runs, compared, unchecked
