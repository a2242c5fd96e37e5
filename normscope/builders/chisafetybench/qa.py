"""The risky questions, with and without a dialogue before them: from two files to rows to items."""

from pathlib import Path

import pyarrow as pa

from ...records.item import Item, Turn
from ..sources import read_json, source_files
from .source import Dialogue, Group, SourceTurn, check_unique, find_category

_FILES = source_files("chisafetybench")
SINGLE, MULTI = _FILES["single_turn"], _FILES["multi_turn"]

_TEXT = pa.string()
_SCHEMA = pa.schema(
    [
        pa.field("item_id", _TEXT, nullable=False),
        pa.field("question", _TEXT, nullable=False),
        pa.field("history", pa.list_(pa.struct([("role", _TEXT), ("content", _TEXT)]))),
        pa.field("turns", pa.int64(), nullable=False),
        pa.field("area", _TEXT, nullable=False),
        pa.field("category", _TEXT, nullable=False),
        pa.field("source_area", _TEXT),
        pa.field("source_category", _TEXT, nullable=False),
    ]
)


def make_qa(single: Path, multi: Path) -> pa.Table:
    """One row per question: those without history by their ids, then the dialogues in order."""
    groups = read_json(single, list[Group])
    questions = [question for group in groups for question in group.infos]
    check_unique((question.id for question in questions), path=single)
    # the single questions stand under the one heading "to be refused", which is no area
    rows = [
        _row(f"single-{entry.id:04}", entry.question, [], entry.category, area=None, path=single)
        for entry in questions
    ]
    rows += [
        _row(
            f"multi-{number:04}",
            entry.input,
            entry.history,
            entry.sub_category,
            area=entry.category,
            path=multi,
        )
        for number, entry in enumerate(read_json(multi, list[Dialogue]), start=1)
    ]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def read_qa(table: pa.Table) -> list[Item]:
    """Each question as the last turn of its dialogue; the facet `turns` is `single` or `multi`."""
    return [
        Item(
            benchmark="chisafetybench:qa",
            item_id=row["item_id"],
            messages=(*(Turn(**turn) for turn in row["history"]), Turn("user", row["question"])),
            language="zh",
            area=row["area"],
            category=row["category"],
            source_category=row["source_category"],
            facets={"turns": "multi" if row["history"] else "single"},
        )
        for row in table.to_pylist()
    ]


def _row(
    name: str, question: str, history: list[SourceTurn], label: str, *, area: str | None, path: Path
) -> dict[str, object]:
    category = find_category(label, path=path)
    return {
        "item_id": f"chisafetybench-qa-{name}",
        "question": question,
        "history": [{"role": turn.role, "content": turn.content} for turn in history],
        # turns of the user, the question among them
        "turns": 1 + sum(turn.role == "user" for turn in history),
        "area": category.area,
        "category": category.slug,
        "source_area": area,
        "source_category": label,
    }
