"""A card from people's labels and a judge's rows, wherever these were read and judged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ... import __version__
from ...errors import UsageError, nearest
from ...packages import packages
from ...reasons import Reason
from ...records.judgement import Judgement, likeliest
from ..rubric import Rubric
from ..rubric_file import Criterion
from .card import Card, JudgeIdentity, LabelSource, RubricUsed, Slice, as_read_back
from .keywords import keyword_predictions
from .labels import Labelled
from .predictor import DEFAULT_RESAMPLING, CriterionScale, Predictions, Resampling
from .slices import JudgedRows, slices_of
from .training_data import NOTHING_DECLARED, TrainingData

HARMFUL = {"moral": ("0",), "rating": ("1", "2"), "refusal": ("0",)}
"""Which labels of the usual criteria say that an answer does harm; of others, the worst label."""

_ALWAYS = "language"


Judged = tuple[Labelled, Judgement]
"""An answer that people labelled for a criterion, and what the judge made of it."""


def card_of(
    rubric: Rubric,
    criterion: str,
    rows: Sequence[Judged],
    *,
    identity: Mapping[str, Any],
    source: LabelSource,
    date: str,
    settings: Mapping[str, Any],
    scale: CriterionScale | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
    training: TrainingData = NOTHING_DECLARED,
) -> Card:
    """The card of a criterion: `identity` is the engine's, `source` tells whose labels they are.

    `training` is what is declared of the judge's training data, `settings` how the judge was asked
    (`label_orders`, `min_coverage`), `date` the card's (UTC).
    """
    scale = scale or scale_of(criterion, rubric.criteria[criterion])
    card = Card(
        judge=_identity(identity),
        rubric=_rubric_used(rubric, criterion, scale),
        source=source,
        date=date,
        normscope=__version__,
        slices=_slices(criterion, rows, scale, resampling),
        training=training,
        settings={**settings, **asdict(resampling)},
        packages=packages(),
    )
    return as_read_back(card)


def scale_of(name: str, criterion: Criterion, harmful: Sequence[str] = ()) -> CriterionScale:
    """The criterion's labels and values, and which of the labels are harmful (if not the usual)."""
    labels, values = criterion.scale.labels, criterion.scale.values
    worst = criterion.labels_by_value[0]
    usual = HARMFUL.get(name, (worst,))
    chosen = harmful or (usual if set(usual) <= set(labels) else (worst,))
    for label in chosen:
        if label not in labels:
            raise UsageError(
                f"criterion {name!r} has no label {label!r} to be harmful; {nearest(label, labels)}"
            )
    if len(chosen) == len(labels):
        raise UsageError(f"criterion {name!r}: not all of {', '.join(labels)} can be harmful")
    return CriterionScale(labels, np.array(values), np.isin(labels, chosen))


def judged_as(rows: Sequence[Labelled]) -> dict[str, int]:
    """How many rows were judged under each category of the rubric, the most first."""
    return dict(Counter(row.item.category for row in rows).most_common())


def predictions_of(rows: Sequence[Judgement], scale: CriterionScale) -> Predictions:
    """What the judge's rows of one criterion come to: likeliest label, value, P(harmful)."""
    places, values, risk = (np.full(len(rows), np.nan) for _ in range(3))
    for at, row in enumerate(rows):
        if row.value is not None:
            probs, place = np.array(row.probs, dtype=np.float64), likeliest(row.probs or ())
            places[at], values[at] = np.nan if place is None else place, row.value
            # a sum of probabilities can round to more than 1, which is no probability
            risk[at] = min(1.0, float(probs[scale.harmful].sum()))
    return Predictions(places, values, risk)


def _identity(engine: Mapping[str, Any]) -> JudgeIdentity:
    """What an engine says of itself, as the card keeps it."""
    return JudgeIdentity(
        model=str(engine.get("model", "unknown")),
        engine=str(engine.get("engine", "unknown")),
        revision=engine.get("revision"),
        content=engine.get("content"),
        chat_template=engine.get("chat_template"),
        dtype=engine.get("dtype"),
        note=engine.get("note"),
        all=engine,
    )


def _rubric_used(rubric: Rubric, criterion: str, scale: CriterionScale) -> RubricUsed:
    return RubricUsed(
        name=rubric.name,
        version=rubric.version,
        hash=rubric.hash,
        criterion=criterion,
        labels=scale.labels,
        values=tuple(float(value) for value in scale.values),
        read=rubric.criteria[criterion].read,
        harmful=tuple(np.array(scale.labels)[scale.harmful].tolist()),
        languages=tuple(rubric.languages),
    )


def _slices(
    criterion: str,
    rows: Sequence[Judged],
    scale: CriterionScale,
    resampling: Resampling,
) -> tuple[Slice, ...]:
    people, judged = [row for row, _ in rows], [judgement for _, judgement in rows]
    table = JudgedRows(
        truth=np.array([scale.labels.index(row.human[criterion]) for row in people], dtype=np.intp),
        clusters=tuple(row.item.cluster for row in people),
        judge=predictions_of(judged, scale),
        # a mean is a value at a tie as well, but no label
        reasons=tuple(row.reason if row.value is None else Reason.TIE for row in judged),
        keywords=keyword_predictions(criterion, [row.response for row in people], scale),
    )
    names = list(people[0].groups) if people else []
    columns = {name: [row.groups[name] for row in people] for name in names}
    # a dimension with one level would repeat all rows; the language stands for what a card covers
    groups = {n: column for n, column in columns.items() if n == _ALWAYS or len(set(column)) > 1}
    return slices_of(table, groups, scale, resampling)
