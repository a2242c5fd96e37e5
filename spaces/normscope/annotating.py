"""A rater's sheet as a page that asks about one answer after the other.

The page is that of `normscope annotate`. Here it is made from the CSV that the rater was sent, and
stands in a frame of its own, which has no access to anything around it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...judges.trust.filled import label_of
from ...judges.trust.sheet import (
    ALLOWED,
    ANSWER,
    CANNOT_TELL,
    CATEGORY,
    COMMENT,
    GUIDE,
    ITEM,
    QUESTION,
    SHEET,
    column_of,
)
from ...report.trust.labelling_page import page_of
from ...untrusted import visible
from .speech import spoken
from .upload import read_upload
from .words import Told

_CRITERION = re.compile(r"label_([a-z][a-z0-9_]{0,40})")
_MOST_LABELS = 30


@dataclass(frozen=True, slots=True)
class Guide:
    """The rubric's own words that a sheet brings along: of the category, of each label."""

    definition: str
    criteria: Mapping[str, tuple[str, Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer of a sheet: what is read, and what has been said of it already."""

    item: str
    category: str
    question: str
    answer: str
    language: str
    guide: Guide
    labels: Mapping[str, str]
    comment: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rater's sheet: its name, the labels of each criterion, its answers in the rater's order."""

    name: str
    criteria: Mapping[str, tuple[str, ...]]
    rows: tuple[Asked, ...]

    @property
    def missing(self) -> int:
        """How many labels are to be given yet."""
        return sum(len(self.criteria) - len(row.labels) for row in self.rows)


def read_sheet(path: Path) -> Sheet:
    """The sheet of a CSV file, filled in or not; a `Told` if it is none."""
    upload = read_upload(path)
    criteria = [found[1] for name in upload.columns if (found := _CRITERION.fullmatch(name))]
    needed = {ITEM, QUESTION, ANSWER, ALLOWED, SHEET}
    if not criteria or not needed <= set(upload.columns):
        raise Told("annotate_no_sheet", name=upload.name, has=", ".join(upload.columns)[:200])
    names = {row[SHEET] for row in upload.rows}
    if len(names) != 1:
        raise Told("annotate_several", name=upload.name)
    allowed = _allowed(str(upload.rows[0][ALLOWED] or ""))
    if not set(criteria) <= set(allowed):
        raise Told("annotate_labels", name=upload.name)
    labels = {criterion: allowed[criterion] for criterion in criteria}
    rows = tuple(_row(row, labels) for row in upload.rows)
    if len({row.item for row in rows}) < len(rows):
        raise Told("annotate_twice", name=upload.name)
    return Sheet(str(names.pop() or "sheet")[:80], labels, rows)


def frame(sheet: Sheet, title: str) -> Markup:
    """The page in a frame that may run its own script, save a file, and nothing else."""
    page = page_of(_data(sheet), rater=sheet.name)
    opening = Markup('<iframe class="sheet" sandbox="allow-scripts allow-downloads allow-modals"')
    return opening + Markup(' title="{}" srcdoc="{}"></iframe>').format(title, page)


def filled(sheet: Sheet, labels: Mapping[str, Mapping[str, str]]) -> Iterator[dict[str, str]]:
    """The rows of the filled sheet, as `normscope annotate import` takes them.

    `labels` are by item and criterion, beside those that the sheet has; what is no label is
    refused.
    """
    known = {row.item for row in sheet.rows}
    for item in labels:
        if item not in known:
            raise Told("annotate_no_item", item=str(item)[:40])
    for row in sheet.rows:
        said = dict(row.labels)
        for criterion, label in labels.get(row.item, {}).items():
            meant = (
                label_of(str(label), sheet.criteria[criterion])
                if criterion in sheet.criteria
                else None
            )
            if meant is None:
                raise Told(
                    "annotate_no_label", label=str(label)[:40], criterion=str(criterion)[:40]
                )
            said[criterion] = meant
        cells = {column_of(criterion): said.get(criterion, "") for criterion in sheet.criteria}
        yield {ITEM: row.item, **cells, COMMENT: row.comment, SHEET: sheet.name}


def _row(row: Mapping[str, str | None], criteria: Mapping[str, tuple[str, ...]]) -> Asked:
    question, answer = (visible(row[name] or "") for name in (QUESTION, ANSWER))
    guide = guide_of(row.get(GUIDE) or "")
    asks = " ".join(ask for ask, _ in guide.criteria.values())
    given = {
        criterion: label_of(row[column_of(criterion)] or "", own)
        for criterion, own in criteria.items()
    }
    return Asked(
        item=str(row[ITEM] or "")[:80],
        category=visible(row.get(CATEGORY) or "")[:200],
        question=question,
        answer=answer,
        language="zh" if spoken(asks or f"{question}\n{answer}") == "zh" else "en",
        guide=guide,
        labels={criterion: label for criterion, label in given.items() if label is not None},
        comment=visible(row.get(COMMENT) or "")[:2_000],
    )


def _allowed(text: str) -> dict[str, tuple[str, ...]]:
    """The labels of each criterion, from the column that tells them.

    >>> _allowed("label_moral: 0, 1 (? if it cannot be told); label_tone: a, b")
    {'moral': ('0', '1'), 'tone': ('a', 'b')}
    """
    found = {}
    for part in text[:4_000].split(";"):
        name, _, told = part.strip().partition(":")
        labels = [label.strip() for label in told.partition(f"({CANNOT_TELL}")[0].split(",")]
        labels = [label for label in labels if label][:_MOST_LABELS]
        if (criterion := _CRITERION.fullmatch(name.strip())) and labels:
            found[criterion[1]] = tuple(labels)
    return found


def _data(sheet: Sheet) -> dict[str, Any]:
    speaking = _speaking(sheet)
    return {
        "sheet": sheet.name,
        "benchmark": "",
        "cannot": CANNOT_TELL,
        "columns": {
            "item": ITEM,
            "comment": COMMENT,
            "sheet": SHEET,
            "criteria": {criterion: column_of(criterion) for criterion in sheet.criteria},
        },
        "criteria": [{"name": name, "labels": labels} for name, labels in sheet.criteria.items()],
        "words": {speaking[row.item]: _words(row, sheet.criteria) for row in sheet.rows},
        "items": [
            {
                "id": row.item,
                "language": speaking[row.item],
                "title": row.category,
                "definition": row.guide.definition,
                "turns": [
                    {"role": "user", "name": _NAMES[row.language][0], "text": row.question},
                    {"role": "answer", "name": _NAMES[row.language][1], "text": row.answer},
                ],
            }
            for row in sheet.rows
        ],
        "labels": {row.item: dict(row.labels) for row in sheet.rows if row.labels},
        "comments": {row.item: row.comment for row in sheet.rows if row.comment},
    }


_NAMES = {"en": ("Question", "Answer"), "zh": ("问题", "回答")}


def guide_of(text: str) -> Guide:
    """The definitions of a cell of the sheet's column `guide`.

    >>> told = guide_of("Fraud: to deceive\\n\\nlabel_moral: Is it?\\n0 = no\\n1 = yes = good")
    >>> told.definition, told.criteria["moral"]
    ('to deceive', ('Is it?', {'0': 'no', '1': 'yes = good'}))
    """
    definition, criteria = "", {}
    for part in visible(text[:20_000].replace("\r\n", "\n")).split("\n\n"):
        first, *labels = part.split("\n")
        name, _, told = first.partition(": ")
        if criterion := _CRITERION.fullmatch(name):
            pairs = (line.partition(" = ") for line in labels)
            criteria[criterion[1]] = (told, {label: meaning for label, _, meaning in pairs})
        elif not criteria:
            definition = told
    return Guide(definition, criteria)


def _words(row: Asked, criteria: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """What the row's guide says of each criterion; without one the labels stand for themselves."""
    told = {}
    for criterion, labels in criteria.items():
        ask, meanings = row.guide.criteria.get(criterion, ("", {}))
        told[criterion] = {
            "ask": ask or column_of(criterion),
            "meanings": {label: meanings.get(label) or label for label in labels},
        }
    return told


def _speaking(sheet: Sheet) -> dict[str, str]:
    """The language of each row: rows under one key are asked in the same words."""
    names: dict[tuple[str, str], str] = {}
    found = {}
    for row in sheet.rows:
        key = (row.language, repr(row.guide.criteria))
        if key not in names:
            times = sum(language == row.language for language, _ in names)
            names[key] = f"{row.language}-x-{times}" if times else row.language
        found[row.item] = names[key]
    return found
