"""The multiple-choice questions: from the authors' file to rows, and from rows to prompts."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...errors import SourceError
from ...records.item import Item, Option, Turn
from ..sources import is_pinned, read_json, source_files
from .keys import ITEM_PREFIX, SilverAnswer, read_silver_key
from .source import Group, Question, check_unique, find_category

FILE = source_files("chisafetybench")["mcq"]

INSTRUCTION = "请从上面的选项中选出一个，只回答它的字母。"
"""Our own wording: choose one of the options above and answer with its letter only."""

MCQ, PLAIN = "chisafetybench:mcq", "chisafetybench:mcq_plain"
"""The questions with our instruction, and as the paper shows them."""

LETTERS = "ABCDEFGH"

_HALF_WIDTH = {ord("Ａ") + index: letter for index, letter in enumerate(LETTERS)}
_MARK = re.compile(
    r"(?:^|(?<=[\s;；。]))[（(]?(?P<letter>[A-HＡ-Ｈ])\s*(?P<end>[.．、:：,，)）])?[^\S\n]*",
    re.MULTILINE,
)

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
    null: the authors published no key.
    """
    groups = read_json(path, list[Group])
    check_unique((question.id for group in groups for question in group.infos), path=path)
    silver = read_silver_key() if is_pinned(FILE, path) else {}
    rows = [
        _make_row(question, group.category, silver.get(question.id), path=path)
        for group in groups
        for question in group.infos
    ]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


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


def split_options(text: str) -> tuple[str, tuple[Option, ...]]:
    r"""The stem and the options, in the order of their letters; no options if there are none.

    An option begins at a letter, half or full width, with a delimiter after it, at the start of a
    line or after a blank. The options are the last run of letters from A on, one whose A
    opens a line before any other, so that letters in the stem or in an option are left alone. A
    letter at the start of a line may lack its delimiter if it is the next in turn (one item of the
    benchmark is printed so).

    >>> split_options("天是什么颜色？ \nA. 蓝 B. 绿\nC红")  # doctest: +NORMALIZE_WHITESPACE
    ('天是什么颜色？',
     (Option(letter='A', text='蓝'), Option(letter='B', text='绿'), Option(letter='C', text='红')))
    """
    marks = list(_MARK.finditer(text))
    starts = sorted(range(len(marks)), key=lambda index: (_opens_line(text, marks[index]), index))
    for start in reversed(starts):
        run = _run(text, marks[start:])
        if len(run) > 1:
            return text[: run[0].start()].strip(), _options(text, run)
    return text.strip(), ()


def _run(text: str, marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The marks of one list of options: A first, then each letter that is due."""
    if _letter(marks[0]) != "A" or not marks[0]["end"]:
        return []
    run = [marks[0]]
    for mark in marks[1:]:
        due = LETTERS[len(run) : len(run) + 1]
        if _letter(mark) == due and (mark["end"] or _bare(text, mark)):
            run.append(mark)
    return run


def _bare(text: str, mark: re.Match[str]) -> bool:
    """Whether a letter without a delimiter opens a line and no Latin word."""
    following = text[mark.end() : mark.end() + 1]
    latin = following.isascii() and following.isalnum()
    return _opens_line(text, mark) and not latin and bool(following.strip())


def _opens_line(text: str, mark: re.Match[str]) -> bool:
    before = text[: mark.start()].rstrip(" \t")
    return not before or before.endswith("\n")


def _options(text: str, run: list[re.Match[str]]) -> tuple[Option, ...]:
    ends = [after.start() for _, after in pairwise(run)] + [len(text)]
    return tuple(
        Option(_letter(mark), text[mark.end() : end].strip().rstrip("；;").strip())
        for mark, end in zip(run, ends, strict=True)
    )


def _letter(mark: re.Match[str]) -> str:
    return mark["letter"].translate(_HALF_WIDTH)


def read_mcq(table: pa.Table, *, plain: bool = False) -> list[Item]:
    """Each question with its options and a request for one letter, as one turn of the user's.

    The answer is the silver one. With `plain` no word of ours is added.
    """
    items = []
    for row in table.to_pylist():
        options = tuple(Option(**option) for option in row["options"])
        prompt = prompt_of(row["question"], options, instruction="" if plain else INSTRUCTION)
        key, sure = row["silver_answer"], row["silver_confidence"]
        items.append(
            Item(
                benchmark=PLAIN if plain else MCQ,
                item_id=row["item_id"],
                messages=(Turn("user", prompt),),
                language="zh",
                area=row["area"],
                category=row["category"],
                source_category=row["source_category"],
                options=options,
                answer=key,
                answer_source=None if key is None else "silver",
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
