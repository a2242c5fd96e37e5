"""The tab *Compare*, and the endpoint `/compare_runs`."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....comparison import Compared, Run
from ....comparison import compare as compare_runs
from ....comparison.published import alone, published_beside, scored_run
from ....messages import marked, message
from ....report.comparison.figures import draw
from ....report.comparison.write import write
from .. import limits
from ..comparing import MAX_NAME, MOST_RUNS, read_sides
from ..pages import answered, api_errors, notice, written
from ..run_files import KINDS
from ..texts import VisitorError, label, language_of
from ..views_compare import comparison_blocks, figure_blocks, plain

if TYPE_CHECKING:
    from .. import Space

_SIDES = (
    marked("Baseline"),
    marked("Compared with it"),
    marked("A third, if there is one"),
    marked("A fourth, if there is one"),
)


def build(space: "Space") -> None:
    """Draws the tab and names its endpoint."""
    gr.Markdown(
        label(
            "Two to four runs or judged files, item by item. The first is the baseline. For a run "
            "drop its judgements.parquet, and items.parquet and config.yaml with it; or a file "
            "judged here or by normscope judge. Up to 40 MB and 100,000 rows each; deleted within "
            "the hour."
        ),
        elem_classes="quiet",
    )
    with gr.Row(equal_height=False):
        sides = [_side(at) for at in range(2)]
    with (
        gr.Accordion(label("More than two"), open=False, elem_id="compare-more"),
        gr.Row(equal_height=False),
    ):
        sides += [_side(at) for at in range(2, MOST_RUNS)]
    with gr.Row(equal_height=False):
        although = gr.Checkbox(
            label=label("Go on although they were not measured alike"), elem_id="compare-although"
        )
        published = gr.Checkbox(
            label=label("Show published results (one run will do)"), elem_id="compare-published"
        )
        button = gr.Button(label("Compare"), variant="primary", size="lg", elem_id="compare-button")
    result = gr.HTML(elem_id="compare-result", elem_classes="live")
    status = gr.HTML(elem_id="compare-status", elem_classes="live")
    drawn = gr.HTML(elem_id="compare-figures")
    downloads = gr.File(
        label=label("Take home: the whole comparison (Markdown, CSV, JSON) and its figures"),
        file_count="multiple",
        interactive=False,
        visible=False,
        height=260,
        elem_id="compare-downloads",
    )

    def compared_page(
        request: gr.Request, although: bool, published: bool, *inputs: Any
    ) -> Iterator[list[Any]]:
        language = language_of(request)
        nothing = gr.update(value=None, visible=False)
        with tempfile.TemporaryDirectory(prefix="normscope-") as temporary:
            with answered(language) as page, space.turns.turn("other", limits.user_of(request)):
                runs, compared, unchecked = compared_of(
                    inputs[:MOST_RUNS],
                    inputs[MOST_RUNS:],
                    although=although,
                    published=published,
                )
                # the numbers are there at once, the figures take seconds more
                shown = written(tuple(comparison_blocks(compared, unchecked)), language)
                drawing = notice("status", message("Drawing the figures …"), language)
                yield [shown, drawing, "", nothing]
                folder = Path(temporary)
                figures = draw(runs, compared, folder, formats=("png",), language=language)
                charts = written([*figure_blocks(figures)], language)
                paths = [*write(compared, folder, language), *figures.paths]
                files = gr.update(value=[str(path) for path in paths], visible=True)
                yield [shown, "", charts, files]
            # only an error leaves something there, after the block has ended
            if page.html:
                yield [page.html, "", "", nothing]

    def waiting(request: gr.Request) -> str:
        text = message("The differences will stand here.")
        return notice("waiting", text, language_of(request))

    files, names = zip(*sides, strict=True)
    button.click(
        compared_page,
        [although, published, *files, *names],
        [result, status, drawn, downloads],
        trigger_mode="once",
        show_progress="minimal",
        api_visibility="private",
        **limits.at_once("other"),
    )
    gr.on(None, waiting, None, result, queue=False, api_visibility="private")
    _endpoint(space)


def _side(at: int) -> tuple[Any, Any]:
    """The files of a run, and its name."""
    with gr.Column(min_width=280):
        files = gr.File(
            label=label(_SIDES[at]),
            file_count="multiple",
            file_types=KINDS,
            height=170,
            elem_id=f"compare-run-{at}",
        )
        name = gr.Textbox(
            label=label("Its name"),
            placeholder=label("as its model is called"),
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
        published: bool,
        request: gr.Request,
    ) -> Iterator[tuple[dict[str, Any], list[str]]]:
        """Compares two to four runs: every difference, then the whole comparison as files.

        A run is its `judgements.parquet` with its `items.parquet` and `config.yaml`, or a judged
        file. Runs that were not measured alike are refused unless `although`. With `published` the
        papers' results stand beside them, and one run will do.
        """
        with (
            tempfile.TemporaryDirectory(prefix="normscope-") as folder,
            api_errors(),
            space.turns.turn("other", limits.user_of(request)),
        ):
            called = list(map(str, names)) if isinstance(names, list) else []
            sides = (first, second, third, fourth)
            _, compared, unchecked = compared_of(
                sides, called, although=bool(although), published=bool(published)
            )
            paths = write(compared, Path(folder))
            yield plain(compared, unchecked), [str(path) for path in paths]

    with gr.Group(visible=False):
        although = gr.Checkbox(label="although")
        names = gr.JSON(label="names", value=[])
        files = [
            gr.File(label=f"run {at + 1}", file_count="multiple", file_types=KINDS)
            for at in range(MOST_RUNS)
        ]
        published = gr.Checkbox(label="published", value=False)
        comparison = gr.JSON(label="comparison")
        paths = gr.File(label="files", file_count="multiple")
        gr.Button().click(
            compare_files,
            [although, names, *files, published],
            [comparison, paths],
            api_name="compare_runs",
            **limits.at_once("other"),
        )


def compared_of(
    sides: Sequence[Sequence[str] | None],
    names: Sequence[str],
    *,
    although: bool,
    published: bool = False,
) -> tuple[tuple[Run, ...], Compared, list[str]]:
    """The runs of the files, their differences, and what could not be checked.

    With `published` the papers' results stand beside, and one run will do.
    """
    uploads = [[Path(path) for path in paths or ()] for paths in sides]
    runs, unchecked = read_sides(uploads, names, least=1 if published else 2)
    if len(runs) == 1:
        return runs, alone(scored_run(runs[0]), runs[0].model), unchecked
    compared = compare_runs(runs, although=although)
    if published:
        beside = published_beside([*map(scored_run, runs)], compared.norms)
        compared = replace(compared, published=beside)
    if not compared.rows:
        raise VisitorError(
            "The files have no criterion in common that a metric is made of (moral and rating, "
            "refusal, option, acceptability)."
        )
    return runs, compared, unchecked
