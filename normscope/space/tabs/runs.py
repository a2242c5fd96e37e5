"""The tab *Your runs*: finished runs, read answer by answer or compared."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr
from markupsafe import Markup

from ...comparison import Compared
from ...comparison import compare as compare_runs
from ...errors import NormscopeError
from ...files import unreadable_parquet
from ...messages import marked, message, replaced, translate
from ...records.integrity import CONFIG, ITEMS, JUDGEMENTS, MANIFEST, RESPONSES
from ...records.run import Run
from ...records.settings import Settings
from ...report.blocks import Beside, Block, Caveat, titled
from ...report.comparison.figures import draw
from ...report.comparison.page import comparison_page
from ...report.comparison.write import write
from ...tables import check_parquet
from ...text_tables import Limits
from ...untrusted import inert
from ...viewer import MOST_ANSWERS, Answers, answers_page, opened
from .. import limits
from ..example_runs import example_runs
from ..pages import answered, notice, written
from ..texts import VisitorError, label, language_of
from ..upload import readable

if TYPE_CHECKING:
    from ..served import Judges

_SIDES = (
    marked("A run"),
    marked("Compared with it"),
)

MAX_NAME = 40

_LIMITS = Limits(limits.MAX_LONG_ROWS, limits.MAX_COLUMNS, limits.MAX_LONG_MEMORY)

_NEEDED = (CONFIG, ITEMS, RESPONSES, JUDGEMENTS, MANIFEST)


def build(_: "Judges") -> None:
    """Draws the tab."""
    with gr.Row(equal_height=False):
        sides = [_side(at) for at in range(len(_SIDES))]
        with gr.Column(min_width=240):
            example = gr.Button(label("Open an example"), elem_id="runs-example")
            compare = gr.Button(label("Compare"), variant="primary", elem_id="runs-compare")
            look = gr.Button(label("Read every answer"), elem_id="runs-look")
            although = gr.Checkbox(
                label=label("Go on although they were not measured alike"), elem_id="runs-although"
            )
    gr.Markdown(
        label(
            "The folders of finished runs (runs/NAME), each up to 300,000 answers; deleted within "
            "the hour."
        ),
        elem_classes="quiet",
    )
    status = gr.HTML(elem_id="runs-status", elem_classes="live")
    result = gr.HTML(elem_id="runs-result", elem_classes="live")
    drawn = gr.HTML(elem_id="runs-figures")
    downloads = gr.File(
        label=label("Take home: all of it as files"),
        file_count="multiple",
        interactive=False,
        visible=False,
        height=260,
        elem_id="runs-downloads",
    )
    # whether the example is looked at, and no upload
    is_open = gr.State(False)
    chosen, outputs = [is_open, *sides], [result, status, drawn, downloads]
    once: dict[str, Any] = {
        "trigger_mode": "once",
        "show_progress": "minimal",
        **limits.at_once("other"),
    }
    compare.click(compared_page, [although, *chosen], outputs, **once)
    look.click(answers, chosen, outputs, **once)
    example.click(lambda: (True, None, None), None, chosen, queue=False).then(
        answers, chosen, outputs, **once
    )
    # a run that was brought is read at once
    for side in sides:
        side.upload(lambda: False, None, is_open, queue=False).then(
            answers, chosen, outputs, **once
        )


def _side(at: int) -> Any:
    """The place for a run's folder."""
    with gr.Column(min_width=240):
        return gr.File(
            label=label(_SIDES[at]),
            file_count="directory",
            height=120,
            elem_id=f"runs-run-{at}",
        )


def compared_page(
    request: gr.Request, although: bool, example: bool, *uploads: Any
) -> Iterator[list[Any]]:
    """The differences of the runs, then their figures, and all of it as files."""
    language = language_of(request)
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        with answered(language) as page:
            with runs_of(uploads, example=example) as runs:
                compared = compared_of(runs, although=although)
            # the numbers are there at once, the figures take seconds more
            html = written(comparison_page(compared).blocks, language)
            drawing = notice("status", message("Drawing the figures …"), language)
            yield [html, drawing, "", _nothing()]
            figures = draw(runs, compared, Path(folder), formats=("png",), language=language)
            plots = Beside(tuple(map(titled, figures.plots)))
            charts: list[Block] = [plots, *map(Caveat, figures.notes)]
            paths = [*write(compared, Path(folder), language), *figures.paths]
            files = gr.update(value=[str(path) for path in paths], visible=True)
            yield [html, "", written(charts, language), files]
        # only an error leaves something there, after the block has ended
        if page.html:
            yield [page.html, "", "", _nothing()]


