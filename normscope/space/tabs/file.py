"""The part of the tab *Score* for a file, and the endpoint `/score_file`."""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ...messages import marked, message, translate
from ...table_writer import write_rows
from .. import limits
from ..downloads import write_downloads
from ..examples import EXAMPLES
from ..judging import Judged, Progress, judge_rows, plan
from ..pages import answered, api_errors, notice, progress, written
from ..texts import label, language_of
from ..upload import Columns, guess, path_of, read_upload
from ..views_file import file_blocks, progress_text
from .answer import judge_choice

if TYPE_CHECKING:
    from ..served import Judges

ROLES = {
    "question": marked("Question"),
    "answer": marked("Answer"),
    "category": marked("Kind of risk (if there is one)"),
    "language": marked("Language (if there is one)"),
}
_MAY_LACK = {"category", "language"}


def build(judges: "Judges") -> None:
    """Draws the tab and names its endpoint."""
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=300):
            file = gr.File(
                label=label("CSV, JSONL or Parquet with a question and an answer in each row"),
                file_types=[".csv", ".jsonl", ".parquet"],
                height=150,
                elem_id="file-upload",
            )
            sample = gr.Button(label("Try it with a small file"), size="sm", elem_id="file-sample")
            gr.Markdown(
                label(
                    "Up to 2,000 rows and 10 MB. About a quarter of an hour at most. Your file and "
                    "the results are deleted within the hour; download what you want to keep."
                ),
                elem_classes="quiet",
            )
        with gr.Column(scale=6, min_width=300):
            with gr.Column(visible=False, elem_id="file-columns") as columns:
                gr.Markdown(label("Which column holds what?"))
                with gr.Row():
                    chosen = [
                        gr.Dropdown(
                            choices=[],
                            value=None,
                            label=label(title),
                            min_width=160,
                            elem_id=f"file-{role}",
                        )
                        for role, title in ROLES.items()
                    ]
                judge = judge_choice(judges)
            status = gr.HTML(elem_id="file-status", elem_classes="live")
            with gr.Row():
                button = gr.Button(
                    label("Score the file"), variant="primary", size="lg", elem_id="file-button"
                )
                cancel = gr.Button(label("Stop"), variant="stop", size="lg", elem_id="file-cancel")
    result = gr.HTML(elem_id="file-result", elem_classes="live")
    downloads = gr.File(
        label=label("Take home: judgements (Parquet), rows and scores (CSV), report (HTML)"),
        file_count="multiple",
        interactive=False,
        visible=False,
        elem_id="file-downloads",
    )

    def judged(
        file: str | None, judge: str, request: gr.Request, *names: str | None
    ) -> Iterator[tuple[Any, ...]]:
        columns = Columns(*(name or "" for name in names))
        language, nothing = language_of(request), gr.update(value=None, visible=False)
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            with answered(language) as page:
                for step in steps(judges, path_of(file), columns, judge):
                    if isinstance(step, Progress):
                        text = progress_text(step)
                        yield progress(text, step.done, step.rows, language), "", nothing
                    else:
                        paths = write_downloads(
                            step, Path(folder), source=path_of(file), language=language
                        )
                        files = gr.update(value=[*map(str, paths)], visible=True)
                        yield "", written(file_blocks(step, language), language), files
            # only an error leaves something there, after the block has ended
            if page.html:
                yield page.html, "", nothing

    def stopped(request: gr.Request) -> str:
        return notice("status", message("Stopped. Nothing was kept."), language_of(request))

    private: dict[str, Any] = {"queue": False}
    outputs = [status, columns, *chosen]
    file.change(looked_at, file, outputs, **private)
    gr.on(None, looked_at, gr.State(None), outputs, **private)
    sample.click(write_sample, None, file, **private)
    running = button.click(
        judged,
        [file, judge, *chosen],
        [status, result, downloads],
        show_progress="hidden",
        trigger_mode="once",
        **limits.at_once("file"),
    )
    cancel.click(stopped, None, status, cancels=[running], **private)
    _endpoint(judges)


