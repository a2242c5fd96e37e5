"""What the tab *Score a file* does, from a file's path to what stands on the page."""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import NormscopeError
from ...messages import translate
from ...rows import write_rows
from .downloads import write_downloads
from .judging import Judged, Progress, judge_rows, plan
from .language import AUTO
from .pages import answered, api_error, fragment, written
from .upload import Columns, Upload, guess, read_upload
from .views_file import file_blocks, left
from .words import Language, Told, texts

if TYPE_CHECKING:
    from . import Space

ROLES = ("question", "answer", "category", "language")
SAMPLE = ("refuse", "comply", "plain", "bread")
_MAY_LACK = {"category", "language"}


def looked_at(space: "Space", file: str | None, told: Language) -> tuple[Any, ...]:
    """What the page shows of a file that was chosen: a note, and the choices of its columns."""
    import gradio as gr

    words = space.words
    known, choices = False, [gr.update(choices=[], value=None) for _ in ROLES]
    if file is None:
        note = fragment("waiting", words, told, text=words.say("file_waiting", told))
        return (note, gr.update(visible=False), *choices)
    with answered(words, told) as page:
        upload = read_upload(Path(file))
        found = guess(upload.columns)
        key = "file_read" if found.question and found.answer else "file_read_guess"
        text = words.say(key, told, name=upload.name, rows=f"{len(upload.rows):,}")
        page.html = fragment("note", words, told, text=text)
        none = words.say("file_none", told)
        choices = [gr.update(**_choice(upload, found, role, none)) for role in ROLES]
        known = True
    return (page.html, gr.update(visible=known), *choices)


def judged_page(
    space: "Space", file: str | None, chosen: Columns, *, judge: str, told: Language, user: str
) -> Iterator[tuple[str, str, list[str] | None]]:
    """The page while a file is judged: what is said, the result, the downloads."""
    words = space.words
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        with answered(words, told) as page, space.turns.turn("file", user):
            for step in steps(space, file, chosen, judge):
                if isinstance(step, Progress):
                    time_left = left(step, words, told)
                    shown = fragment("progress", words, told, progress=step, left=time_left)
                    yield shown, "", None
                else:
                    paths = write_downloads(
                        step, Path(folder), source=Path(str(file)), language=told
                    )
                    found = written(file_blocks(step, words, told), told)
                    yield "", found, [str(path) for path in paths]
        if page.html:
            yield page.html, "", None


def judged_plain(
    space: "Space", file: str | None, chosen: Columns, *, judge: str | None, user: str
) -> Iterator[tuple[dict[str, Any], list[str] | None]]:
    """The same for a client of the API; columns that are not named are guessed."""
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        try:
            with space.turns.turn("file", user):
                for step in steps(space, file, chosen, judge, guessing=True):
                    if isinstance(step, Progress):
                        yield {"done": step.done, "rows": step.rows}, None
                    else:
                        paths = write_downloads(step, Path(folder), source=Path(str(file)))
                        yield summary(step), [str(path) for path in paths]
        except NormscopeError as error:
            raise api_error(error) from error


def columns_plain(file: str | None) -> dict[str, Any]:
    """The rows and columns of a file, and which column is guessed to hold what."""
    try:
        if file is None:
            raise Told("file_no_file")
        upload = read_upload(Path(file))
    except NormscopeError as error:
        raise api_error(error) from error
    found = {name: column or None for name, column in asdict(guess(upload.columns)).items()}
    return {"rows": len(upload.rows), "columns": list(upload.columns), "guess": found}


def steps(
    space: "Space", file: str | None, chosen: Columns, judge: str | None, *, guessing: bool = False
) -> Iterator[Progress | Judged]:
    """The file read, its rows judged: progress, then the judged file."""
    if file is None:
        raise Told("file_no_file")
    upload = read_upload(Path(file))
    if guessing:
        found = asdict(guess(upload.columns))
        chosen = Columns(**{role: getattr(chosen, role) or found[role] for role in ROLES})
    job = plan(upload, chosen, space.judges.get(judge), category="", language=AUTO)
    yield from judge_rows(job)


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
    said = texts()
    rows = [
        {
            "question": translate(said[f"examples_{name}_question"], language),
            "answer": translate(said[f"examples_{name}_answer"], language),
        }
        for name in SAMPLE
    ]
    path = Path(tempfile.gettempdir()) / f"normscope-sample-{language}.csv"
    write_rows(path, rows)
    return path


def _choice(upload: Upload, found: Columns, role: str, none: str) -> dict[str, Any]:
    """The columns to choose from for a role, the guessed one chosen."""
    columns = [(column, column) for column in upload.columns]
    if role in _MAY_LACK:
        return {"choices": [(none, ""), *columns], "value": getattr(found, role)}
    return {"choices": columns, "value": getattr(found, role) or None}
