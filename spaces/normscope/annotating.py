"""A rater's sheet as a page that asks about one answer after the other.

The page is that of `normscope annotate`. Here it is made from the CSV that the rater was sent, and
stands in a frame of its own, which has no access to anything around it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from ...judges.trust.raters import label_of
from ...judges.trust.sheet import (
    ALLOWED,
    ANSWER,
    CATEGORY,
    COMMENT,
    GUIDE,
    ITEM,
    LABEL_COLUMN,
    QUESTION,
    SHEET,
    Sheet,
    SheetRow,
    Utterance,
    allowed_of,
    column_of,
    guide_of,
)
from ...messages import Language
from ...report.trust.labelling_page import page
from ...untrusted import visible
from .language import detected_language
from .texts import VisitorError
from .upload import read_upload

_SPEAKERS = {"en": ("Question", "Answer"), "zh": ("问题", "回答")}


def read_sheet(path: Path) -> Sheet:
    """The sheet of a CSV file, filled in or not, or an error."""
    upload = read_upload(path)
    criteria = [match[1] for name in upload.columns if (match := LABEL_COLUMN.fullmatch(name))]
    needed = {ITEM, QUESTION, ANSWER, ALLOWED, SHEET}
    if not criteria or not needed <= set(upload.columns):
        raise VisitorError(
            "{name} is no sheet of normscope annotate: it needs the columns item, "
            "question, answer, allowed, sheet and a label column. It has: {has}.",
            name=upload.name,
            has=", ".join(upload.columns)[:200],
        )
    names = {row[SHEET] for row in upload.rows}
    if len(names) != 1:
        raise VisitorError(
            "{name} mixes several sheets. Open the one that you were sent.", name=upload.name
        )
    rows = []
    for row in upload.rows:
        allowed = allowed_of(str(row[ALLOWED] or ""))
        if not set(criteria) <= set(allowed):
            raise VisitorError(
                "{name} does not say which labels are allowed. Restore its column allowed.",
                name=upload.name,
            )
        rows.append(_row(row, {criterion: allowed[criterion] for criterion in criteria}))
    # labels come back by item: two rows of one could not be told apart
    if len({row.item for row in rows}) < len(rows):
        raise VisitorError("{name} has an item twice. Delete one of its rows.", name=upload.name)
    return Sheet(str(names.pop() or "sheet")[:80], tuple(criteria), tuple(rows))


def frame(sheet: Sheet, title: str, language: Language) -> Markup:
    """The page in a frame that may run its own script, save a file, and nothing else.

    It has no storage: the page's script keeps in the browser what it sends, by sheet.
    """
    # without allow-same-origin: the sheet's texts are anybody's, and reach nothing of the page
    opening = Markup('<iframe class="sheet" sandbox="allow-scripts allow-downloads allow-modals"')
    filled_in = Markup(' title="{}" srcdoc="{}"></iframe>')
    return opening + filled_in.format(title, page(sheet, rater=sheet.name, language=language))


def filled(sheet: Sheet, labels: Mapping[str, Mapping[str, str]]) -> Iterator[dict[str, str]]:
    """The rows of the filled sheet, as `normscope annotate import` takes them.

    `labels` are by item and criterion, beside those that the sheet has; what is no label is
    refused.
    """
    known = {row.item for row in sheet.rows}
    for item in labels:
        if item not in known:
            raise VisitorError("The sheet has no item {item!r}.", item=str(item)[:40])
    for row in sheet.rows:
        filled_in = dict(row.labels)
        for criterion, cell in labels.get(row.item, {}).items():
            about = row.guide.criteria.get(criterion)
            label = label_of(str(cell), list(about.meanings)) if about else None
            if label is None:
                raise VisitorError(
                    "{label!r} is no label of {criterion!r}.",
                    label=str(cell)[:40],
                    criterion=str(criterion)[:40],
                )
            filled_in[criterion] = label
        cells = {column_of(criterion): filled_in.get(criterion, "") for criterion in sheet.criteria}
        yield {ITEM: row.item, **cells, COMMENT: row.comment, SHEET: sheet.name}


def _row(row: Mapping[str, str | None], allowed: Mapping[str, tuple[str, ...]]) -> SheetRow:
    question, answer = (visible(row[name] or "") for name in (QUESTION, ANSWER))
    guide = guide_of(
        row.get(GUIDE) or "", title=visible(row.get(CATEGORY) or "")[:200], labels=allowed
    )
    criteria = guide.criteria.items()
    questions = " ".join(about.ask for name, about in criteria if about.ask != column_of(name))
    language = "zh" if detected_language(questions or f"{question}\n{answer}") == "zh" else "en"
    cells = {name: label_of(row[column_of(name)] or "", labels) for name, labels in allowed.items()}
    return SheetRow(
        item=str(row[ITEM] or "")[:80],
        guide=replace(guide, language=language),
        conversation=(
            Utterance("user", _SPEAKERS[language][0], question),
            Utterance("answer", _SPEAKERS[language][1], answer),
        ),
        labels={name: label for name, label in cells.items() if label is not None},
        comment=visible(row.get(COMMENT) or "")[:2_000],
    )
