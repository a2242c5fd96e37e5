"""A card from people's labels and a judge's rows, wherever these were read and judged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .... import __version__
from ....errors import UsageError, nearest
from ....packages import packages
from ....records.journal import Row
from ....report.trust.card_drawing import USUAL, Drawing
from ...rubric import Criterion, Rubric
from ..labels import Labelled
from .asking import answers_of, reasons_of
from .card import Card, JudgeIdentity, LabelSource, RubricUsed, Slice, settled
from .keywords import keyword_degrees, keywords
from .measure import Judged, listed, measure
from .sample import CriterionScale
from .training import NOTHING_DECLARED, TrainingData

HARMFUL = {"moral": ("0",), "rating": ("1", "2"), "refusal": ("0",)}
"""Which labels of the usual criteria say that an answer does harm; of others, the worst label."""

Harmful = Mapping[str, tuple[str, ...]]
"""Per criterion its harmful labels, in place of the usual."""

_ALWAYS = "language"


@dataclass(frozen=True, slots=True)
class JudgedCriterion:
    """One criterion on labelled rows: the criterion, people's rows, and the judge's row about each.

    `judged` has rows as `Bench.judge` or a table of judgements gives them (probs, value, reason).
    """

    used: Rubric
    criterion: str
    rows: Sequence[Labelled]
    judged: Sequence[Row]

    @property
    def labelled(self) -> list[tuple[Labelled, Row]]:
        """The rows that people labelled for this criterion, with the judge's."""
        pairs = zip(self.rows, self.judged, strict=True)
        return [(row, said) for row, said in pairs if self.criterion in row.human]


def card_of(
    found: JudgedCriterion,
    *,
    identity: Mapping[str, Any],
    source: LabelSource,
    date: str,
    settings: Mapping[str, Any],
    scale: CriterionScale | None = None,
    drawing: Drawing = USUAL,
    training: TrainingData = NOTHING_DECLARED,
) -> Card:
    """The card of a criterion: `identity` is the engine's, `source` tells whose labels they are.

    `training` is what is declared of the judge's training data, `settings` how the judge was asked
    (`label_orders`, `min_coverage`), `date` the card's (UTC).
    """
    scale = scale or scale_of(found.criterion, found.used.criteria[found.criterion])
    return settled(
        Card(
            judge=identity_of(identity),
            rubric=rubric_used(found.used, found.criterion, scale),
            source=source,
            date=date,
            normscope=__version__,
            slices=_slices(found, scale, drawing),
            training=training,
            settings={**settings, **asdict(drawing)},
            packages=packages(),
        )
    )


def scale_of(
    name: str, criterion: Criterion, harmful: Mapping[str, tuple[str, ...]] | None = None
) -> CriterionScale:
    """The criterion's labels and values, and which of the labels are harmful."""
    labels, values = criterion.scale.labels, criterion.scale.values
    worst = labels[values.index(min(values) if criterion.worse == "low" else max(values))]
    usual = HARMFUL.get(name, (worst,))
    named = (harmful or {}).get(name) or (usual if set(usual) <= set(labels) else (worst,))
    for label in named:
        if label not in labels:
            told = nearest(label, labels)
            raise UsageError(f"criterion {name!r} has no label {label!r} to be harmful; {told}")
    if len(named) == len(labels):
        raise UsageError(f"criterion {name!r}: not all of {', '.join(labels)} can be harmful")
    return CriterionScale(labels, np.array(values), np.isin(labels, named))


def identity_of(every: Mapping[str, Any]) -> JudgeIdentity:
    """What an engine says of itself, as the card keeps it."""
    return JudgeIdentity(
        model=str(every.get("model", "unknown")),
        engine=str(every.get("engine", "unknown")),
        revision=every.get("revision"),
        content=every.get("content"),
        chat_template=every.get("chat_template"),
        dtype=every.get("dtype"),
        note=every.get("note"),
        all=every,
    )


def rubric_used(used: Rubric, criterion: str, scale: CriterionScale) -> RubricUsed:
    """The criterion as it was asked."""
    return RubricUsed(
        name=used.name,
        version=used.version,
        hash=used.hash,
        criterion=criterion,
        labels=scale.labels,
        values=tuple(float(value) for value in scale.values),
        read=used.criteria[criterion].read,
        harmful=tuple(np.array(scale.labels)[scale.harmful].tolist()),
        languages=tuple(used.languages),
    )


def judged_as(rows: Sequence[Labelled]) -> dict[str, int]:
    """How many rows were judged under each category of the rubric, the most first."""
    return dict(Counter(row.category for row in rows).most_common())


def _slices(found: JudgedCriterion, scale: CriterionScale, drawing: Drawing) -> tuple[Slice, ...]:
    pairs = found.labelled
    mine, said = [row for row, _ in pairs], [said for _, said in pairs]
    words = keywords().labels.get(found.criterion)
    known = words is not None and set(words) <= set(scale.labels)
    degrees = keyword_degrees([row.response for row in mine])
    table = Judged(
        truth=np.array(
            [scale.labels.index(row.human[found.criterion]) for row in mine], dtype=np.intp
        ),
        clusters=tuple(row.cluster for row in mine),
        judge=answers_of(said, scale),
        reasons=reasons_of(said),
        keywords=listed(degrees, words or (), scale) if known else None,
    )
    names = list(mine[0].groups) if mine else []
    every = {name: [row.groups[name] for row in mine] for name in names}
    groups = {n: column for n, column in every.items() if n == _ALWAYS or len(set(column)) > 1}
    return measure(table, groups, scale, drawing)
