"""Judging a file of questions and responses: its rows come back wide, in their order.

Beside the judged file stands `<name>.judging.json`: with what it was judged, on which scales, and
what was taken for granted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..extras import packages
from ..files import hash_file, write_json
from ..judges.engine import Engine
from ..judges.judge import Pair, judgements_of
from ..judges.rubric import Questions, Rubric
from ..judges.rubric_check import ENDINGS
from ..metrics.registry import products
from ..records import item, response
from ..records.answered import FAILED, ROLES, columns_of
from ..records.journal import Journal
from ..records.settings import Settings
from ..records.tables import to_table
from ..records.units import journal_of
from ..table_writer import check_writable, write_rows
from ..tables import read_table
from ..text_tables import Rows
from .inputs import responses_beside
from .judge import judging_task
from .judged_rows import (
    Counts,
    Judged,
    assumed,
    counts_of,
    defaults_of,
    pairs_of,
    uncovered,
    with_judgements,
)
from .stage import JudgeResponses, StageWork, Workers, worked_off

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
    Where calls have failed it is kept longer, and the same task asks those again.
    """
    questions = Questions.of(rubric, criteria)
    check_writable(out)
    table = read_table(path)
    rows = table.to_rows()
    named = kept_names(rows, questions)
    renamed = [{named.get(name, name): value for name, value in row.items()} for row in rows]
    # of a Parquet file each column keeps its type in another
    fields = table.rows.schema if table.form == "Parquet" else ()
    types = pa.schema([of.with_name(named.get(of.name, of.name)) for of in fields])
    check_writable(out, renamed, types=types)
    roles = columns_of(columns or {}, rows, name=str(path), roles=(*ROLES, FAILED))
    defaults = defaults_of(rubric, category=category, language=language)
    numbers, place = map(str, range(1, len(rows) + 1)), f"{path}, "
    chats, pairs = pairs_of(
        rows, roles, rubric, defaults, benchmark=STAGE, ids=numbers, place=place
    )
    task = judging_task({STAGE: questions}, config)
    engine = workers.engine(task.spec)
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
    items = [item for item, _ in pairs]
    with journal_of(settings, out.parent, folder=journal_folder) as journal:
        judged = _judged(task, engine, pairs, workers, journal, size=config.unit_items)
        caveats = (
            *(f"column {old!r} is kept as {new!r}" for old, new in named.items()),
            *assumed(chats, defaults, rubric),
            *uncovered(items, judged, engine, rubric),
        )
        facts = {"caveats": [*map(str, caveats)], "criteria": [*_scales(questions)]}
        write_json(facts_path(out), settings | facts)
        write_rows(out, with_judgements(renamed, judged), types=types)
    not_answered = sum(chat.failed for chat in chats)
    return replace(counts_of(judged, caveats), not_answered=not_answered)


def facts_path(out: Path) -> Path:
    """Where the facts about a judged file stand.

    >>> facts_path(Path("judged.csv")).name
    'judged.judging.json'
    """
    return out.with_suffix(".judging.json")


def _scales(questions: Questions) -> Iterator[dict[str, Any]]:
    """What a criterion's columns mean: its labels, their values, what is read of them."""
    for name, criterion in questions.criteria.items():
        scale = criterion.scale
        yield {
            "rubric": questions.rubric.name,
            "rubric_version": questions.rubric.version,
            "criterion": name,
            "labels": scale.labels,
            "values": scale.values,
            "read": criterion.read,
        }


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
    items = to_table([each for each, _ in pairs], item.SCHEMA)
    responses = to_table((pairs[at][1] for at in there), response.SCHEMA)
    work = StageWork(task, *responses_beside(items, responses, size=size))
    tables = worked_off(workers, work, engine, journal)
    unscored = task.judge(engine).judge([pairs[at] for at in absent])
    judged = [*judgements_of(tables, len(there)), *unscored]
    result = dict(zip((*there, *absent), judged, strict=True))
    return [result[at] for at in range(len(pairs))]


def kept_names(rows: Rows, questions: Questions) -> dict[str, str]:
    """The columns of the file that have the name of one that is added, and what they become."""
    ends = ("", *ENDINGS)
    added = {f"{criterion}{end}" for criterion in questions.criteria for end in ends} | {"windows"}
    added |= products(dict.fromkeys(questions.criteria)).keys()
    used = {*added, *(rows[0] if rows else ())}
    named = {}
    for name in rows[0] if rows else ():
        if name in added:
            named[name] = f"{name}{KEPT}"
            while named[name] in used:
                named[name] += KEPT
            # two columns may come to the same new name
            used.add(named[name])
    return named
