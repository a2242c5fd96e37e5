"""Judging a file of questions and responses: its rows come back wide, in their order.

Beside the judged file stands `<name>.judging.json`: with what it was judged, what was taken for
granted, and what the judge brings along (its label prior, its bias for an order).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import UsageError
from ..extras import packages
from ..files import hash_file, write_json
from ..judges.diagnostics import diagnostics
from ..judges.engine import Engine
from ..judges.judge import Pair, Questions, judge_of, sort_key
from ..judges.rubric import Rubric
from ..judges.rubric_check import ENDINGS
from ..metrics.registry import products
from ..records.answered import FAILED, ROLES, check_columns, columns_of
from ..records.item import Item, to_table
from ..records.journal import PLACE, Journal
from ..records.judgement import Judgement
from ..records.settings import Settings
from ..records.tables import from_columns
from ..records.units import in_order, is_begun, journal_of
from ..table_writer import check_writable, write_rows
from ..tables import read_table
from ..text_tables import Rows
from .inputs import Once, paired
from .judged_rows import (
    Counts,
    Judged,
    assumed,
    beside,
    counts_of,
    defaults_of,
    pairs_of,
    uncovered,
)
from .tasks import WITH_SHIFT, JudgeFacts, JudgeResponses
from .workers import StageWork, Workers, worked_off

STAGE = "file"
KEPT = "_input"
"""What is added to the name of a file's column that judging has one of."""


def judge_file(
    path: Path,
    out: Path,
    *,
    rubric: Rubric,
    criteria: tuple[str, ...],
    config: Settings,
    workers: Workers,
    category: str | None = None,
    language: str | None = None,
    columns: Mapping[str, str] | None = None,
    retry_failed: bool = False,
    journal_folder: Path | None = None,
) -> Counts:
    """Writes the file's rows with each criterion's judgement beside them; resumes.

    Columns added per criterion: `<criterion>` (expected value or class, empty when unscored), and
    `<criterion>_probs`, `<criterion>_coverage`, `<criterion>_reason`; `<criterion>_coverage_high`
    where the judge's server tells no more than its top tokens; `<criterion>_reply` where it was
    asked in text, and `<criterion>_text` with what was read in that where the labels count;
    `windows` where an answer was too long to be judged in one piece; `score` where there are moral
    and rating. A column of the file
    that has one of these names is kept as `<name>_input`. `columns` maps a role of `answered.ROLES`
    (or `failed`) to the file's column; `category` and `language` hold for rows that name none, in
    place of what the rubric falls back on.

    Whether every row can be written is known before the judge is loaded. What was judged is kept
    until it is written, and the same task goes on with it under another `out` of the same folder.
    Where calls have failed it is kept longer, and the same task asks those again. With
    `retry_failed` nothing else is asked.
    """
    questions = Questions.of(rubric, criteria)
    check_writable(out)
    table = read_table(path)
    rows = table.to_rows()
    named = kept_names(rows, questions)
    kept = [{named.get(name, name): value for name, value in row.items()} for row in rows]
    # of a Parquet file each column keeps its type in another
    known = table.rows.schema if table.form == "Parquet" else ()
    types = pa.schema([of.with_name(named.get(of.name, of.name)) for of in known])
    check_writable(out, kept, types=types)
    roles = columns_of(columns or {}, (*ROLES, FAILED))
    check_columns(rows, roles, name=str(path))
    defaults = defaults_of(rubric, category=category, language=language)
    numbers, place = map(str, range(1, len(rows) + 1)), f"{path}, "
    chats, pairs = pairs_of(
        rows, roles, rubric, defaults, benchmark=STAGE, ids=numbers, place=place
    )
    task = JudgeResponses(
        judge_of(config),
        {STAGE: questions},
        config.min_coverage,
        config.label_orders,
        config.judge_channels,
    )
    engine = workers.engine(task.spec)
    judge = task.judge(engine)
    settings = {
        "input": hash_file(path),
        "columns": roles,
        "rubric": questions.hash,
        "criteria": list(questions.criteria),
        "judge": engine.identity,
        "min_coverage": config.min_coverage,
        "label_orders": config.label_orders,
        "channels": list(config.judge_channels),
        "unit_items": config.unit_items,
        **asdict(defaults),
        "packages": packages(),
    }
    # the journal of a task without failed calls is removed: nothing tells which rows to ask again
    if retry_failed and not is_begun(settings, out.parent):
        raise UsageError(
            f"no call of this task is known to have failed, and {out} stays as it is: leave "
            "--retry-failed out to judge it anew"
        )
    with journal_of(settings, out.parent, folder=journal_folder) as journal:
        judged = _judged(task, engine, pairs, workers, journal, size=config.unit_items)
        caveats = (
            *(f"column {old!r} is kept as {new!r}" for old, new in named.items()),
            *assumed(chats, defaults, rubric),
            *uncovered([item for item, _ in pairs], judged, engine),
        )
        items = [item for item, _ in pairs]
        facts = asdict(diagnostics(judge, items, judged))
        facts["priors"] = _priors(task, engine, items, workers, journal)
        write_json(facts_path(out), settings | {"caveats": [*map(str, caveats)]} | facts)
        write_rows(out, beside(kept, judged), types=types)
    not_answered = sum(chat.failed for chat in chats)
    return replace(counts_of(judged, caveats), not_answered=not_answered)


