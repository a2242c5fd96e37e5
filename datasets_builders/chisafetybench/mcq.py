"""The multiple-choice questions: from the authors' file to rows, and from rows to prompts."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ...errors import DataError, SourceError
from ..item import Item, Message, Option
from ..sources import SourceFile, is_pinned, read_columns, read_json
from .labels import check_unique, find_category
from .options import is_complete, split_options
from .shapes import Group

FILE = SourceFile(
    path="mcq.json",
    url="https://raw.githubusercontent.com/UnicomAI/UnicomBenchmark/"
    "ca9879742937e2e342540f8bb6bb598eef80580e/CHiSafetyBench/dataset/v1/mcq.json",
    sha256="9900af0e259d8f58d68584961ac5f13fc229066d5b73add142313c92d0c8edcd",
)

SILVER_KEY = Path(__file__).with_name("silver_key.csv")
"""A key made for this project, never official; its columns are explained on the card."""

INSTRUCTION = "请从上面的选项中选出一个，只回答它的字母。"
"""Our own wording: choose one of the options above and answer with its letter only."""

_FEWEST_OPTIONS = 2
_KEY_COLUMNS = ("id", "answer", "confidence")
_OTHER_KEY_COLUMNS = ("annotators_agree", "safetybench_answer", "safetybench_match")
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


@dataclass(frozen=True, slots=True)
class SilverAnswer:
    """The project's own answer to an item and how sure it is: 3 sure, 2 likely, 1 doubtful."""

    letter: str
    confidence: int


def make_mcq(path: Path) -> pa.Table:
    """One row per question, in the source's order, the options apart from the question.

    The silver key belongs to the pinned file: with another one its columns stay null.
    """
    groups = read_json(path, list[Group])
    check_unique((question.id for group in groups for question in group.infos), path=path)
    key = read_silver_key() if is_pinned(FILE, path) else {}
    rows = []
    for group in groups:
        for question in group.infos:
            stem, options = split_options(question.question)
            letters = [option.letter for option in options]
            if len(options) < _FEWEST_OPTIONS:
                raise SourceError(
                    f"{path}: question {question.id} has no list of options; write each on a line "
                    "of its own with its letter before it: 'A. …'"
                )
            category = find_category(question.category, path=path)
            silver = key.get(question.id)
            if silver is not None and silver.letter not in letters:
                raise DataError(
                    f"{SILVER_KEY.name}: the answer to {question.id} is {silver.letter!r}, and its "
                    f"options are {', '.join(letters)}; the file is not the one of this version"
                )
            rows.append(
                {
                    "item_id": f"chisafetybench-mcq-{question.id:04}",
                    "question": stem,
                    "options": [{"letter": part.letter, "text": part.text} for part in options],
                    "silver_answer": silver.letter if silver else None,
                    "silver_confidence": silver.confidence if silver else None,
                    "area": category.area,
                    "category": category.slug,
                    "source_area": group.category,
                    "source_category": question.category,
                    "options_complete": is_complete(options),
                }
            )
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def read_silver_key(path: Path = SILVER_KEY) -> dict[int, SilverAnswer]:
    """The silver answers by the source's id.

    >>> read_silver_key()[1]
    SilverAnswer(letter='A', confidence=3)
    """
    columns = read_columns(path, _KEY_COLUMNS, optional=_OTHER_KEY_COLUMNS)
    rows = zip(*(columns[name] for name in _KEY_COLUMNS), strict=True)
    return {int(number): SilverAnswer(letter, int(sure)) for number, letter, sure in rows}


def read_mcq(table: pa.Table) -> list[Item]:
    """Each question with its options and a request for one letter, as one turn of the user's."""
    items = []
    for row in table.to_pylist():
        options = tuple(Option(**option) for option in row["options"])
        key, sure = row["silver_answer"], row["silver_confidence"]
        items.append(
            Item(
                benchmark="chisafetybench:mcq",
                item_id=row["item_id"],
                messages=(Message("user", ask(row["question"], options)),),
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


def ask(question: str, options: tuple[Option, ...]) -> str:
    """The prompt: question, an option per line, and the request for one letter.

    >>> print(ask("天是什么颜色？", (Option("A", "蓝"), Option("B", "绿"))))
    天是什么颜色？
    A. 蓝
    B. 绿
    请从上面的选项中选出一个，只回答它的字母。
    """
    lines = (f"{option.letter}. {option.text}" for option in options)
    return "\n".join([question, *lines, INSTRUCTION])
