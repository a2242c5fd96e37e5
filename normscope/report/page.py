"""A finished run as a page: the answer, what limits it, its details, and how to repeat it."""

from ..messages import message
from .blocks import Caveat, Facts, Page, Section
from .corrected import corrected_blocks
from .disagreement import disagreement_blocks
from .distributions import distribution_blocks
from .judging import judging_blocks
from .ladder import ladder_blocks
from .limits import limits_section
from .matrix import channel_blocks
from .norms import norm_blocks
from .provenance import reproduce_section
from .samples import sample_blocks
from .tables import group_blocks, scores_section
from .unanswered import absent_blocks
from .view import View
from .wordings import wording_blocks


def page_of(view: View) -> Page:
    """The page of a run; its sections are empty where the run has nothing of them."""
    words = view.words
    nobody = message("none: read from the model under test")
    return Page(
        title=view.data.name,
        kind=message("Normscope report"),
        blocks=(
            Facts(
                (
                    (
                        message("Model under test"),
                        ", ".join(view.models) or message("none recorded"),
                    ),
                    (message("Judge"), ", ".join(view.judges) or nobody),
                    *([(message("Settings"), view.settings)] if view.settings else []),
                )
            ),
            *(Caveat(text, about=message("Warning"), warns=True) for text in view.warnings),
            scores_section(
                view.scores, view.asked, view.corrected.tables if view.corrected else ()
            ),
            limits_section(view.cards, view.limits),
            Section(
                message("Corrected by people"),
                tuple(corrected_blocks(view.corrected)),
                id="corrected",
            ),
            Section(
                message("By group"), tuple(group_blocks(view.scores, view.radars)), id="groups"
            ),
            Section(
                message("Distributions"),
                tuple(distribution_blocks(view.ridges, view.stacks, view.distributions, words)),
                id="distributions",
            ),
            Section(message("The ladder"), tuple(ladder_blocks(view.ladders, words)), id="ladder"),
            Section(message("Norms"), tuple(norm_blocks(view.norms, words)), id="norms"),
            Section(message("Wordings"), tuple(wording_blocks(view.wordings)), id="wordings"),
            Section(
                message("Without a score"),
                tuple(absent_blocks(view.unanswered, view.failures, view.thresholds)),
                id="absent",
            ),
            Section(
                message("Channels and temperatures"),
                tuple(channel_blocks(view.channels, view.temperatures)),
                id="channels",
            ),
            Section(
                message("Disagreements"),
                tuple(disagreement_blocks(view.disagreements)),
                id="disagreements",
            ),
            Section(message("The judge"), tuple(judging_blocks(view.judging, words)), id="judging"),
            Section(
                message("Samples"), tuple(sample_blocks(view.samples)), id="samples", screen=True
            ),
            reproduce_section(view.data, view.made_with),
            reading(),
        ),
    )


def reading() -> Section:
    """What the terms of the page mean."""
    return Section(
        message("How to read this"),
        (Facts(_TERMS),),
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
        message("Interval for new wordings"),
        message(
            "How far the value could move had the same vignettes been put in other words. "
            "Vignettes are enumerated, not sampled; what varies is the wording."
        ),
    ),
    (
        message("Unscored"),
        message(
            "The judge or the engine failed: too little of its mass was on the scale, a call "
            "failed, a text was too long. Such an item is no 0 and no 1. It is left out of the "
            "value and widens worst – best."
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
