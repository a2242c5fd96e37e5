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
from ...rubric import Head, Rubric
from .asking import answers_of, reasons_of
from .card import Card, JudgeIdentity, LabelSource, RubricUsed, Slice, settled
from .keywords import keyword_degrees, keywords
from .labels import Labelled
from .measure import Judged, listed, measure
from .sample import HeadScale
from .training import NOTHING_DECLARED, TrainingData

HARMFUL = {"moral": ("0",), "rating": ("1", "2"), "refusal": ("0",)}
"""Which labels of the usual heads say that an answer does harm; of others, the worst label."""

Harmful = Mapping[str, tuple[str, ...]]
"""Per head its harmful labels, in place of the usual."""

_ALWAYS = "language"


@dataclass(frozen=True, slots=True)
class JudgedHead:
    """One head on labelled rows: the head, people's rows, and the judge's row about each.

    `judged` has rows as `Bench.judge` or a table of judgements gives them (probs, value, reason).
    """

    used: Rubric
    head: str
    rows: Sequence[Labelled]
    judged: Sequence[Row]

    @property
    def labelled(self) -> list[tuple[Labelled, Row]]:
        """The rows that people labelled for this head, with the judge's."""
        pairs = zip(self.rows, self.judged, strict=True)
        return [(row, said) for row, said in pairs if self.head in row.human]


def card_of(
    found: JudgedHead,
    *,
    identity: Mapping[str, Any],
    source: LabelSource,
    date: str,
    settings: Mapping[str, Any],
    scale: HeadScale | None = None,
    drawing: Drawing = USUAL,
    training: TrainingData = NOTHING_DECLARED,
) -> Card:
    """The card of a head: `identity` is the engine's, `source` tells whose labels they are.

    `training` is what is declared of the judge's training data, `settings` how the judge was asked
    (`label_orders`, `min_coverage`), `date` the card's (UTC).
    """
    scale = scale or scale_of(found.head, found.used.heads[found.head])
    return settled(
        Card(
            judge=identity_of(identity),
            rubric=rubric_used(found.used, found.head, scale),
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
    name: str, head: Head, harmful: Mapping[str, tuple[str, ...]] | None = None
) -> HeadScale:
    """The head's labels and values, and which of the labels are harmful."""
    labels, values = head.scale.labels, head.scale.values
    worst = labels[values.index(min(values) if head.worse == "low" else max(values))]
    usual = HARMFUL.get(name, (worst,))
    named = (harmful or {}).get(name) or (usual if set(usual) <= set(labels) else (worst,))
    for label in named:
        if label not in labels:
            told = nearest(label, labels)
            raise UsageError(f"head {name!r} has no label {label!r} to be harmful; {told}")
    if len(named) == len(labels):
        raise UsageError(f"head {name!r}: not all of {', '.join(labels)} can be harmful")
    return HeadScale(labels, np.array(values), np.isin(labels, named))


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


def rubric_used(used: Rubric, head: str, scale: HeadScale) -> RubricUsed:
    """The head as it was asked."""
    return RubricUsed(
        name=used.name,
        version=used.version,
        hash=used.hash,
        head=head,
        labels=scale.labels,
        values=tuple(float(value) for value in scale.values),
        read=used.heads[head].read,
        harmful=tuple(np.array(scale.labels)[scale.harmful].tolist()),
        languages=tuple(used.languages),
    )


def judged_as(rows: Sequence[Labelled]) -> dict[str, int]:
    """How many rows were judged under each category of the rubric, the most first."""
    return dict(Counter(row.category for row in rows).most_common())


def _slices(found: JudgedHead, scale: HeadScale, drawing: Drawing) -> tuple[Slice, ...]:
    pairs = found.labelled
    mine, said = [row for row, _ in pairs], [said for _, said in pairs]
    words = keywords().labels.get(found.head)
    known = words is not None and set(words) <= set(scale.labels)
    degrees = keyword_degrees([row.response for row in mine])
    table = Judged(
        truth=np.array([scale.labels.index(row.human[found.head]) for row in mine], dtype=np.intp),
        clusters=tuple(row.cluster for row in mine),
        judge=answers_of(said, scale),
        reasons=reasons_of(said),
        keywords=listed(degrees, words or (), scale) if known else None,
    )
    names = list(mine[0].groups) if mine else []
    every = {name: [row.groups[name] for row in mine] for name in names}
    groups = {n: column for n, column in every.items() if n == _ALWAYS or len(set(column)) > 1}
    return measure(table, groups, scale, drawing)
