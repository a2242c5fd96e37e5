"""The multiple-choice questions: from the authors' file to rows, and from rows to prompts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...errors import SourceError
from ...records.item import Item, Option, Turn
from ..sources import is_pinned, read_json, source_files
from .keys import ITEM_PREFIX, USER_KEY, SilverAnswer, read_silver_key, read_user_key
from .options import split_options
from .source import Group, Question, check_unique, find_category

FILE = source_files("chisafetybench")["mcq"]

INSTRUCTION = "请从上面的选项中选出一个，只回答它的字母。"
"""Our own wording: choose one of the options above and answer with its letter only."""

_FEWEST_OPTIONS = 2
_TEXT = pa.string()
_SCHEMA = pa.schema(
    [
        pa.field("item_id", _TEXT, nullable=False),
        pa.field("question", _TEXT, nullable=False),
        pa.field("options", pa.list_(pa.struct([("letter", _TEXT), ("text", _TEXT)]))),
        pa.field("answer", _TEXT),
        pa.field("silver_answer", _TEXT),
        pa.field("silver_confidence", pa.int64()),
        pa.field("area", _TEXT, nullable=False),
        pa.field("category", _TEXT, nullable=False),
        pa.field("source_area", _TEXT, nullable=False),
        pa.field("source_category", _TEXT, nullable=False),
        pa.field("options_complete", pa.bool_(), nullable=False),
    ]
)


def make_mcq(path: Path) -> pa.Table:
    """One row per question, in the source's order, the options apart from the question.

    The silver key belongs to the pinned file: with another one its columns stay null. `answer` is
    that of the user's own key, which lies beside the file, and null without one.
    """
    groups = read_json(path, list[Group])
    check_unique((question.id for group in groups for question in group.infos), path=path)
    silver = read_silver_key() if is_pinned(FILE, path) else {}
    rows = {
        question.id: _make_row(question, group.category, silver.get(question.id), path=path)
        for group in groups
        for question in group.infos
    }
    letters = {
        number: [option["letter"] for option in row["options"]] for number, row in rows.items()
    }
    for number, letter in read_user_key(path.with_name(USER_KEY), letters).items():
        rows[number]["answer"] = letter
    return pa.Table.from_pylist(list(rows.values()), schema=_SCHEMA)


def _make_row(
    question: Question, area: str, silver: SilverAnswer | None, *, path: Path
) -> dict[str, Any]:
    # apart, so that the options can change places and the letters be read off
    stem, options = split_options(question.question)
    if len(options) < _FEWEST_OPTIONS:
        raise SourceError(
            f"{path}: question {question.id} has no list of options; write each on a line "
            "of its own with its letter before it: 'A. …'"
        )
    category = find_category(question.category, path=path)
    return {
        "item_id": f"{ITEM_PREFIX}{question.id:04}",
        "question": stem,
        "options": [{"letter": each.letter, "text": each.text} for each in options],
        "silver_answer": silver.letter if silver else None,
        "silver_confidence": silver.confidence if silver else None,
        "area": category.area,
        "category": category.slug,
        "source_area": area,
        "source_category": question.category,
        "options_complete": all(option.text for option in options),
    }


MCQ, PLAIN = "chisafetybench:mcq", "chisafetybench:mcq_plain"
"""The questions with our instruction, and as the paper shows them."""


def read_plain_mcq(table: pa.Table) -> list[Item]:
    """Each question with its options and no word of ours: the plain prompt variant."""
    return [
        replace(
            item,
            benchmark=PLAIN,
            messages=(Turn("user", item.question.removesuffix(f"\n{INSTRUCTION}")),),
        )
        for item in read_mcq(table)
    ]


def read_mcq(table: pa.Table) -> list[Item]:
    """Each question with its options and a request for one letter, as one turn of the user's.

    The answer is the user's where the table has any of the user's, and the silver one otherwise: a
    score is made with one key, and not with a mixture.
    """
    is_users_key = table["answer"].null_count < table.num_rows
    items = []
    for row in table.to_pylist():
        options = tuple(Option(**option) for option in row["options"])
        key = row["answer"] if is_users_key else row["silver_answer"]
        sure = None if is_users_key else row["silver_confidence"]
        items.append(
            Item(
                benchmark=MCQ,
                item_id=row["item_id"],
                messages=(Turn("user", prompt_of(row["question"], options)),),
                language="zh",
                area=row["area"],
                category=row["category"],
                source_category=row["source_category"],
                options=options,
                answer=key,
                answer_source=None if key is None else USER_KEY if is_users_key else "silver",
                facets={} if sure is None else {"silver_confidence": str(sure)},
            )
        )
    return items


def prompt_of(question: str, options: tuple[Option, ...], *, instruction: str = INSTRUCTION) -> str:
    """The prompt: question, an option per line, and the request for one letter if there is one.

    >>> print(prompt_of("天是什么颜色？", (Option("A", "蓝"), Option("B", "绿"))))
    天是什么颜色？
    A. 蓝
    B. 绿
    请从上面的选项中选出一个，只回答它的字母。
    """
    lines = (f"{option.letter}. {option.text}" for option in options)
    return "\n".join([question, *lines, *([instruction] if instruction else [])])