def facts_path(out: Path) -> Path:
    """Where the facts about a judged file stand.

    >>> facts_path(Path("judged.csv")).name
    'judged.judging.json'
    """
    return out.with_suffix(".judging.json")


def _judged(
    task: JudgeResponses,
    engine: Engine,
    pairs: Sequence[Pair],
    workers: Workers,
    journal: Journal,
    *,
    size: int,
) -> Judged:
    """The judgements of each row.

    Rows without an answer to be judged, since a call failed before, are no work: there they would
    be taken for calls of the judge's that failed, and asked again.
    """
    there = [at for at, (_, response) in enumerate(pairs) if response.reason is None]
    absent = [at for at, (_, response) in enumerate(pairs) if response.reason is not None]
    given = [pairs[at] for at in there]
    order = in_order([sort_key(*pair) for pair in given])
    work = StageWork(task, paired(given, order, size=size))
    result: dict[int, tuple[Judgement, ...]] = {}
    for rows in worked_off(workers, work, engine, journal, label=task.stage):
        judgements = from_columns(rows, WITH_SHIFT, Judgement)
        for place, each in zip(rows[PLACE].to_pylist(), judgements, strict=True):
            result[there[place]] = (*result.get(there[place], ()), each)
    judge = task.judge(engine)
    result |= zip(absent, judge.judge([pairs[at] for at in absent]), strict=True)
    return [result[at] for at in range(len(pairs))]


def _priors(
    task: JudgeResponses,
    engine: Engine,
    items: Sequence[Item],
    workers: Workers,
    journal: Journal,
) -> Any:
    """The judge's label priors as JSON values, asked where its engine is loaded."""
    facts = JudgeFacts(task, fixed_answers=False)
    firsts: dict[tuple[str, str], Item] = {}
    for item in items:
        firsts.setdefault((item.category, item.language), item)
    work = StageWork(facts, Once(to_table([*firsts.values()])))
    (recorded,) = worked_off(workers, work, engine, journal, label=task.stage)
    return json.loads(recorded["facts"][0].as_py())["priors"]


def kept_names(rows: Rows, questions: Questions) -> dict[str, str]:
    """The columns of the file that have the name of one that is added, and what they become."""
    ends = ("", *ENDINGS)
    added = {f"{criterion}{end}" for criterion in questions.criteria for end in ends} | {"windows"}
    added |= products(dict.fromkeys(questions.criteria)).keys()
    taken = {*added, *(rows[0] if rows else ())}
    named = {}
    for name in rows[0] if rows else ():
        if name in added:
            named[name] = f"{name}{KEPT}"
            while named[name] in taken:
                named[name] += KEPT
            # two columns may come to the same new name
            taken.add(named[name])
    return named
