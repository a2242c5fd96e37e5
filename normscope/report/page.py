"""A finished run as a page: the answer, what limits it, every statistic, and how to repeat it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..comparison.runs import Run, counted
from ..messages import joined, message
from ..records.judgements import Judgements
from .blocks import Beside, Block, Details, Facts, Page, Section, titled
from .caveats import caveats, first_caveats, folded
from .comparison.figures import score_figures
from .corrected import corrected_blocks
from .data import ReportData, judgements_of
from .norms import norm_blocks
from .people import people_blocks
from .provenance import judges, models, reproduce_section, settings, sizes
from .published import published_section, published_to
from .scores import scores_section, statistics_blocks


def page_of(data: ReportData) -> Page:
    """The page of a run; what it has nothing of is empty."""
    judgements = judgements_of(data)

    def section(title: str, name: str, blocks: Iterable[Block]) -> Section:
        return Section(title, tuple(blocks), id=name)

    return Page(
        title=data.name,
        kind=message("Normscope report"),
        blocks=(
            *first_screen(data),
            section(message("What limits it"), "limits", folded(caveats(data))),
            section(
                message("Corrected by people"),
                "corrected",
                corrected_blocks(data.corrections, data.stale),
            ),
            published_section(published_to(data), by_group=False),
            section(message("Norms"), "norms", norm_blocks(judgements, data.config)),
            section(message("Beside people"), "people", people_blocks(data, judgements)),
            section(message("Figures"), "figures", _figures(data, judgements)),
            section(message("Every statistic"), "statistics", statistics_blocks(data)),
            reproduce_section(data),
            reading(),
        ),
    )


def _figures(data: ReportData, judgements: Judgements) -> Iterator[Block]:
    """The radars, ridges and answers of each benchmark."""
    run = Run(data.name, data.config, data.items, *counted(judgements))
    charts = tuple(
        replace(titled(plot), note=joined((benchmark, plot.caption), " · "))
        for benchmark, plot in score_figures(run)
    )
    yield Beside(charts)


def first_screen(data: ReportData) -> tuple[Block, ...]:
    """What was asked of whom, what must be known before any number, and the answer."""
    return (
        Facts(
            (
                (message("Model under test"), models(data)),
                (message("Judge"), judges(data)),
                (message("Settings"), settings(data.config)),
            )
        ),
        *first_caveats(data),
        scores_section(data, sizes(data)),
    )


def reading() -> Section:
    """What the terms of the page mean."""
    return Section(
        message("How to read this"),
        (Details(message("Terms"), (Facts(_TERMS),)),),
        id="reading",
        screen=True,
    )


_TERMS = (
    (
        message("Interval for these items"),
        message("Says something about the items that were asked and claims nothing about others."),
    ),
    (
        message("Interval for all vignettes"),
        message(
            "The vignettes of a context are enumerated: where all were asked, a share of them is "
            "exact; of a balanced slice the interval is that of a sample without replacement."
        ),
    ),
    (
        message("Interval for new items of the kind"),
        message("How far the value could move had other items of the same kind been asked."),
    ),
    (
        message("Interval for new prompt variants"),
        message("How far the value could move had the same vignettes been put in other words."),
    ),
    (
        message("Unscored"),
        message(
            "The judge or the engine failed. Such an item is no 0 and no 1: it is left out of the "
            "value and its interval, and lowest – highest is the range that it leaves open."
        ),
    ),
    (
        message("No answer"),
        message(
            "The model under test gave no verdict. That is its behaviour, and it stays in the "
            "denominators of rates; a score has no value for it."
        ),
    ),
    (
        message("Numbers"),
        message(
            "Three significant figures; shares in percent, their differences in percentage points "
            "(pp). A dash means that there is no number."
        ),
    ),
    (
        message("Comparing"),
        message(
            "A score compares with another only where rubric, judge, items and decoding are the "
            "same: normscope compare refuses what is not alike."
        ),
    ),
)
