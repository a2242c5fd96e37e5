"""What the tab *Score a file* does, from a file's path to what stands on the page."""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...messages import Language, message, translate
from ...rows import write_rows
from .downloads import write_downloads
from .examples import EXAMPLES
from .judging import Judged, Progress, judge_rows, plan
from .pages import answered, api_errors, notice, progress, written
from .texts import VisitorError
from .upload import Columns, guess, read_upload
from .views_file import file_blocks, progress_text

if TYPE_CHECKING:
    from . import Space

_ROLES = tuple(Columns.__dataclass_fields__)
_MAY_LACK = {"category", "language"}


def looked_at(file: str | None, language: Language) -> tuple[Any, ...]:
    """What the page shows of a file that was chosen: a note, and the choices of its columns."""
    import gradio as gr

    none = [gr.update(choices=[], value=None) for _ in _ROLES]
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
        choices = [
            gr.update(choices=[no_column, *columns], value=getattr(guessed, role))
            if role in _MAY_LACK
            else gr.update(choices=columns, value=getattr(guessed, role) or None)
            for role in _ROLES
        ]
    return (page.html, gr.update(visible=bool(choices)), *(choices or none))


def judged_page(
    space: "Space", file: str | None, chosen: Columns, *, judge: str, language: Language, user: str
) -> Iterator[tuple[str, str, list[str] | None]]:
    """The page while a file is judged: how far it is, the result, the downloads."""
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        with answered(language) as page, space.turns.turn("file", user):
            for step in steps(space, file, chosen, judge):
                if isinstance(step, Progress):
                    yield progress(progress_text(step), step.done, step.rows, language), "", None
                else:
                    paths = write_downloads(
                        step, Path(folder), source=Path(str(file)), language=language
                    )
                    result = written(file_blocks(step, language), language)
                    yield "", result, [str(path) for path in paths]
        if page.html:
            yield page.html, "", None


def judged_plain(
    space: "Space", file: str | None, chosen: Columns, *, judge: str | None, user: str
) -> Iterator[tuple[dict[str, Any], list[str] | None]]:
    """The same for a client of the API; columns that are not named are guessed."""
    with (
        tempfile.TemporaryDirectory(prefix="normscope-") as folder,
        api_errors(),
        space.turns.turn("file", user),
    ):
        for step in steps(space, file, chosen, judge, guessing=True):
            if isinstance(step, Progress):
                yield {"done": step.done, "rows": step.rows}, None
            else:
                paths = write_downloads(step, Path(folder), source=Path(str(file)))
                yield summary(step), [str(path) for path in paths]


def columns_plain(file: str | None) -> dict[str, Any]:
    """The rows and columns of a file, and which column is guessed to hold what."""
    with api_errors():
        upload = read_upload(given(file))
    guessed = {role: column or None for role, column in asdict(guess(upload.columns)).items()}
    return {"rows": len(upload.rows), "columns": list(upload.columns), "guess": guessed}


def steps(
    space: "Space", file: str | None, chosen: Columns, judge: str | None, *, guessing: bool = False
) -> Iterator[Progress | Judged]:
    """The file read, its rows judged: progress, then the judged file."""
    upload = read_upload(given(file))
    if guessing:
        guessed = asdict(guess(upload.columns))
        chosen = Columns(**{role: getattr(chosen, role) or guessed[role] for role in _ROLES})
    yield from judge_rows(plan(upload, chosen, space.judges.get(judge)))


def given(file: str | None) -> Path:
    """The path of the file, or an error where none was sent."""
    if file is None:
        raise VisitorError("There is no file yet.")
    return Path(file)


def summary(judged: Judged) -> dict[str, Any]:
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


def write_sample(language: Language) -> Path:
    """A small file to try, in the folder from which gradio takes it."""
    rows = [
        {
            "question": translate(example.question, language),
            "answer": translate(example.answer, language),
        }
        for example in EXAMPLES
    ]
    path = Path(tempfile.gettempdir()) / f"normscope-sample-{language}.csv"
    write_rows(path, rows)
    return path
