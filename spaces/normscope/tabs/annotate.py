"""The tab *Annotate*, and the endpoints `/annotate_sheet` and `/fill_sheet`."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....judges.trust.sheet import Sheet
from ....messages import message, translate
from ....report.trust.labelling_page import KEPT
from ....rows import write_rows
from ....untrusted import inert
from ..annotating import filled, frame, read_sheet
from ..pages import answered, api_errors, notice
from ..texts import VisitorError, label, language_of
from ..upload import path_of

if TYPE_CHECKING:
    from .. import Space


def build(_: "Space") -> None:
    """Draws the tab and names its endpoints."""

    def opened(file: str | None, request: gr.Request) -> tuple[str, Any]:
        language = language_of(request)
        if file is None:
            text = message(
                "The answers will stand here, one at a time. They may be harmful or offensive, "
                "and are hidden until you ask for them."
            )
            return notice("waiting", text, language), gr.update(visible=True)
        with answered(language) as page:
            title = translate(message("Annotate"), language)
            page.html = frame(read_sheet(Path(file)), title, language)
        return page.html, gr.update()

    gr.Markdown(
        label(
            "Were you sent a sheet (CSV) by someone who runs normscope annotate? Open it here and "
            "label one answer at a time, by keyboard if you like. You do not see what the judge "
            "says. Up to 2,000 answers and 10 MB; the server deletes the sheet within the hour. "
            "Open it again after a reload, and your labels are there."
        ),
        elem_classes="quiet",
    )
    gr.Markdown(label(KEPT), elem_classes="quiet")
    file = gr.File(
        label=label("Your sheet (CSV)"), file_types=[".csv"], height=150, elem_id="annotate-file"
    )
    shown = gr.HTML(elem_id="annotate-shown")
    gr.on([file.upload, file.clear], opened, file, [shown, file], api_visibility="private")
    gr.on(None, opened, gr.State(None), [shown, file], queue=False, api_visibility="private")
    _endpoints()


def _endpoints() -> None:
    """The named endpoints, on components of their own that nobody sees."""

    def annotate_sheet(sheet: str | None) -> dict[str, Any]:
        """What a blind sheet asks: its criteria with their labels, its answers, what was said."""
        with api_errors():
            return plain(read_sheet(path_of(sheet)))

    def fill_sheet(sheet: str | None, labels: Any) -> Iterator[str]:
        """The sheet with these labels, by item and criterion, for `normscope annotate import`."""
        with api_errors():
            read = read_sheet(path_of(sheet))
            by_item = labels if isinstance(labels, dict) else {}
            if not all(isinstance(of_item, dict) for of_item in by_item.values()):
                raise VisitorError("Labels are an object by item, and in it by criterion.")
            rows = list(filled(read, by_item))
        # a generator: gradio has copied the file before it goes on and the folder is deleted
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            path = Path(folder) / "labels.csv"
            write_rows(path, [{name: inert(cell) for name, cell in row.items()} for row in rows])
            yield str(path)

    with gr.Group(visible=False):
        sheet = gr.File(label="sheet")
        labels = gr.JSON(label="labels", value={})
        content = gr.JSON(label="asked")
        result = gr.File(label="filled")
        gr.Button().click(annotate_sheet, sheet, content, api_name="annotate_sheet")
        gr.Button().click(fill_sheet, [sheet, labels], result, api_name="fill_sheet")


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
