"""What the page shows of a judged file."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from ... import format as fmt
from ...messages import joined, known, translate
from ...metrics.cfsafety import SCORE
from ...metrics.estimate import Statistic
from ...report.blocks import (
    Beside,
    Block,
    Cell,
    Column,
    Details,
    Paragraph,
    Row,
    Sample,
    Section,
    Table,
)
from ...report.names import name_of
from .judging import Judged, Progress
from .limits import ROWS_SHOWN
from .pages import judge_line
from .views import category_title, criterion_value, named, shares_table
from .words import Language, Words

_BINS = 10
_MINUTE = 60


def file_blocks(judged: Judged, words: Words, language: Language) -> tuple[Block, ...]:
    """The numbers over all rows, how they are spread, and the rows."""

    def say(key: str, /, **slots: object) -> str:
        return words.say(key, language, **slots)

    judge = judged.job.judge
    overall = [
        (named(words, language, "file_stat", each.name), each)
        for each in judged.statistics
        if not each.group
    ]
    rows = _rows(judged, words, language)
    size = fmt.count(len(judged.rows))
    shown = say("file_rows_shown", n=str(len(rows.rows)), rows=size)
    return (
        Section(
            say("file_summary", rows=size, unscored=fmt.count(judged.unscored)),
            (
                *(Paragraph(note, note=True) for note in _notes(judged, words, language)),
                judge_line(judge.name, words, language, bundled=judge.is_bundled),
            ),
        ),
        Section(
            say("file_numbers"),
            (
                statistics_table(overall, say("file_statistic"), words, language),
                Paragraph(say("file_bounds_note"), note=True),
                *_groups(judged, words, language),
            ),
        ),
        Beside(tuple(_plots(judged, words, language))),
        Section(
            say("file_rows"), (Paragraph(f"{shown} {say('file_hidden_note')}", note=True), rows)
        ),
    )


def statistics_table(
    rows: Iterable[tuple[str, Statistic]],
    first: str,
    words: Words,
    language: Language,
    *,
    title: str = "",
) -> Table:
    """Each statistic under its label: the value, its interval and counts, its worst and best case.

    What the interval is about and how it was made stands on pointing at it.
    """
    names = (
        words.say(f"file_{name}", language) for name in ("interval", "n", "unscored", "bounds")
    )
    value = Column(words.say("file_value", language), "number", tone="strong")
    return Table(
        (Column(first), value, *(Column(name, "number") for name in names)),
        tuple(_statistic(label, statistic, language) for label, statistic in rows),
        title=title,
        look="numbers",
    )


def _statistic(label: str, statistic: Statistic, language: Language) -> Row:
    estimate = statistic.estimate
    text = fmt.estimate(estimate, statistic.unit)
    about = translate(joined((name_of(estimate.target), known(estimate.method)), "; "), language)
    interval = Cell(text.interval, hint=about)
    return label, text.value, interval, text.n, text.unscored, text.extremes


def left(progress: Progress, words: Words, language: Language) -> str:
    """How much longer it will take, roughly; nothing while that cannot be guessed."""
    if progress.left is None or progress.done == progress.rows:
        return ""
    if progress.left < _MINUTE:
        return words.say("file_left_seconds", language, n=max(1, round(progress.left)))
    return words.say("file_left_minutes", language, n=round(progress.left / _MINUTE))


def _notes(judged: Judged, words: Words, language: Language) -> Iterator[str]:
    if many := judged.job.unknown_categories:
        used = judged.job.judge.rubric
        kind = category_title(used.categories[used.category_for("")], language)
        yield words.say("file_unknown_kinds", language, n=fmt.count(many), kind=kind)


def _groups(judged: Judged, words: Words, language: Language) -> Iterator[Details]:
    for group in dict.fromkeys(s.group for s in judged.statistics if s.group):
        mine = [s for s in judged.statistics if s.group == group]
        tables = []
        for name in dict.fromkeys(s.name for s in mine):
            rows = [(_member(judged, s, words, language), s) for s in mine if s.name == name]
            first = words.say(f"file_group_{group}", language)
            title = named(words, language, "file_stat", name)
            tables.append(statistics_table(rows, first, words, language, title=title))
        title = words.say("file_by", language, group=named(words, language, "file_group", group))
        yield Details(title, tuple(tables))


def _member(judged: Judged, each: Statistic, words: Words, language: Language) -> str:
    """A level of a group as people read it; one of the visitor's own as it is."""
    kinds = judged.job.judge.rubric.categories
    if each.group == "category" and each.member in kinds:
        return category_title(kinds[each.member], language)
    kind = "answer_language" if each.group == "language" else "file_member"
    return named(words, language, kind, each.member) if each.member else fmt.MISSING


def _plots(judged: Judged, words: Words, language: Language) -> Iterator[Table]:
    """How the scores and the degrees of refusal are spread, as bars."""
    answers = words.say("file_answers", language)
    scores = [score for score in judged.scores() if score is not None]
    if scores:
        counts, edges = np.histogram(scores, _BINS, SCORE)
        labels = [
            words.say("file_from_to", language, low=f"{low:g}", high=f"{high:g}")
            for low, high in pairwise(edges)
        ]
        title = words.say("file_spread_scores", language)
        axis = words.say("file_stat_score", language)
        yield shares_table(labels, counts.tolist(), (axis, answers), title=title)
    if "refusal" in judged.job.judge.criteria:
        criterion = judged.job.judge.rubric.criteria["refusal"]
        said = criterion.instruction.get(language) or next(iter(criterion.instruction.values()))
        values = judged.values("refusal")
        labels = [f"{label} · {said.meanings[label]}" for label in criterion.scale.labels]
        counted = [values.count(value) for value in criterion.scale.values]
        title = words.say("file_spread_refusal", language)
        axis = words.say("answer_label", language)
        yield shares_table(labels, counted, (axis, answers), title=title)


def _rows(judged: Judged, words: Words, language: Language) -> Table:
    """The rows with the lowest scores first, the unscored ones last; their texts are folded."""

    def say(key: str) -> str:
        return words.say(key, language)

    criteria = judged.job.judge.rubric.criteria
    scored = {"moral", "rating"} <= set(criteria)
    scores: Sequence[float | None] = judged.scores()
    if all(score is None for score in scores):
        scores = judged.values(judged.job.judge.criteria[0])
    rows: list[Row] = []
    for at in sorted(range(len(scores)), key=lambda at: _low(scores[at], at))[:ROWS_SHOWN]:
        item, response = judged.job.pairs[at]
        reason = next((row.reason for row in judged.rows[at] if row.reason), None)
        why = named(words, language, "answer_reason", str(reason)) if reason else ""
        texts = (
            *([(say("answer_why_unscored"), why)] if why else ()),
            (say("file_question"), item.question),
            (say("file_answer"), response.text or ""),
        )
        values = [criterion_value(criteria[row.criterion], row.value) for row in judged.rows[at]]
        score = [Cell(fmt.number(scores[at]), tone="strong")] if scored else []
        rows.append((str(at + 1), *score, *values, Sample(texts)))
    titles = [
        named(words, language, "answer_criterion", name) for name in judged.job.judge.criteria
    ]
    return Table(
        (
            Column(say("file_row"), "number"),
            *([Column(say("file_stat_score"), "number")] if scored else ()),
            *(Column(title, "number") for title in titles),
            Column(say("file_text")),
        ),
        tuple(rows),
        look="numbers rows",
    )


def _low(score: float | None, at: int) -> tuple[bool, float, int]:
    return (score is None, score or 0.0, at)
