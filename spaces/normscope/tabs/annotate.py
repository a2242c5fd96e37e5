"""The tab *Annotate*, and the endpoints `/annotate_sheet` and `/fill_sheet`."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....errors import NormscopeError
from ....judges.trust.sheet import Sheet
from ....rows import write_rows
from ....untrusted import inert
from ..annotating import filled, frame, read_sheet
from ..pages import answered, api_error, fragment
from ..words import Told, language_of

if TYPE_CHECKING:
    from .. import Space


def build(space: "Space") -> None:
    """Draws the tab and names its endpoints."""
    words = space.words

    def opened(file: str | None, request: gr.Request) -> tuple[str, Any]:
        told = language_of(request)
        if file is None:
            note = fragment("waiting", words, told, text=words.say("annotate_waiting", told))
            return note, gr.update(visible=True)
        with answered(words, told) as page:
            page.html = frame(read_sheet(Path(file)), words.say("annotate_tab", told))
        return page.html, gr.update()

    gr.Markdown(words.of("annotate_intro"), elem_classes="quiet")
    file = gr.File(
        label=words.of("annotate_file"), file_types=[".csv"], height=150, elem_id="annotate-file"
    )
    shown = gr.HTML(elem_id="annotate-shown")
    gr.on([file.upload, file.clear], opened, file, [shown, file], api_visibility="private")
    gr.on(None, opened, gr.State(None), [shown, file], queue=False, api_visibility="private")
    _endpoints()


def _endpoints() -> None:
    """The named endpoints, on components of their own that nobody sees."""

    def annotate_sheet(sheet: str | None) -> dict[str, Any]:
        """What a blind sheet asks: its criteria with their labels, its answers, what was said."""
        try:
            return plain(read_sheet(Path(_there(sheet))))
        except NormscopeError as error:
            raise api_error(error) from error

    def fill_sheet(sheet: str | None, labels: Any) -> Iterator[str]:
        """The sheet with these labels, by item and criterion, for `normscope annotate import`."""
        try:
            read = read_sheet(Path(_there(sheet)))
            given = labels if isinstance(labels, dict) else {}
            if not all(isinstance(one, dict) for one in given.values()):
                raise Told("annotate_form")
            rows = list(filled(read, given))
        except NormscopeError as error:
            raise api_error(error) from error
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            path = Path(folder) / "labels.csv"
            write_rows(path, [{name: inert(cell) for name, cell in row.items()} for row in rows])
            yield str(path)

    with gr.Group(visible=False):
        sheet = gr.File(label="sheet")
        labels = gr.JSON(label="labels", value={})
        asked = gr.JSON(label="asked")
        made = gr.File(label="filled")
        gr.Button().click(annotate_sheet, sheet, asked, api_name="annotate_sheet")
        gr.Button().click(fill_sheet, [sheet, labels], made, api_name="fill_sheet")


def plain(sheet: Sheet) -> dict[str, Any]:
    """The sheet as JSON values."""
    return {
        "sheet": sheet.name,
        "criteria": {
            criterion: list(
                dict.fromkeys(
                    label for row in sheet.rows for label in row.guide.criteria[criterion].meanings
                )
            )
            for criterion in sheet.criteria
        },
        "missing": sheet.missing,
        "items": [
            {
                "item": row.item,
                "category": row.guide.title,
                "question": row.question,
                "answer": row.answer,
                "labels": dict(row.labels),
            }
            for row in sheet.rows
        ],
    }


def _there(sheet: str | None) -> str:
    if sheet is None:
        raise Told("file_no_file")
    return sheet
