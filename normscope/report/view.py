"""Everything that a report shows of a run, as rows of text and places of drawings."""

from dataclasses import dataclass, fields

from .corrected import CorrectedSection, corrected_section
from .data import ReportData
from .disagreement import DisagreementTable, disagreements
from .distributions import Distribution, distributions
from .front import Front, front_of
from .judging import JudgingSection, judging_section
from .ladder import Ladder, ladders
from .matrix import Matrix, matrices
from .norms import NormSection, norm_sections
from .provenance import coverage_threshold
from .radar import GroupRadar, radars
from .ridge import RidgePlot, Stack, categories_of, ridge_plots, stacks
from .samples import SampleSection, sample_sections
from .unanswered import Failure, Unanswered, failures, unanswered
from .verdicts import read_verdicts
from .words import Words


@dataclass(frozen=True, slots=True)
class View(Front):
    """Everything that the templates read; each section is empty where the run has nothing of it."""

    corrected: CorrectedSection | None
    radars: tuple[GroupRadar, ...]
    ridges: tuple[RidgePlot, ...]
    stacks: tuple[Stack, ...]
    distributions: tuple[Distribution, ...]
    ladders: tuple[Ladder, ...]
    norms: tuple[NormSection, ...]
    unanswered: tuple[Unanswered, ...]
    failures: tuple[Failure, ...]
    thresholds: tuple[Matrix, ...]
    channels: tuple[Matrix, ...]
    temperatures: tuple[Matrix, ...]
    disagreements: tuple[DisagreementTable, ...]
    judging: JudgingSection | None
    samples: tuple[SampleSection, ...]


def view_of(data: ReportData, words: Words) -> View:
    """The run as it is shown in the language of `words`."""
    verdicts = read_verdicts(data.judgements)
    front = front_of(data, words, verdicts)
    categories = categories_of(data.items)
    threshold = coverage_threshold(data.config)
    used = "" if threshold is None else f"{threshold:g}"
    return View(
        **{field.name: getattr(front, field.name) for field in fields(front)},
        corrected=corrected_section(data.corrections, data.stale, words),
        radars=radars(data.scores, words),
        ridges=ridge_plots(categories, verdicts, words),
        stacks=stacks(categories, verdicts, words),
        distributions=distributions(verdicts, words, threshold=threshold),
        ladders=ladders(data.items, verdicts, words),
        norms=norm_sections(data.items, verdicts, words),
        unanswered=unanswered(data.scores, words),
        failures=failures(verdicts, words),
        thresholds=matrices(data.scores, "min_coverage", words, used=used),
        channels=matrices(data.scores, "channel", words),
        temperatures=matrices(data.scores, "temperature", words),
        disagreements=disagreements(data.items, verdicts, words),
        judging=judging_section(data.judging, words),
        samples=sample_sections(data.responses, verdicts, data.items, words),
    )