def _endpoint(judges: "Judges") -> None:
    """The named endpoint, on components of its own that nobody sees."""

    def score_file(  # noqa: PLR0917 - gradio hands over by place
        file: str | None,
        question: str | None,
        answer: str | None,
        category: str | None,
        language: str | None,
        judge: str | None,
    ) -> Iterator[tuple[Any, ...]]:
        """Scores a file of answers: statistics, then judgements, rows and report as files.

        Columns that are not named are guessed. Cancelling the job ends it.
        """
        chosen = Columns(question or "", answer or "", category or "", language or "")
        with (
            tempfile.TemporaryDirectory(prefix="normscope-") as folder,
            api_errors(),
        ):
            for step in steps(judges, path_of(file), chosen, judge, guessing=True):
                if isinstance(step, Progress):
                    yield {"done": step.done, "rows": step.rows}, None
                else:
                    paths = write_downloads(step, Path(folder), source=path_of(file))
                    yield summary_of(step), [*map(str, paths)]

    with gr.Group(visible=False):
        file = gr.File(label="file")
        names = [gr.Textbox(label=role, value="") for role in (*ROLES, "judge")]
        summary = gr.JSON(label="summary")
        paths = gr.File(label="files", file_count="multiple")
        gr.Button().click(
            score_file,
            [file, *names],
            [summary, paths],
            api_name="score_file",
            **limits.at_once("file"),
        )


def looked_at(file: str | None, request: gr.Request) -> tuple[Any, ...]:
    """What the page shows of a file that was chosen: a note, and the choices of its columns."""
    language = language_of(request)
    none = [gr.update(choices=[], value=None) for _ in ROLES]
    if file is None:
        text = message("Choose a file, then check the columns: both have been guessed.")
        return (notice("waiting", text, language), gr.update(visible=False), *none)
    choices: list[Any] = []
    with answered(language) as page:
        upload = read_upload(Path(file))
        guessed = guess(upload.columns)
        rows = f"{len(upload.rows):,}"
        text = message(
            "{name}: {rows} rows. Check the columns, then score.", name=upload.name, rows=rows
        )
        if not (guessed.question and guessed.answer):
            text = message(
                "{name}: {rows} rows. Say which column holds the question and which the answer.",
                name=upload.name,
                rows=rows,
            )
        page.html = notice("status", text, language)
        columns = [(column, column) for column in upload.columns]
        no_column = (translate(message("– none –"), language), "")
        # a column that is needed has no choice of none
        choices = [
            gr.update(choices=[no_column, *columns], value=getattr(guessed, role))
            if role in _MAY_LACK
            else gr.update(choices=columns, value=getattr(guessed, role) or None)
            for role in ROLES
        ]
    return (page.html, gr.update(visible=bool(choices)), *(choices or none))


def steps(
    judges: "Judges", file: Path, chosen: Columns, judge: str | None, *, guessing: bool = False
) -> Iterator[Progress | Judged]:
    """The file read, its rows judged: progress, then the judged file."""
    upload = read_upload(file)
    if guessing:
        guessed = asdict(guess(upload.columns))
        chosen = Columns(**{role: getattr(chosen, role) or guessed[role] for role in ROLES})
    yield from judge_rows(plan(upload, chosen, judges.get(judge)))


def summary_of(judged: Judged) -> dict[str, Any]:
    """The statistics as JSON values, for the API."""
    return {
        "judge": judged.job.judge.name,
        "small_bundled_judge": judged.job.judge.is_bundled,
        "rubric_hash": judged.job.judge.hash,
        "columns": asdict(judged.job.columns),
        "rows": len(judged.rows),
        "unscored": judged.unscored,
        "statistics": [asdict(statistic) for statistic in judged.statistics],
    }


def write_sample(request: gr.Request) -> str:
    """A small file to try, in the folder from which gradio takes it."""
    language = language_of(request)
    rows = [
        {
            "question": translate(example.question, language),
            "answer": translate(example.answer, language),
        }
        for example in EXAMPLES
    ]
    path = Path(tempfile.gettempdir()) / f"normscope-sample-{language}.csv"
    write_rows(path, rows)
    return str(path)
