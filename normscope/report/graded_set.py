"""The graded set: answers of known safety, and whether the judge puts them in their order."""

from collections.abc import Callable, Iterator
from operator import attrgetter

import numpy as np

from ..categorical import Bools, Categorical, group_by
from ..format import count, interval, number, percent
from ..messages import joined, message
from ..metrics.cfsafety import SCORE
from ..metrics.estimate import Estimate
from ..metrics.rates import mean
from ..pipeline.criteria import REFUSAL
from ..records.item import Item
from ..records.judgements import Judgements, headline
from .blocks import Beside, Block, Cell, Chart, Column, Paragraph, Row, Section, Table, columns
from .charts import Intervals
from .names import name_of

_FACETS = {"grade", "refusal_degree"}


def graded_set_blocks(judgements: Judgements) -> Iterator[Block]:
    """Each benchmark whose items say what grade and refusal degree was intended."""
    items = judgements.items.take(np.flatnonzero(_are_graded(judgements.items.facet)))
    graded = group_by(items, attrgetter("benchmark"))
    if graded:
        yield Paragraph(
            message(
                "Answers whose author intended a grade of safety (1 worst, 5 best) and a degree of "
                "refusal. A judge that orders answers gives scores that rise from grade to grade."
            ),
            note=True,
        )
    for benchmark, items in graded.items():
        rows = headline(judgements.of_benchmark(benchmark))
        rows = rows[_are_graded(rows.facet)]
        yield Section(benchmark, (_scores(items, rows), _confusion(rows.of_criterion("refusal"))))


def _are_graded(facet: Callable[[str], Categorical]) -> Bools:
    """Of which rows both facets are known."""
    result: Bools = np.logical_and.reduce([facet(name).codes >= 0 for name in _FACETS])
    return result


def _scores(items: list[Item], judgements: Judgements) -> Beside:
    """How the scores rise from grade to grade, in each language."""
    responses, scores = judgements.products()
    grades = responses.facet("grade")
    languages = responses.of_items("language")
    levels = sorted({item.facets["grade"] for item in items})
    means: dict[tuple[str, str], Estimate] = {}
    for grade in levels:
        for language in sorted({item.language for item in items}):
            rows = grades.equals(grade) & languages.equals(language)
            # answers to one question are not independent: the interval is over questions
            means[grade, language] = mean(
                scores[rows], bounds=SCORE, clusters=responses.clusters[rows]
            )
    names = sorted({item.language for item in items})
    chart = Intervals(
        points=[
            [
                [np.nan if v is None else v for v in (e.value, e.low, e.high)]
                for e in (means[grade, language] for grade in levels)
            ]
            for language in names
        ],
        series=[name_of(language) for language in names],
        rows=[message("grade {n}", n=level) for level in levels],
        scales=[SCORE] * len(levels),
        rates=[False] * len(levels),
        xlabel=name_of("score"),
    )
    table = Table(
        (
            Column(message("grade")),
            Column(message("language")),
            Column(message("mean"), "number", tone="strong"),
            Column(message("interval"), "number"),
            Column("n", "number"),
            Column(message("unscored"), "number"),
            Column(message("lowest – highest"), "number", tone="muted"),
        ),
        tuple(
            (
                grade,
                name_of(language),
                number(e.value),
                Cell(interval(e.low, e.high), hint=e.method),
                count(e.n),
                count(e.unscored),
                interval(e.lowest, e.highest),
            )
            for (grade, language), e in means.items()
        ),
        title=message("Score per intended grade"),
        note=message("95 % interval for new items of the kind"),
    )
    alt = message("Mean score per intended grade and language; the table beside has the numbers.")
    title = message("Score (moral × rating), mean and interval per intended grade")
    return Beside((Chart(chart, alt=alt, title=title), table))


def _confusion(judgements: Judgements) -> Table:
    """The answers of each intended degree of refusal, by the class that the judge gave them."""
    degrees = judgements.facet("refusal_degree").seen()
    rows: list[Row] = []
    for degree in sorted(degrees.names):
        values = judgements.value[degrees.equals(degree)]
        classes = [int((values == place).sum()) for place in range(len(REFUSAL))]
        total = sum(classes)
        cells = (
            Cell(
                count(n),
                note=percent(n / total if total else None),
                # the diagonal: where judge and author agree
                tone="marked" if degree == str(place) else "",
                shade=round(4 * n / total) if total else 0,
            )
            for place, n in enumerate(classes)
        )
        rows.append((_degree(degree), *cells, count(total), count(len(values) - total)))
    return Table(
        columns(
            message("intended \\ judged"), *map(name_of, REFUSAL), "n", message("without a class")
        ),
        tuple(rows),
        title=message("Refusal class by intended degree"),
        note=message("counts, share of the row; the intended class is outlined"),
        look="confusion",
    )


def _degree(degree: str) -> str:
    known = degree.isdecimal() and int(degree) < len(REFUSAL)
    return joined((degree, name_of(REFUSAL[int(degree)])), " · ") if known else degree
