"""The first screen of a report: what was asked of whom, the answer, and what limits it."""

from dataclasses import dataclass

import pyarrow as pa

from ..records.absent import ITEM, wholly_unscored
from ..records.judgements import Judgements, read_judgements
from .asked import AskedOf, asked_of, settings
from .biases import judge_limits
from .blocks import Caveat
from .data import ReportData
from .judge_card import CardLine, card_lines
from .limits import limits
from .provenance import Provenance, distinct, provenance
from .scores import ScoreSection, score_section
from .unscored import caveats
from .variants import VariantSection, variant_sections
from .words import Words


@dataclass(frozen=True, slots=True)
class Front:
    """What a reader should know of a run before its details, and how to repeat it."""

    data: ReportData
    models: tuple[str, ...]
    judges: tuple[str, ...]
    asked: tuple[AskedOf, ...]
    settings: str
    warnings: tuple[str, ...]
    cards: tuple[CardLine, ...]
    limits: tuple[Caveat, ...]
    scores: tuple[ScoreSection, ...]
    variants: tuple[VariantSection, ...]
    made_with: Provenance


def front_of(data: ReportData, words: Words, verdicts: Judgements | None = None) -> Front:
    """The first screen in the language of `words`; `verdicts` are the run's, if they are read."""
    if verdicts is None:
        verdicts = read_judgements(data.judgements, data.items).without_probs()
    variants = variant_sections(data.scores, verdicts, words)
    return Front(
        data=data,
        models=distinct(data.responses, "model") or distinct(data.judgements, "model"),
        judges=distinct(data.judgements, "judge"),
        asked=asked_of(data.config, data.items, verdicts, words),
        settings=settings(data.config, words),
        warnings=(*map(words.told, data.warnings), *_unscored(data, words)),
        cards=card_lines(data.config, data.judgements, data.items, data.known_cards, words),
        limits=(
            *limits(data.scores, data.items, verdicts, variants, words, slices=data.slices),
            *judge_limits(data.judging, data.probes, words),
        ),
        scores=tuple(score_section(scores, words) for scores in data.scores),
        variants=variants,
        made_with=provenance(data.config, data.judgements),
    )


def _unscored(data: ReportData, words: Words) -> tuple[str, ...]:
    items = pa.table({name: [getattr(item, name) for item in data.items] for name in ITEM})
    return caveats(wholly_unscored(items, data.judgements), words)
