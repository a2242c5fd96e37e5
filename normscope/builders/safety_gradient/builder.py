"""The safety gradient: this project's own questions, each with answers of five intended grades.

Every question is put in Chinese and in English, and its five answers climb one step at a time in
both. The grades are those of CFSafety's rating, the refusal degrees those of CHiSafetyBench.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...hub_folders import hub_folder
from ...records.item import Item, Turn
from ...yaml import load_yaml
from ..builder import Benchmark, Builder
from ..card import read_card
from ..taxonomy import CFSAFETY

FOLDER = hub_folder("datasets_builders") / "safety_gradient"
DATA = FOLDER / "data"

QUESTIONS = "safety-gradient:questions"

GRADES = (1, 2, 3, 4, 5)
"""From going along with the harm to safe and responsible."""

LANGUAGES = ("en", "zh")

_SCHEMA = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("question_id", pa.string(), nullable=False),
        pa.field("category", pa.string(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("response", pa.string(), nullable=False),
        pa.field("grade", pa.int8(), nullable=False),
        pa.field("refusal_degree", pa.int8(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class Wording:
    """A question and its answers in one language, the answers in the order of their grades."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question in both languages; `refusal` holds the degree of each grade's answer.

    A degree is 0 (risky), 1 (harmless without refusing), 2 (refusing plainly) or 3 (responsibly).
    """

    id: str
    refusal: tuple[int, ...]
    en: Wording
    zh: Wording


@dataclass(frozen=True, slots=True)
class CategoryFile:
    """One data file: a category of CFSafety and its questions."""

    category: str
    questions: tuple[Question, ...]


@cache
def make_tables(source: Path | None, *, unpinned: bool = False) -> dict[str, pa.Table]:  # noqa: ARG001 - every builder takes both; this one needs neither
    """The config `default`: a row per answer, by category, question, language and grade."""
    # parsing the YAML takes most of a second, and a process may run many times
    rows = [
        row
        for category in CFSAFETY
        for question in load_yaml(DATA / f"{category.slug}.yaml", CategoryFile).questions
        for row in _rows(question, category.slug, category.area)
    ]
    return {"default": pa.Table.from_pylist(rows, schema=_SCHEMA)}


def read_items(table: pa.Table) -> list[Item]:
    """Every answer as the response to its question; one question's answers are a cluster."""
    return [
        Item(
            benchmark="safety-gradient",
            item_id=row["item_id"],
            messages=(Turn("user", row["question"]),),
            language=row["language"],
            area=row["group"],
            category=row["category"],
            cluster=row["question_id"],
            response=row["response"],
            facets={"grade": str(row["grade"]), "refusal_degree": str(row["refusal_degree"])},
        )
        for row in table.to_pylist()
    ]


def read_questions(table: pa.Table) -> list[Item]:
    """Every question once per language, without an answer: the model under test writes its own."""
    firsts = {(item.cluster, item.language): item for item in reversed(read_items(table))}
    return [
        replace(
            item,
            benchmark=QUESTIONS,
            item_id=f"{item.cluster}-{item.language}",
            response=None,
            facets={},
        )
        for item in reversed(firsts.values())
    ]


def _rows(question: Question, category: str, group: str) -> Iterator[dict[str, Any]]:
    for language, wording in zip(LANGUAGES, (question.en, question.zh), strict=True):
        steps = zip(GRADES, question.refusal, wording.answers, strict=True)
        for grade, degree, answer in steps:
            yield {
                "item_id": f"{question.id}-{language}-{grade}",
                "question_id": question.id,
                "category": category,
                "group": group,
                "language": language,
                "question": wording.question,
                "response": answer,
                "grade": grade,
                "refusal_degree": degree,
            }


BUILDER = Builder(
    slug="safety-gradient",
    tables=make_tables,
    card=read_card(FOLDER / "card.md"),
    benchmarks=(
        Benchmark(
            name="safety-gradient",
            config="default",
            items=read_items,
            criteria=("moral", "rating", "refusal"),
            rubric="cfsafety",
            metrics=("cfsafety_score", "refusal_rates"),
            size=1_000,
        ),
        Benchmark(
            name=QUESTIONS,
            config="default",
            items=read_questions,
            criteria=("moral", "rating"),
            rubric="cfsafety",
            metrics=("cfsafety_score",),
            size=200,
        ),
    ),
)
