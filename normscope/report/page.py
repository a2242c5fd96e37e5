"""A finished run as a page: the answer, what limits it, its details, and how to repeat it."""

from collections.abc import Iterable

from ..messages import message
from ..records.judgements import Judgements
from .absent import absent_blocks
from .blocks import Block, Facts, Page, Section
from .caveats import caveats, first_caveats, no_caveat
from .corrected import corrected_blocks
from .data import ReportData, judgements_of
from .disagreement import disagreement_blocks
from .distributions import distribution_blocks
from .factors import factor_blocks
from .graded_set import graded_set_blocks
from .groups import group_blocks
from .judging import judging_blocks
from .norms import norm_blocks
from .people import people_blocks
from .published import published_section, published_to
from .reproduce import reproduce_section
from .requested import details, judges, models, settings, weights
from .samples import sample_blocks
from .scores import channel_blocks, scores_section
from .shape import shape_blocks
from .variants import variant_blocks


def page_of(data: ReportData) -> Page:
    """The page of a run; what it has nothing of is empty."""
    judgements = judgements_of(data)

    def section(title: str, name: str, blocks: Iterable[Block]) -> Section:
        return Section(title, tuple(blocks), id=name)

    return Page(
        title=data.name,
        kind=message("Normscope report"),
        blocks=(
            *first_screen(data, judgements),
            section(
                message("What limits it"),
                "limits",
                tuple(caveats(data, judgements)) or (no_caveat(),),
            ),
            section(
                message("Corrected by people"),
                "corrected",
                corrected_blocks(data.corrections, data.stale),
            ),
            published_section(published_to(data)),
            section(message("By group"), "groups", group_blocks(data)),
            section(
                message("Distributions"),
                "distributions",
                distribution_blocks(judgements, threshold=data.config.min_coverage),
            ),
            section(message("Shape of the scores"), "shape", shape_blocks(data, judgements)),
            section(
                message("The graded set"),
                "graded-set",
                graded_set_blocks(judgements),
            ),
            section(
                message("Norms"),
                "norms",
                norm_blocks(judgements, data.config),
            ),
            section(message("What moves the norm"), "factors", factor_blocks(data)),
            section(message("Beside people"), "people", people_blocks(data, judgements)),
            section(
                message("Prompt variants and orders"),
                "variants",
                variant_blocks(data, judgements),
            ),
            section(message("Without a score"), "absent", absent_blocks(data, judgements)),
            section(message("Channels and temperatures"), "channels", channel_blocks(data)),
            section(
                message("Disagreements"),
                "disagreements",
                disagreement_blocks(judgements),
            ),
            section(message("The judge"), "judging", judging_blocks(data.judging)),
            Section(
                message("Sample answers"),
                tuple(sample_blocks(data, judgements)),
                id="samples",
                screen=True,
            ),
            reproduce_section(data),
            reading(),
        ),
    )


def first_screen(data: ReportData, judgements: Judgements) -> tuple[Block, ...]:
    """What was asked of whom, what must be known before any number, and the answer."""
    return (
        Facts(
            (
                (message("Model under test"), models(data)),
                *((message("Weights"), text) for text in filter(None, (weights(data.config),))),
                (message("Judge"), judges(data)),
                (message("Settings"), settings(data.config)),
            )
        ),
        *first_caveats(data),
        scores_section(data, details(data, judgements)),
    )


def reading() -> Section:
    """What the terms of the page mean."""
    return Section(message("How to read this"), (Facts(_TERMS),), id="reading", screen=True)


_TERMS = (
    (
        message("Interval for these items"),
        message("Says something about the items that were asked and claims nothing about others."),
    ),
    (
        message("Interval for all vignettes"),
        message(
            "The vignettes of a context are enumerated. Where all were asked, a share of them is "
            "exact; where a balanced slice was, this says how far the share of all could be from "
            "it, as of a sample without replacement."
        ),
    ),
    (
        message("Interval for new items of the kind"),
        message("How far the value could move had other items of the same kind been asked."),
    ),
    (
        message("Interval for new prompt variants"),
        message(
            "How far the value could move had the same vignettes been put in other words. "
            "Vignettes are enumerated, not sampled; what varies is the prompt variant."
        ),
    ),
    (
        message("Unscored"),
        message(
            "The judge or the engine failed: too little of its mass was on the scale, a call "
            "failed, a text was too long. Such an item is no 0 and no 1. It is left out of the "
            "value and its interval; lowest – highest is the range that it leaves open."
        ),
    ),
    (
        message("Origin: respondent"),
        message(
            "The model under test gave no verdict: no answer, a refusal to choose, something off "
            "the scale. That is its behaviour, and it stays in the denominators of rates. A score"
            " has no value for an answer that was not given; there the item is unscored."
        ),
    ),
    (
        message("Coverage"),
        message(
            "How much of a model's probability was on the labels of the scale. The distribution "
            "over labels is renormalised to 1; where coverage is low, it describes little of what"
            " the model would have said."
        ),
    ),
    (
        message("Numbers"),
        message(
            "Three significant figures. Shares are in percent, differences of shares in "
            "percentage points (pp); scores stand on their own scale. A dash means that there is "
            "no number."
        ),
    ),
    (
        message("Comparing"),
        message(
            "A score compares with another only where rubric, judge, items and decoding are the "
            "same. Two runs are compared in pairs by normscope compare, which refuses what is not"
            " alike."
        ),
    ),
)
