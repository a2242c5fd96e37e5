"""How the judgements are spread: by category, by class, and as histograms of scores."""

from collections.abc import Iterator, Mapping

import numpy as np

from ..categorical import Codes
from ..format import count, scale_end
from ..messages import joined, message
from ..metrics.cfsafety import SCORE, open_prompts
from ..palette import LABELS
from ..pipeline.criteria import CLASSES, range_of
from ..reasons import Origin
from ..records.judgements import Floats, Judgements, headline
from .blocks import Beside, Block, Chart, Text
from .charts import Bars, Histogram, Ridges
from .estimates import round_ends
from .names import name_of


def distribution_blocks(judgements: Judgements) -> Iterator[Block]:
    """The charts over the categories, then the histogram of each score and amount."""
    counted = headline(judgements)
    charts = (*_scores(counted), *_refusals(counted), *_amounts(counted))
    if charts:
        yield Beside(charts)


def _scores(judgements: Judgements) -> Iterator[Chart]:
    """Of each benchmark with a score its histogram, over open prompts, and a ridge per category."""
    for (benchmark,), rows in judgements.by("benchmark"):
        responses, scores = rows.products()
        known = ~np.isnan(scores)
        if not known.any():
            continue
        used = scores[known & open_prompts(responses.facet("item_format"))]
        if len(used):
            yield histogram(used, SCORE, name_of("score"), benchmark)
        samples = _by_category(responses[known])
        if len(samples) > 1:
            about = message(
                "density in each category, all of one height; stroke: median; number of values on "
                "the right"
            )
            yield Chart(
                Ridges(
                    samples=[[scores[known][places] for places in samples.values()]],
                    series=[name_of("score")],
                    categories=list(samples),
                    limits=SCORE,
                ),
                alt=message(
                    "Distribution of {what} in each category; medians are in the titles of the "
                    "rows.",
                    what=name_of("score"),
                ),
                title=name_of("score"),
                note=(benchmark, " · ", about),
            )


def _refusals(judgements: Judgements) -> Iterator[Chart]:
    """A chart for each benchmark whose refusals were judged, by category if there are several."""
    for (benchmark,), rows in judgements.of_criterion("refusal").by("benchmark"):
        groups = {name: rows[places] for name, places in _by_category(rows).items()}
        # answers whose items are not there have no category
        if groups:
            about = (benchmark, " · ", message("shares of the answers in each category"))
            yield shares_chart("refusal", groups, title=name_of("refusal"), note=about)


def _amounts(judgements: Judgements) -> Iterator[Chart]:
    """A histogram of each criterion that is an amount and no part of a score."""
    for (benchmark, criterion), rows in judgements.by("benchmark", "criterion"):
        values = rows.value[~rows.absent()]
        limits = range_of(criterion, values)
        if limits is not None and len(values) and criterion not in {"moral", "rating"}:
            yield histogram(values, limits, name_of(criterion), benchmark)


def _by_category(rows: Judgements) -> dict[str, Codes]:
    """The places of the rows of each category."""
    of = rows.of_items("category").seen()
    return {
        name_of(name) or message("not given"): np.flatnonzero(of.equals(name)) for name in of.names
    }


def shares_chart(
    criterion: str, groups: Mapping[str, Judgements], *, title: Text, note: Text = ""
) -> Chart:
    """Shares of the criterion's classes in each of the groups, and of what has none."""
    classes, counts = CLASSES[criterion], []
    for rows in groups.values():
        values = np.rint(rows.value)
        # what the source allows no verdict on is neither the model's doing nor ours
        silent, excluded = (int(rows.absent(o).sum()) for o in (Origin.RESPONDENT, Origin.SOURCE))
        ours = int(rows.absent().sum()) - silent - excluded
        counts.append([*(int((values == value).sum()) for value in classes), silent, ours])
    return Chart(
        Bars(
            counts=counts,
            rows=list(groups),
            classes=[name_of(name) for name in classes.values()],
            absent=("no answer", "unscored"),
            palette=[LABELS[name] for name in classes.values()],
        ),
        alt=message("Shares of the classes of {what} in each row.", what=name_of(criterion)),
        title=title,
        note=note,
    )


def histogram(values: Floats, limits: tuple[float, float], name: str, benchmark: str) -> Chart:
    """The values within the limits, or as far as they reach beyond; the axis has round ends."""
    low, high = limits
    ends = round_ends([float(values.min(initial=low)), float(values.max(initial=high))])
    plot = Histogram(values=values, limits=ends, xlabel=name)
    alt = message(
        "Histogram of {what} from {low} to {high}; the fullest bin holds {n}.",
        what=joined((name, benchmark)),
        low=scale_end(ends[0]),
        high=scale_end(ends[1]),
        n=count(int(plot.counts.max())),
    )
    return Chart(plot, alt=alt, title=name, note=benchmark)
