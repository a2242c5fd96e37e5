"""Answers judged outside of a run: what is asked about each, and what came out, wide beside it.

A file (`judge_file`) and a table in a notebook (`api.judge`) are judged by the same of these.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pyarrow as pa

from ..errors import DataError, nearest
from ..frames import is_missing
from ..judges.engine import Engine
from ..judges.judge import SOURCES, Pair, languages_of
from ..judges.rubric import Questions, Rubric
from ..judges.rubric_choice import is_usual
from ..languages import language_code
from ..messages import joined, message
from ..metrics.columns import listed, names
from ..metrics.criterion import criterion_score
from ..metrics.estimate import Statistic
from ..metrics.registry import measures_of, products
from ..reasons import Reason, is_ours
from ..records.answered import Answered, answered
from ..records.item import Item
from ..records.judgement import Judgement, Source
from ..records.judgements import counted_verdicts
from ..records.response import Response, ResponseKey
from ..records.settings import Channel
from ..records.tables import PROBS, TEXT
from ..text_tables import Row, Rows

Judged = Sequence[tuple[Judgement, ...]]
"""The judgements of each row."""

_MESSAGES = pa.list_(pa.struct([("role", TEXT), ("content", TEXT)]))
_ENDINGS = (
    *(("_probs", PROBS), ("_coverage_high", pa.float64()), ("_coverage", pa.float64())),
    *(("_reason", TEXT), ("_reply", TEXT)),
)
"""What the columns hold whose names end so; the first that fits counts, all others are numbers."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """The category and the language of rows that name none; null where the rubric has none."""

    category: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows were judged, in how many a criterion is unscored, and what limits the numbers.

    Of `failed` rows that is the judge's or the engine's doing; `not_answered` of them brought no
    answer when the model was called. `reasons` counts rows.
    """

    rows: int
    unscored: int
    failed: int = 0
    not_answered: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()


def defaults_of(
    rubric: Rubric, *, category: str | None = None, language: str | None = None
) -> Defaults:
    """What holds for rows that name none: what is named for all of them, else the rubric's own."""
    if category is not None:
        rubric.refuse_category(category)
    return Defaults(
        category=category or rubric.fallback_category,
        language=language_code(language or "") or rubric.fallback_language,
    )


def pair_of(
    chat: Answered,
    rubric: Rubric,
    defaults: Defaults,
    *,
    benchmark: str,
    item_id: str,
    place: str,
) -> Pair:
    """The item and the response that a judge is asked about.

    A category that is missing or unknown to the rubric is an error; `place` names the row in it.
    """
    category = chat.category or defaults.category or ""
    if rubric.categories and not category:
        raise DataError(
            message(
                "{place}: no category; give each row one, or one for all: --category NAME "
                "({known})",
                place=place,
                known=", ".join(rubric.categories),
            )
        )
    if rubric.categories and category not in rubric.categories:
        raise DataError(
            message(
                "{place}: rubric {rubric!r} has no category {category!r}; {known} (of a file: "
                "another column with --column category=NAME, none with --column category=)",
                place=place,
                rubric=rubric.name,
                category=category,
                known=nearest(category, list(rubric.categories)),
            )
        )
    item = Item(
        benchmark=benchmark,
        item_id=item_id,
        messages=chat.messages,
        language=chat.language or defaults.language or "",
        category=category,
    )
    reason = Reason.CALL_FAILED if chat.failed else None
    return item, Response.to(item, chat.response, reason=reason)


def rows_of(answers: Any, questions: Any, categories: Any, languages: Any, ids: Any) -> list[Row]:
    """A row per answer; one question, category or language holds for all of them.

    Each of these is a value, or a column as people's libraries have it; a conversation is its
    turns, the last one the user's. Answers that are missing (None, NaN, pandas' NA) stay missing.
    """
    texts = [answers] if isinstance(answers, str) or answers is None else listed(answers)
    columns = {
        "question": listed(_for_all(questions, len(texts))),
        "category": names(_for_all(categories, len(texts))),
        "language": names(_for_all(languages, len(texts))),
        "id": names(range(1, len(texts) + 1) if ids is None else ids),
        "response": texts,
    }
    for name, column in columns.items():
        if len(column) != len(texts):
            raise DataError(
                f"{len(column):,} rows of {name} for {len(texts):,} answers: give one for each "
                "answer, or one for all"
            )
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    first: dict[str | None, int] = {None: 0}
    for number, row in enumerate(rows, start=1):
        if first.setdefault(row["id"], number) != number:
            raise DataError(
                f"row {number}: the id {row['id']!r} is missing or that of row "
                f"{first[row['id']] or number}, too: give each row an id of its own, or none at all"
            )
        if isinstance(row["question"], Sequence) and not isinstance(row["question"], str):
            row["messages"] = [*row.pop("question")]
        for name in row.keys() & {"question", "response"}:
            row[name] = None if is_missing(row[name]) else row[name]
            if not isinstance(row[name], str | int | float | None):
                raise DataError(
                    f"row {number}: the {name} is of type {type(row[name]).__name__}: give a text, "
                    "or for a question the turns of a conversation"
                )
    return rows


