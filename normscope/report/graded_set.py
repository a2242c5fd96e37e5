"""The graded set: answers of known safety, and whether the judge puts them in their order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..format import count, interval, number, percent
from ..messages import message
from ..metrics.cfsafety import SCORE
from ..metrics.rates import mean
from ..records.item import Item
from ..records.judgements import Judgements
from .blocks import Beside, Block, Cell, Chart, Column, Paragraph, Section, Table, columns
from .charts import Trend
from .criteria import REFUSAL
from .verdicts import absent, group_by, products
from .words import EN, Words

Scored = tuple[str, float]
"""An answer's cluster, and its score or NaN."""


@dataclass(frozen=True, slots=True)
class GradeScore:
    """The scores of one intended grade in one language."""

    language: str
    mean: str
    interval: str
    method: str
    n: str
    unscored: str
    bounds: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many answers of one intended degree got one class; `share` of the row in [0, 1]."""

    count: str
    share: str
    depth: int
    meant: bool


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """The answers of one intended degree, by the class that the judge gave them."""

    degree: str
    counts: tuple[Count, ...]
    unscored: str
    n: str


@dataclass(frozen=True, slots=True)
class GradedSet:
    """Scores per intended grade, and refusal classes per intended degree."""

    benchmark: str
    languages: tuple[str, ...]
    grades: tuple[tuple[str, tuple[GradeScore, ...]], ...]
    classes: tuple[str, ...]
    confusion: tuple[ConfusionRow, ...]


def graded_sets(
    items: list[Item], verdicts: Judgements, words: Words = EN
) -> tuple[GradedSet, ...]:
    """One for each benchmark whose items say what grade and refusal degree was intended."""
    graded = [item for item in items if {"grade", "refusal_degree"} <= item.facets.keys()]
    return tuple(
        _graded_set(benchmark, rows, verdicts.of_benchmark(benchmark), words)
        for benchmark, rows in group_by(graded, lambda item: item.benchmark).items()
    )


def _graded_set(benchmark: str, items: list[Item], verdicts: Judgements, words: Words) -> GradedSet:
    by_id = {item.item_id: item for item in items}
    known = verdicts[verdicts.item_id.isin(by_id)]
    languages = tuple(sorted({item.language for item in items}))
    grades = sorted({item.facets["grade"] for item in items})
    scored: dict[tuple[str, str], list[Scored]] = {}
    rows, scores = products(known)
    for item_id, score in zip(known.item_id[rows], scores.tolist(), strict=True):
        item = by_id[item_id or ""]
        place = scored.setdefault((item.facets["grade"], item.language), [])
        place.append((item.cluster, score))
    refusals = known.of_criterion("refusal")
    ids = refusals.item_id.seen()
    degrees = ids.renamed(by_id[name].facets["refusal_degree"] for name in ids.names)
    return GradedSet(
        benchmark=benchmark,
        languages=languages,
        grades=tuple(
            (
                grade,
                tuple(
                    _grade_score(name, scored.get((grade, name), []), words) for name in languages
                ),
            )
            for grade in grades
        ),
        classes=tuple(words.name(name) for name in REFUSAL),
        confusion=tuple(
            _confusion(degree, refusals[degrees.equals(degree)], words)
            for degree in sorted(degrees.names)
        ),
    )


def _grade_score(language: str, scores: list[Scored], words: Words) -> GradeScore:
    found = mean([s for _, s in scores], bounds=SCORE, clusters=[c for c, _ in scores])
    return GradeScore(
        language=language,
        mean=number(found.value),
        interval=interval(found.low, found.high),
        method=words.told(found.method),
        n=count(found.n),
        unscored=count(found.unscored),
        bounds=interval(found.worst, found.best),
        value=found.value,
        low=found.low,
        high=found.high,
    )


def _confusion(degree: str, verdicts: Judgements, words: Words) -> ConfusionRow:
    held = Counter(verdicts.value[~absent(verdicts)].astype(int).tolist())
    n = held.total()
    return ConfusionRow(
        degree=_name(degree, words),
        counts=tuple(
            Count(
                count=count(held[place]),
                share=percent(held[place] / n if n else None),
                depth=round(4 * held[place] / n) if n else 0,
                meant=degree == str(place),
            )
            for place in range(len(REFUSAL))
        ),
        unscored=count(len(verdicts) - n),
        n=count(n),
    )


def _name(degree: str, words: Words) -> str:
    known = degree.isdecimal() and int(degree) < len(REFUSAL)
    return f"{degree} · {words.name(REFUSAL[int(degree)])}" if known else degree


def graded_set_blocks(sets: Sequence[GradedSet], words: Words) -> Iterator[Block]:
    """Each graded set: how its scores rise, and its refusal classes."""
    if sets:
        yield Paragraph(
            message(
                "Answers whose author intended a grade of safety (1 worst, 5 best) and a degree of "
                "refusal. A judge that orders answers gives scores that rise from grade to grade."
            ),
            note=True,
        )
    for graded in sets:
        yield Section(graded.benchmark, _blocks(graded, words))


def _trend(graded: GradedSet, words: Words) -> Trend:
    scores = [
        (place, score)
        for place, (_, of) in enumerate(graded.grades)
        for score in of
        if score.value is not None
    ]
    points = [(place, score.value, score.low, score.high) for place, score in scores]
    return Trend(
        points=np.array(points, dtype=float).reshape(-1, 4),
        series=[words.name(score.language) for _, score in scores],
        levels=[grade for grade, _ in graded.grades],
        limits=SCORE,
        xlabel=message("intended grade"),
        ylabel=words.name("score"),
    )


def _blocks(graded: GradedSet, words: Words) -> tuple[Block, ...]:
    steps = Chart(
        _trend(graded, words),
        alt=message(
            "Mean score per intended grade and language; the table beside has the numbers."
        ),
        title=message("Score (moral × rating), mean and interval per intended grade"),
    )
    grades = Table(
        (
            Column(message("grade")),
            Column(message("language")),
            Column(message("mean"), "number", tone="strong"),
            Column(message("interval"), "number"),
            Column("n", "number"),
            Column(message("unscored"), "number"),
            Column(message("worst – best"), "number", tone="muted"),
        ),
        tuple(
            (
                grade,
                words.name(score.language),
                score.mean,
                Cell(score.interval, hint=score.method),
                score.n,
                score.unscored,
                score.bounds,
            )
            for grade, scores in graded.grades
            for score in scores
        ),
        title=message("Score per intended grade"),
        note=message("95 % interval for new items of the kind"),
    )
    confusion = Table(
        columns(message("intended \\ judged"), *graded.classes, "n", message("without a class")),
        tuple(
            (
                row.degree,
                *(
                    Cell(c.count, note=c.share, tone="marked" if c.meant else "", shade=c.depth)
                    for c in row.counts
                ),
                row.n,
                row.unscored,
            )
            for row in graded.confusion
        ),
        title=message("Refusal class by intended degree"),
        note=message("counts, share of the row; the intended class is outlined"),
        look="confusion",
    )
    return Beside((steps, grades)), confusion
