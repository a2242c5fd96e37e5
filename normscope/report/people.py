"""A model's acceptability beside people's: how far they go together, and where they part."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..format import MISSING, count, number, scale_end
from ..messages import joined, message
from ..metrics.estimate import Statistic
from ..metrics.inputs import Floats
from ..metrics.norms import ACCEPTABILITY
from ..pipeline.norms import VignetteAnswers
from ..pipeline.people import PREFIX, RatedVignettes
from ..records.item import Item
from ..records.judgements import Judgements, headline
from .blocks import Block, Paragraph, Row, Section, Table, columns
from .data import ReportData
from .estimates import counted_table, named

_MOST_APART = 5
_NOTE = Paragraph(
    message(
        "Ranks need no common scale. The difference does: the ends of people's scale are put on "
        "those of the answers, so that a share of yes of 0.5 stands at neutral. n is the number of "
        "ratings; one that is of several vignettes counts once. The intervals are for other flows "
        "of the kind, as if these had been drawn at random."
    ),
    note=True,
)


def people_blocks(data: ReportData, judgements: Judgements) -> Iterator[Section]:
    """Each benchmark whose vignettes people rated: the agreement, a chart, where they part."""
    for benchmark, statistics in data.scores.items():
        ratings = [rating for rating in data.ratings if rating.benchmark == benchmark]
        rows = [row for row in statistics if row.name.startswith(PREFIX) and not row.group]
        if ratings and rows:
            answered = VignetteAnswers.of(headline(judgements.of_benchmark(benchmark)))
            rated = RatedVignettes.of(answered.items, ratings)
            yield Section(benchmark, beside_people(rated, answered, rows))


def beside_people(
    rated: RatedVignettes,
    answered: VignetteAnswers,
    statistics: Sequence[Statistic],
) -> tuple[Block, ...]:
    """What people were asked, the statistics of the agreement, and where they part."""
    table = counted_table(message("statistic"), ((named(row), row) for row in statistics))
    return (*_about(rated), table, _NOTE, *_shown(rated, answered))


def _about(rated: RatedVignettes) -> Iterator[Paragraph]:
    """What people were asked, on which scale, and how many of them."""
    first = rated.ratings[0]
    people = [rating.n for rating in rated.ratings if rating.n is not None]
    scale = {"low": scale_end(first.low), "high": scale_end(first.high)}
    n = count(len(rated.ratings))
    lines = [
        message(
            "People were asked: {question} From {low} to {high}. {n} ratings, from {source}.",
            question=first.question,
            n=n,
            source=first.source,
            **scale,
        )
        if first.question
        else message("People rated from {low} to {high}. {n} ratings.", n=n, **scale)
    ]
    if people:
        text = message(
            "{least} to {most} people answered for each.",
            least=count(min(people)),
            most=count(max(people)),
        )
        if min(people) == max(people):
            text = message("{n} people answered for each.", n=count(people[0]))
        lines.append(text)
    missing = sum(rating.missing or 0 for rating in rated.ratings)
    if missing:
        lines.append(
            message(
                "{n} answers of people that are none on the scale are left out.", n=count(missing)
            )
        )
    yield Paragraph(joined(lines, " "))


def _shown(rated: RatedVignettes, answered: VignetteAnswers) -> Iterator[Block]:
    """The ratings that are furthest from the model's means."""
    means = rated.means(answered.answers)
    apart = means - rated.scaled()
    for title, sign in (
        (message("Where the model is most permissive beside people"), 1),
        (message("Where the model is strictest beside people"), -1),
    ):
        # NaN, where the model has no mean, is sorted last in either direction
        order = np.argsort(-sign * apart, kind="stable")[:_MOST_APART].tolist()
        if chosen := [at for at in order if sign * apart[at] > 0]:
            yield _apart(title, rated, answered, means, chosen)


def _apart(
    title: str,
    rated: RatedVignettes,
    answered: VignetteAnswers,
    means: Floats,
    chosen: Sequence[int],
) -> Table:
    """The ratings at these places with the levels of their vignettes, people's mean and ours."""
    rows: list[Row] = []
    for at in chosen:
        items = [answered.items[place] for place in rated.vignettes[rated.units == at].tolist()]
        rating = rated.ratings[at]
        people = MISSING if rating.n is None else count(rating.n)
        rows.append((_levels(items), number(rating.mean), people, number(float(means[at]))))
    first = rated.ratings[0]
    scale = message("people, {low} … {high}", low=scale_end(first.low), high=scale_end(first.high))
    model = message(
        "model, {low} … {high}", low=scale_end(ACCEPTABILITY[0]), high=scale_end(ACCEPTABILITY[1])
    )
    return Table(
        columns(message("flow"), scale, message("people asked"), model), tuple(rows), title=title
    )


def _levels(items: Sequence[Item]) -> str:
    """The levels that the vignettes of a rating have in common, of one alone else its id."""
    common = joined(filter(None, common_levels(items).values()), " · ")
    return common or (items[0].item_id if len(items) == 1 else message("all vignettes"))


def common_levels(items: Sequence[Item]) -> dict[str, str]:
    """The levels that the vignettes of a rating have in common, by factor."""
    facets = [item.facets for item in items]
    return {
        name: level
        for name, level in facets[0].items()
        if all(each.get(name) == level for each in facets)
    }
