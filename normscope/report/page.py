"""A finished run as a page: the answer, what limits it, its details, and how to repeat it."""

from ..messages import message
from ..records.judgements import read_judgements
from .blocks import Caveat, Facts, Page, Section
from .corrected import corrected_blocks
from .data import ReportData
from .disagreement import disagreement_blocks
from .distributions import distribution_blocks
from .front import front_of
from .graded_set import graded_set_blocks
from .judging import judging_blocks, judging_section
from .limits import limits_section
from .matrix import channel_blocks, matrices
from .norms import norm_blocks
from .provenance import coverage_threshold, reproduce_section
from .radar import radars
from .samples import sample_blocks, sample_sections
from .tables import group_blocks, scores_section
from .unanswered import absent_blocks, failures, unanswered
from .variants import variant_blocks
from .words import Words


def page_of(data: ReportData, words: Words) -> Page:
    """The page of a run, with names in the language of `words`; what it has nothing of is empty."""
    verdicts = read_judgements(data.judgements, data.items).without_probs()
    front = front_of(data, words, verdicts)
    threshold = coverage_threshold(data.config)
    used = "" if threshold is None else f"{threshold:g}"
    nobody = message("none: read from the model under test")
    return Page(
        title=data.name,
        kind=message("Normscope report"),
        blocks=(
            Facts(
                (
                    (
                        message("Model under test"),
                        ", ".join(front.models) or message("none recorded"),
                    ),
                    (message("Judge"), ", ".join(front.judges) or nobody),
                    *([(message("Settings"), front.settings)] if front.settings else []),
                )
            ),
            *(Caveat(text, about=message("Warning"), warns=True) for text in front.warnings),
            scores_section(front.scores, front.asked, data.corrections),
            limits_section(front.cards, front.limits),
            Section(
                message("Corrected by people"),
                tuple(corrected_blocks(data.corrections, data.stale)),
                id="corrected",
            ),
            Section(
                message("By group"),
                tuple(
                    group_blocks(
                        front.scores, {of.benchmark: tuple(radars(of)) for of in data.scores}
                    )
                ),
                id="groups",
            ),
            Section(
                message("Distributions"),
                tuple(distribution_blocks(verdicts, threshold=threshold)),
                id="distributions",
            ),
            Section(
                message("The graded set"),
                tuple(graded_set_blocks(verdicts)),
                id="graded-set",
            ),
            Section(
                message("Norms"),
                tuple(norm_blocks(verdicts)),
                id="norms",
            ),
            Section(
                message("Prompt variants"), tuple(variant_blocks(front.variants)), id="variants"
            ),
            Section(
                message("Without a score"),
                tuple(
                    absent_blocks(
                        unanswered(data.scores, words),
                        failures(verdicts, words),
                        matrices(data.scores, "min_coverage", words, used=used),
                    )
                ),
                id="absent",
            ),
            Section(
                message("Channels and temperatures"),
                tuple(
                    channel_blocks(
                        matrices(data.scores, "channel", words),
                        matrices(data.scores, "temperature", words),
                    )
                ),
                id="channels",
            ),
            Section(
                message("Disagreements"),
                tuple(disagreement_blocks(verdicts)),
                id="disagreements",
            ),
            Section(
                message("The judge"),
                tuple(judging_blocks(judging_section(data.judging, words), words)),
                id="judging",
            ),
            Section(
                message("Samples"),
                tuple(sample_blocks(sample_sections(data.responses, verdicts, data.items, words))),
                id="samples",
                screen=True,
            ),
            reproduce_section(data, front.made_with),
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
