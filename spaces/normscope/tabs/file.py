"""The tab *Score a file*, and the endpoints `/file_columns` and `/score_file`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....messages import marked, message
from .. import limits
from ..pages import notice
from ..score_file import columns_plain, judged_page, judged_plain, looked_at, write_sample
from ..texts import label, language_of
from ..upload import Columns
from .answer import judge_choice

if TYPE_CHECKING:
    from .. import Space

ROLES = {
    "question": marked("Question"),
    "answer": marked("Answer"),
    "category": marked("Kind of risk (if there is one)"),
    "language": marked("Language (if there is one)"),
}
_SHARED: dict[str, Any] = {
    "concurrency_limit": limits.AT_ONCE["file"],
    "concurrency_id": "file",
}


def build(space: "Space") -> None:
    """Draws the tab and names its endpoints."""
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
                judge = judge_choice(space)
            status = gr.HTML(elem_id="file-status", elem_classes="live")
            with gr.Row():
                button = gr.Button(
                    label("Score the file"), variant="primary", size="lg", elem_id="file-button"
                )
                cancel = gr.Button(label("Stop"), variant="stop", size="lg", elem_id="file-cancel")
    downloads = gr.File(
        label=label("Take home: judgements (Parquet), rows (CSV), report (HTML)"),
        file_count="multiple",
        interactive=False,
        visible=False,
        elem_id="file-downloads",
    )
    result = gr.HTML(elem_id="file-result")

    def looked(file: str | None, request: gr.Request) -> tuple[Any, ...]:
        return looked_at(file, language_of(request))

    def sampled(request: gr.Request) -> str:
        return str(write_sample(language_of(request)))

    def judged(
        file: str | None, judge: str, request: gr.Request, *names: str | None
    ) -> Iterator[tuple[Any, ...]]:
        columns = Columns(*(name or "" for name in names))
        language, user = language_of(request), limits.user_of(request)
        pages = judged_page(space, file, columns, judge=judge, language=language, user=user)
        for shown, page, paths in pages:
            yield shown, page, gr.update(value=paths, visible=paths is not None)

    def stopped(request: gr.Request) -> str:
        return notice("status", message("Stopped. Nothing was kept."), language_of(request))

    private: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    seen = [status, columns, *chosen]
    file.change(looked, file, seen, **private)
    gr.on(None, looked, gr.State(None), seen, **private)
    sample.click(sampled, None, file, **private)
    running = button.click(
        judged,
        [file, judge, *chosen],
        [status, result, downloads],
        show_progress="hidden",
        trigger_mode="once",
        api_visibility="private",
        **_SHARED,
    )
    cancel.click(stopped, None, status, cancels=[running], **private)
    _endpoints(space)


def _endpoints(space: "Space") -> None:
    """The named endpoints, on components of their own that nobody sees."""

    def score_file(  # noqa: PLR0917 - gradio hands over by place
        file: str | None,
        question: str | None,
        answer: str | None,
        category: str | None,
        language: str | None,
        judge: str | None,
        request: gr.Request,
    ) -> Iterator[tuple[Any, ...]]:
        """Scores a file of answers: statistics, then judgements, rows and report as files.

        Columns that are not named are guessed. Cancelling the job ends it.
        """
        chosen = Columns(question or "", answer or "", category or "", language or "")
        user = limits.user_of(request)
        yield from judged_plain(space, file, chosen, judge=judge, user=user)

    def file_columns(file: str | None) -> dict[str, Any]:
        """Tells the rows and columns of a file and which column is guessed to hold what."""
        return columns_plain(file)

    with gr.Group(visible=False):
        file = gr.File(label="file")
        names = [gr.Textbox(label=role, value="") for role in (*ROLES, "judge")]
        summary = gr.JSON(label="summary")
        paths = gr.File(label="files", file_count="multiple")
        gr.Button().click(file_columns, file, summary, api_name="file_columns")
        gr.Button().click(
            score_file, [file, *names], [summary, paths], api_name="score_file", **_SHARED
        )
