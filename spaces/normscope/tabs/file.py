"""The tab *Score a file*, and the endpoints `/file_columns` and `/score_file`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import limits
from ..pages import fragment
from ..score_file import ROLES, columns_plain, judged_page, judged_plain, looked_at, write_sample
from ..upload import Columns
from ..words import language_of

if TYPE_CHECKING:
    from .. import Space

_SHARED: dict[str, Any] = {
    "concurrency_limit": limits.AT_ONCE["file"],
    "concurrency_id": "file",
}


def build(space: "Space") -> None:
    """Draws the tab and names its endpoints."""
    import gradio as gr

    words, judges = space.words, space.judges

    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=300):
            file = gr.File(
                label=words.of("file_upload"),
                file_types=[".csv", ".jsonl", ".parquet"],
                height=150,
                elem_id="file-upload",
            )
            try_it = gr.Button(words.of("file_sample"), size="sm", elem_id="file-sample")
            gr.Markdown(words.of("file_limits"), elem_classes="quiet")
        with gr.Column(scale=6, min_width=300):
            with gr.Column(visible=False, elem_id="file-columns") as columns:
                gr.Markdown(words.of("file_which"))
                with gr.Row():
                    chosen = [
                        gr.Dropdown(
                            choices=[],
                            value=None,
                            label=words.of(f"file_{role}"),
                            min_width=160,
                            elem_id=f"file-{role}",
                        )
                        for role in ROLES
                    ]
                judge = gr.Dropdown(
                    choices=[
                        (
                            words.of("common_small_judge") if judges.get(name).is_bundled else name,
                            name,
                        )
                        for name in judges.names
                    ],
                    value=judges.names[0],
                    label=words.of("answer_judge"),
                )
            status = gr.HTML(elem_id="file-status", elem_classes="live")
            with gr.Row():
                button = gr.Button(
                    words.of("file_button"),
                    variant="primary",
                    size="lg",
                    elem_id="file-button",
                )
                cancel = gr.Button(
                    words.of("file_cancel"), variant="stop", size="lg", elem_id="file-cancel"
                )
    downloads = gr.File(
        label=words.of("file_downloads"),
        file_count="multiple",
        interactive=False,
        visible=False,
        elem_id="file-downloads",
    )
    result = gr.HTML(elem_id="file-result")

    drawn = _Drawn(file, tuple(chosen), judge, status, result, downloads)
    _look(space, drawn, columns, try_it)
    _judge(space, drawn, button, cancel)
    _endpoints(space)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The components that the clicks of the tab are about."""

    file: Any
    chosen: tuple[Any, ...]
    judge: Any
    status: Any
    result: Any
    downloads: Any


def _look(space: "Space", drawn: _Drawn, columns: Any, sample: Any) -> None:
    """A chosen file is looked at at once; so is the page when it is opened."""
    import gradio as gr

    def looked(file: str | None, request: gr.Request) -> tuple[Any, ...]:
        return looked_at(space, file, language_of(request))

    def example(request: gr.Request) -> str:
        return str(write_sample(language_of(request)))

    seen = [drawn.status, columns, *drawn.chosen]
    drawn.file.change(looked, drawn.file, seen, queue=False, api_visibility="private")
    gr.on(None, looked, gr.State(None), seen, queue=False, api_visibility="private")
    sample.click(example, None, drawn.file, queue=False, api_visibility="private")


def _judge(space: "Space", drawn: _Drawn, button: Any, cancel: Any) -> None:
    """The file is judged at one button, and no longer at the other."""
    import gradio as gr

    def judged(
        file: str | None, judge: str, request: gr.Request, *named: str | None
    ) -> Iterator[tuple[Any, ...]]:
        chosen = Columns(*(name or "" for name in named))
        told, user = language_of(request), limits.user_of(request)
        pages = judged_page(space, file, chosen, judge=judge, told=told, user=user)
        for shown, found, paths in pages:
            yield shown, found, gr.update(value=paths, visible=paths is not None)

    def stopped(request: gr.Request) -> str:
        told = language_of(request)
        return fragment("note", space.words, told, text=space.words.say("file_stopped", told))

    running = button.click(
        judged,
        [drawn.file, drawn.judge, *drawn.chosen],
        [drawn.status, drawn.result, drawn.downloads],
        show_progress="hidden",
        trigger_mode="once",
        api_visibility="private",
        **_SHARED,
    )
    cancel.click(
        stopped, None, drawn.status, cancels=[running], queue=False, api_visibility="private"
    )


def _endpoints(space: "Space") -> None:
    """The named endpoints, on components of their own that nobody sees."""
    import gradio as gr

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
        summed = gr.JSON(label="summary")
        made = gr.File(label="files", file_count="multiple")
        gr.Button().click(file_columns, file, summed, api_name="file_columns")
        gr.Button().click(
            score_file, [file, *names], [summed, made], api_name="score_file", **_SHARED
        )