def _for_all(value: Any, count: int) -> Any:
    """A column, or one value (a text, a conversation) for all rows."""
    is_chat = isinstance(value, list | tuple) and isinstance(next(iter(value), None), Mapping)
    return [value] * count if value is None or isinstance(value, str) or is_chat else value


def pairs_of(
    rows: Sequence[Row],
    columns: Mapping[str, str],
    rubric: Rubric,
    defaults: Defaults,
    *,
    benchmark: str,
    ids: Iterable[str],
    place: str = "",
) -> tuple[list[Answered], list[Pair]]:
    """What the rows say, and what a judge is asked about each; `place` is where they stand."""
    chats, pairs = [], []
    for number, (row, item_id) in enumerate(zip(rows, ids, strict=True), start=1):
        at = f"{place}row {number}"
        chats.append(answered(row, columns, place=at))
        about = {"benchmark": benchmark, "item_id": item_id, "place": at}
        pairs.append(pair_of(chats[-1], rubric, defaults, **about))
    return chats, pairs


def assumed(chats: Sequence[Answered], defaults: Defaults, rubric: Rubric) -> Iterator[str]:
    """What was taken for granted about rows that do not say it."""
    for name in ("category", "language"):
        value = getattr(defaults, name)
        count = sum(not getattr(chat, name) for chat in chats)
        if not count or value is None:
            continue
        slots = {"name": name, "value": value, "rubric": rubric.name}
        if count == len(chats):
            yield message(
                "no row names a {name}: judged as {value!r} by rubric {rubric!r}", **slots
            )
        else:
            yield message(
                "{n} of {m} rows lack a {name}: judged as {value!r} by rubric {rubric!r}",
                n=f"{count:,}",
                m=f"{len(chats):,}",
                **slots,
            )


def uncovered(
    items: Iterable[Item], judged: Judged, engine: Engine, rubric: Rubric
) -> Iterator[str]:
    """In which languages the rows are that the judge was not made for."""
    foreign = Counter(
        item.language
        for item, criteria in zip(items, judged, strict=True)
        if any(judgement.reason == Reason.LANGUAGE_NOT_COVERED for judgement in criteria)
    )
    if foreign:
        yield message(
            "the judge was made for {covered}: rows in other languages are unscored ({languages})",
            covered=", ".join(languages_of(engine, rubric) or ()),
            languages=joined(f"{n:,} × {language!r}" for language, n in foreign.most_common()),
        )


def counts_of(judged: Judged, caveats: tuple[str, ...] = ()) -> Counts:
    """How many rows were judged, and what of them is unscored."""
    absent = [{judgement.reason for judgement in criteria} - {None} for criteria in judged]
    return Counts(
        rows=len(judged),
        unscored=sum(map(bool, absent)),
        failed=sum(any(map(is_ours, reasons)) for reasons in absent),
        reasons=dict(Counter(str(r) for reasons in absent for r in reasons).most_common()),
        caveats=caveats,
    )


def with_judgements(rows: Rows, judged: Judged) -> Rows:
    """The rows with their readings; every row has the same columns."""
    bounded, several = _widest(judged)
    return [
        {**row, **_wide(criteria, bounded=bounded, several=several)}
        for row, criteria in zip(rows, judged, strict=True)
    ]