def answers(request: gr.Request, example: bool, *uploads: Any) -> Iterator[list[Any]]:
    """Every answer of the runs, on the page that `normscope view` writes."""
    language = language_of(request)
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        with answered(language) as page:
            with runs_of(uploads, example=example) as runs:
                read = answers_of(runs)
            path = Path(folder) / "answers.html"
            path.write_text(answers_page(read, language=language), encoding="utf-8")
            title = translate(message("Every answer"), language)
            files = gr.update(value=[str(path)], visible=True)
            yield [framed(path.read_text(encoding="utf-8"), title), "", "", files]
        if page.html:
            yield [page.html, "", "", _nothing()]


@contextmanager
def runs_of(uploads: Sequence[Any], *, example: bool) -> Iterator[list[Run]]:
    """The runs of the uploads, or those of the example."""
    if example and not any(uploads):
        yield [*example_runs()]
        return
    with run_folders(uploads) as folders:
        yield read_runs(folders)


def _nothing() -> Any:
    return gr.update(value=None, visible=False)


def read_runs(folders: list[Path]) -> list[Run]:
    """The runs in the folders, named after their models."""
    runs = [opened(folder) for folder in folders]
    names = names_of([run.config for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def compared_of(runs: list[Run], *, although: bool) -> Compared:
    """The differences of two runs or more."""
    if len(runs) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise VisitorError(
            "A comparison needs two runs: add the folder of a baseline and of the run compared "
            "with it."
        )
    return compare_runs(runs, although=although)


def answers_of(runs: list[Run]) -> Answers:
    """The answers of one run, or of two beside each other."""
    if not runs:
        raise VisitorError("Answers are looked at of one run, or of two side by side.")
    return Answers(runs, first=MOST_ANSWERS)


def framed(page: str, title: str) -> str:
    """The page in a frame that may run its own script, and reach nothing around it."""
    # without allow-same-origin: the texts are anybody's
    frame = Markup(
        '<div class="ns"><p class="unseen">{}</p><iframe class="answers" '
        'sandbox="allow-scripts allow-downloads" title="{}" srcdoc="{}"></iframe></div>'
    )
    return frame.format(title, title, page)


@contextmanager
def run_folders(uploads: Sequence[Sequence[str] | None]) -> Iterator[list[Path]]:
    """Folders with the files of each upload under the names that they have in a run.

    Every table is counted before anything else reads it; an error names no path of this machine.
    """
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        try:
            yield [
                _copied([Path(path) for path in paths], Path(folder) / str(number))
                for number, paths in enumerate(filter(None, uploads), start=1)
            ]
        except NormscopeError as error:
            error.args = (replaced(error.message, f"{folder}/", ""), *error.args[1:])
            raise


def names_of(configs: Sequence[Settings]) -> list[str]:
    """What each run is called: like its model, each once and short, no formula of a spreadsheet."""
    names: list[str] = []
    for config in configs:
        usual = Path(config.model.model).name if config.model else "run"
        name = inert(" ".join(usual.split()))[:MAX_NAME] or "run"
        times = sum(before == name or before.startswith(f"{name} (") for before in names)
        names.append(f"{name} ({times + 1})" if times else name)
    return names


def _copied(files: Sequence[Path], folder: Path) -> Path:
    names = {path.name for path in files}
    if missing := [name for name in _NEEDED if name not in names]:
        raise VisitorError(
            "This is not the folder of a finished run: there is no {missing} in it. Choose the "
            "folder itself, with everything that lies in it.",
            missing=", ".join(missing),
        )
    folder.mkdir()
    for path in files:
        if path.suffix == ".parquet":
            with (
                readable(path, most=limits.MAX_LONG_BYTES),
                unreadable_parquet(path),
            ):
                check_parquet(path, _LIMITS)
        shutil.copyfile(path, folder / path.name)
    return folder
