"""Judging a file of questions and responses: its rows come back wide, in their order.

Beside the judged file stands `<name>.judging.json`: with what it was judged, what was taken for
granted, and what the judge brings along (its label prior, its bias for an order).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ..errors import DataError, UsageError, nearest
from ..files import hash_file, write_json
from ..judges.diagnostics import diagnostics, priors
from ..judges.engine import Engine
from ..judges.judge import LoadedJudge, Pair, Questions, Work, load_judge
from ..judges.rubric import Rubric
from ..judges.rubric_check import ENDINGS
from ..languages import language_code
from ..packages import packages
from ..reasons import Reason, is_ours
from ..records.answered import FAILED, ROLES, Answered, answered, check_columns, columns_of
from ..records.config import RunConfig
from ..records.item import Item
from ..records.judgement import Judgement, Source
from ..records.judgements import counted_verdicts
from ..records.model_spec import ModelSpec
from ..records.response import Response
from ..records.units import is_begun, journal_of
from ..rows import Row, Rows
from .row_file import Judged, RowFile, TableFile

STAGE = "file"
KEPT = "_input"
"""What is added to the name of a file's column that judging has one of."""

Defaults = Mapping[str, str | None]
"""The category and the language of rows that name none; null where the rubric has none either."""


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


def judge_file(
    path: Path,
    out: Path,
    *,
    rubric: Rubric,
    criteria: tuple[str, ...],
    config: RunConfig,
    load: Callable[[ModelSpec], Engine],
    category: str | None = None,
    language: str | None = None,
    columns: Mapping[str, str] | None = None,
    retry_failed: bool = False,
    form: Callable[[Path], RowFile] = TableFile,
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
    place of what the rubric falls back on. `form` is what the file is, a table or a tool's log.

    Whether every row can be written is known before the judge is loaded. What was judged is kept
    until it is written, and the same task goes on with it under another `out` of the same folder.
    Where calls have failed it is kept longer, and the same task asks those again. With
    `retry_failed` nothing else is asked.
    """
    questions = Questions.of(rubric, criteria)
    file = form(path)
    file.check(out)
    rows = file.rows()
    named = kept_names(rows, questions)
    kept = [{named.get(name, name): value for name, value in row.items()} for row in rows]
    file.check(out, kept, named)
    roles = columns_of(columns or {}, (*ROLES, FAILED))
    check_columns(rows, roles, name=str(path))
    chats = [answered(row, roles, place=file.place(n)) for n, row in enumerate(rows, start=1)]
    if category is not None:
        rubric.refuse_category(category)
    defaults = {
        "category": category or rubric.fallback_category,
        "language": language_code(language or "") or rubric.fallback_language,
    }
    pairs = [
        _pair(file.place(n), str(n), chat, rubric, defaults) for n, chat in enumerate(chats, 1)
    ]
    engine = load_judge(config, load)
    judge = LoadedJudge(
        engine,
        {STAGE: questions},
        config.min_coverage,
        config.label_orders,
        config.judge_channels,
    )
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
        **defaults,
        "packages": packages(),
    }
    # the journal of a task without failed calls is removed: nothing tells which rows to ask again
    if retry_failed and not is_begun(settings, out.parent):
        raise UsageError(
            f"no call of this task is known to have failed, and {out} stays as it is: leave "
            "--retry-failed out to judge it anew"
        )
    with journal_of(settings, out.parent) as journal:
        judged = _judged(judge, pairs, Work(journal, unit_items=config.unit_items))
        caveats = (
            *(f"column {old!r} is kept as {new!r}" for old, new in named.items()),
            *_assumed(chats, defaults, rubric),
            *_uncovered(pairs, judged, engine),
        )
        items = [item for item, _ in pairs]
        facts = replace(diagnostics(judge, items, judged), priors=priors(judge, items))
        write_json(facts_path(out), settings | {"caveats": list(caveats)} | asdict(facts))
        file.write(out, beside(kept, judged), judged, questions, named)
    not_answered = sum(chat.failed for chat in chats)
    return replace(_counts(judged, caveats), not_answered=not_answered)


def facts_path(out: Path) -> Path:
    """Where the facts about a judged file stand.

    >>> facts_path(Path("judged.csv")).name
    'judged.judging.json'
    """
    return out.with_suffix(".judging.json")


def _judged(judge: LoadedJudge, pairs: Sequence[Pair], work: Work) -> Judged:
    """The judgements of each row.

    Rows without an answer to be judged, since a call failed before, are no work: there they would
    be taken for calls of the judge's that failed, and asked again.
    """
    there = [at for at, (_, response) in enumerate(pairs) if response.reason is None]
    absent = [at for at, (_, response) in enumerate(pairs) if response.reason is not None]
    result = dict(zip(there, judge.judge([pairs[at] for at in there], work), strict=True))
    result |= zip(absent, judge.judge([pairs[at] for at in absent]), strict=True)
    return [result[at] for at in range(len(pairs))]


def _assumed(chats: Sequence[Answered], defaults: Defaults, rubric: Rubric) -> Iterator[str]:
    """What was taken for granted about rows that do not say it."""
    for name, value in defaults.items():
        count = sum(not getattr(chat, name) for chat in chats)
        if count and value is not None:
            many = (
                "no row names" if count == len(chats) else f"{count:,} of {len(chats):,} rows lack"
            )
            yield f"{many} a {name}: judged as {value!r} by rubric {rubric.name!r}"


def _uncovered(pairs: Sequence[Pair], judged: Judged, engine: Engine) -> Iterator[str]:
    """In which languages the rows are that the judge was not made for."""
    foreign = Counter(
        item.language
        for (item, _), criteria in zip(pairs, judged, strict=True)
        if any(judgement.reason == Reason.LANGUAGE_NOT_COVERED for judgement in criteria)
    )
    if foreign:
        text = ", ".join(f"{n:,} × {language!r}" for language, n in foreign.most_common())
        covered = ", ".join(engine.identity.get("languages") or ())
        yield f"the judge was made for {covered}: rows in other languages are unscored ({text})"


def _counts(judged: Judged, caveats: tuple[str, ...]) -> Counts:
    absent = [{judgement.reason for judgement in criteria} - {None} for criteria in judged]
    return Counts(
        rows=len(judged),
        unscored=sum(map(bool, absent)),
        failed=sum(any(map(is_ours, reasons)) for reasons in absent),
        reasons=dict(Counter(str(r) for reasons in absent for r in reasons).most_common()),
        caveats=caveats,
    )


def _pair(place: str, name: str, chat: Answered, rubric: Rubric, defaults: Defaults) -> Pair:
    category = chat.category or defaults["category"] or ""
    if rubric.categories and not category:
        known = ", ".join(rubric.categories)
        raise DataError(
            f"{place}: no category; add a column 'category' or name one for all rows "
            f"with --category ({known})"
        )
    if rubric.categories and category not in rubric.categories:
        text = nearest(category, list(rubric.categories))
        raise DataError(
            f"{place}: rubric {rubric.name!r} has no category {category!r}; {text} (another column "
            "with --column category=NAME, none with --column category=)"
        )
    item = Item(
        benchmark=STAGE,
        item_id=name,
        messages=chat.messages,
        language=chat.language or defaults["language"] or "",
        category=category,
    )
    reason = Reason.CALL_FAILED if chat.failed else None
    return item, Response.to(item, chat.response, reason=reason)


def beside(rows: Rows, judged: Judged) -> Rows:
    """The rows with their readings; every row has the same columns."""
    judgements = [judgement for criteria in judged for judgement in criteria]
    bounded = any(judgement.coverage_high is not None for judgement in judgements)
    several = any(judgement.windows > 1 for judgement in judgements)
    return [
        {**row, **_wide(criteria, bounded=bounded, several=several)}
        for row, criteria in zip(rows, judged, strict=True)
    ]


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
    if {"moral", "rating"} <= set(wide):
        both = (wide["moral"], wide["rating"])
        # as `cfsafety_score` has it: without either there is no score
        wide["score"] = None if None in both else both[0] * both[1]
    return wide


def kept_names(rows: Rows, questions: Questions) -> dict[str, str]:
    """The columns of the file that have the name of one that is added, and what they become."""
    ends = ("", *ENDINGS)
    added = {f"{criterion}{end}" for criterion in questions.criteria for end in ends} | {"windows"}
    if {"moral", "rating"} <= set(questions.criteria):
        added.add("score")
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