def asked_table(items: Sequence[Item], responses: Sequence[Response]) -> pa.Table:
    """What was judged, a row per answer: questions as messages where one is a conversation."""
    chats = any(item.conversation for item in items)
    prompt = ("messages", _MESSAGES) if chats else ("question", TEXT)
    texts = ((name, TEXT) for name in ("response", "category", "language"))
    rows = [
        {
            "id": item.item_id,
            "messages": [turn._asdict() for turn in item.messages],
            "question": item.question,
            "response": response.text,
            "category": item.category,
            "language": item.language,
        }
        for item, response in zip(items, responses, strict=True)
    ]
    return pa.Table.from_pylist(rows, pa.schema([("id", TEXT), prompt, *texts]))


def wide_table(judged: Judged, *, criteria: Iterable[str], channels: Iterable[Channel]) -> pa.Table:
    """The columns that `with_judgements` adds, a row per answer, also where there is no answer."""
    bounded, several = _widest(judged)
    nothing = [
        Judgement(ResponseKey("", ""), criterion, SOURCES[channel], labels=())
        for channel, criterion in product(channels, criteria)
    ]
    names = _wide(nothing, bounded=bounded, several=several)
    rows = [_wide(each, bounded=bounded, several=several) for each in judged]
    return pa.table({name: pa.array([row[name] for row in rows], _type(name)) for name in names})


def _type(name: str) -> pa.DataType:
    if name == "windows":
        return pa.int32()
    return next((kind for ending, kind in _ENDINGS if name.endswith(ending)), pa.float64())


def _widest(judged: Judged) -> tuple[bool, bool]:
    """Whether a coverage is only bounded somewhere, and whether an answer was read in windows."""
    judgements = [judgement for criteria in judged for judgement in criteria]
    bounded = any(judgement.coverage_high is not None for judgement in judgements)
    return bounded, any(judgement.windows > 1 for judgement in judgements)


def _wide(criteria: Sequence[Judgement], *, bounded: bool, several: bool) -> Row:
    wide: Row = {}
    counted = {judgement.criterion: judgement.source for judgement in counted_verdicts(criteria)}
    for judgement in criteria:
        name = judgement.criterion
        if judgement.source == Source.JUDGE_TEXT:
            wide[f"{name}_reply"] = judgement.reply
        if judgement.source != counted[name]:
            wide[f"{name}_text"] = judgement.value
            wide[f"{name}_text_reason"] = judgement.reason
            continue
        wide[name] = judgement.value
        wide[f"{name}_probs"] = judgement.probs
        wide[f"{name}_coverage"] = judgement.coverage
        if bounded:
            wide[f"{name}_coverage_high"] = judgement.coverage_high
        wide[f"{name}_reason"] = judgement.reason
    if several:
        wide["windows"] = max(judgement.windows for judgement in criteria)
    return wide | products({name: wide[name] for name in counted})


def statistics(questions: Questions, items: Sequence[Item], judged: Judged) -> Iterator[Statistic]:
    """The benchmarks' own statistics (`MEASURES`), of other criteria the level and the shares.

    Overall, and by category and language where the answers differ in them. A criterion that is
    only called like a benchmark's, on another scale or read in another way, is one of the others.
    Answers to one question are not independent: the intervals take them as one cluster.
    """
    rows = [{each.criterion: each for each in counted_verdicts(several)} for several in judged]
    common: dict[str, Any] = {
        "clusters": ["\n".join(turn.content for turn in item.messages) for item in items],
        "groups": groups_of(items),
    }
    values = {name: [row[name].value for row in rows] for name in questions.criteria}
    reasons = {name: [row[name].reason for row in rows] for name in questions.criteria}
    rest = dict(questions.criteria)
    usual = [name for name, criterion in rest.items() if is_usual(name, criterion)]
    for measure in measures_of(usual):
        if measure.statistics is not None:
            first, *_ = names = measure.criteria
            yield from measure.statistics(
                *(values[name] for name in names), reasons=reasons[first], **common
            )
            rest = {name: criterion for name, criterion in rest.items() if name not in names}
    for name, criterion in rest.items():
        yield from criterion_score(
            values[name],
            [row[name].favourite for row in rows],
            name=name,
            labels=criterion.scale.labels,
            worth=criterion.scale.values,
            reasons=reasons[name],
            **common,
        )


def groups_of(items: Sequence[Item]) -> dict[str, list[str]]:
    """Category and language, where the answers differ in them."""
    members = {
        "category": [item.category for item in items],
        "language": [item.language for item in items],
    }
    return {name: of for name, of in members.items() if len(set(of)) > 1}
