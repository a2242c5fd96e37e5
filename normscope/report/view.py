"""Everything that a report shows of a run, as rows of text and places of drawings."""

from dataclasses import dataclass

from .asked import AskedOf, asked_of, settings
from .corrected import CorrectedSection, corrected_section
from .data import ReportData
from .disagreement import DisagreementTable, disagreements
from .distributions import Distribution, distributions
from .heatmap import NormSection, norm_sections
from .judge_card import CardLine, card_lines
from .judging import JudgingSection, judging_section
from .ladder import Ladder, ladders
from .limits import Limit, limits
from .matrix import Matrix, matrices
from .provenance import Provenance, coverage_threshold, distinct, provenance
from .radar import Radar, radars
from .ridge import RidgePlot, Stack, categories_of, ridge_plots, stacks
from .samples import SampleSection, sample_sections
from .scores import ScoreSection, score_section
from .sentences import sentence
from .unanswered import Failure, Unanswered, failures, unanswered
from .verdicts import read_verdicts
from .wordings import WordingSection, wording_sections
from .words import Words


@dataclass(frozen=True, slots=True)
class View:
    """Everything that the templates read; each section is empty where the run has nothing of it."""

    data: ReportData
    words: Words
    models: tuple[str, ...]
    judges: tuple[str, ...]
    asked: tuple[AskedOf, ...]
    settings: str
    warnings: tuple[str, ...]
    cards: tuple[CardLine, ...]
    limits: tuple[Limit, ...]
    scores: tuple[ScoreSection, ...]
    corrected: CorrectedSection | None
    radars: tuple[Radar, ...]
    ridges: tuple[RidgePlot, ...]
    stacks: tuple[Stack, ...]
    distributions: tuple[Distribution, ...]
    ladders: tuple[Ladder, ...]
    norms: tuple[NormSection, ...]
    wordings: tuple[WordingSection, ...]
    unanswered: tuple[Unanswered, ...]
    failures: tuple[Failure, ...]
    thresholds: tuple[Matrix, ...]
    channels: tuple[Matrix, ...]
    temperatures: tuple[Matrix, ...]
    disagreements: tuple[DisagreementTable, ...]
    judging: JudgingSection | None
    samples: tuple[SampleSection, ...]
    made_with: Provenance


def view_of(data: ReportData, words: Words) -> View:
    """The run as it is shown in the language of `words`."""
    verdicts = read_verdicts(data.judgements)
    categories = categories_of(data.items)
    wordings = wording_sections(data.scores, verdicts, words)
    threshold = coverage_threshold(data.config)
    used = "" if threshold is None else f"{threshold:g}"
    return View(
        data=data,
        words=words,
        models=distinct(data.responses, "model") or distinct(data.judgements, "model"),
        judges=distinct(data.judgements, "judge"),
        asked=asked_of(data.config, data.items, verdicts, words),
        settings=settings(data.config, words),
        warnings=tuple(sentence(warning, words.language) for warning in data.warnings),
        cards=card_lines(
            data.config, data.judgements, data.items, data.known_cards, words.language
        ),
        limits=limits(data.scores, data.items, verdicts, wordings, words, slices=data.slices),
        scores=tuple(score_section(scores, words) for scores in data.scores),
        corrected=corrected_section(data.corrections, data.stale, words),
        radars=radars(data.scores, words),
        ridges=ridge_plots(categories, verdicts, words),
        stacks=stacks(categories, verdicts, words),
        distributions=distributions(verdicts, words, threshold=threshold),
        ladders=ladders(data.items, verdicts, words),
        norms=norm_sections(data.items, verdicts, words),
        wordings=wordings,
        unanswered=unanswered(data.scores, words),
        failures=failures(verdicts, words),
        thresholds=matrices(data.scores, "min_coverage", words, used=used),
        channels=matrices(data.scores, "channel", words),
        temperatures=matrices(data.scores, "temperature", words),
        disagreements=disagreements(data.items, verdicts, words),
        judging=judging_section(data.judging, words),
        samples=sample_sections(data.responses, verdicts, data.items, words),
        made_with=provenance(data.config, data.judgements),
    )
