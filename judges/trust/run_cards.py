"""The judge's card on this very run, from people's labels of its sample."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...files import hash_file
from ...records.folder import RunFolder
from .adjudication import LABELS
from .card import LabelSource
from .card_building import CardResult, card_of, judged_as
from .corrections import LabelledRun
from .frame import UNSCORED, Frame, FrameRow
from .labels import Labelled, groups_of
from .predictor import DEFAULT_RESAMPLING, Resampling
from .training_data import training_data

CARDS = "cards"
WEIGHTED = "weighted_confusion"
"""The key of a card's settings with the tables of labels, weighted as the rows were drawn."""


def cards_of(
    run: RunFolder,
    labels: LabelledRun,
    *,
    date: str,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> list[CardResult]:
    """A card per criterion, for the run's own folder of cards (`CARDS`), where its report looks."""
    frame, people = labels.frame, labels.gold.labels
    identity = run.config.provenance.judge or {}
    weight = {row.row: 1 / row.probability for row in labels.sample.drawn}
    results = []
    for criterion in frame.names:
        rows = [row for row in frame.readable if criterion in people.get(row.row_id, {})]
        if len(rows) < 2:  # noqa: PLR2004 - nothing can be told from one
            continue
        answers = [
            Labelled(
                number,
                replace(row.item, cluster=row.cluster),
                row.text,
                groups_of(row.item, frame.benchmark),
                people[row.row_id],
            )
            for number, row in enumerate(rows, start=1)
        ]
        judgements = [row.judged[criterion] for row in rows]
        weights = np.array([weight[row.row_id] for row in rows])
        results.append(
            card_of(
                frame.rubric,
                criterion,
                list(zip(answers, judgements, strict=True)),
                identity=identity,
                source=_source(labels, criterion, answers, weights),
                date=date,
                settings={
                    "label_orders": run.config.label_orders,
                    "min_coverage": run.config.min_coverage,
                    "unit_items": run.config.unit_items,
                    WEIGHTED: _weighted(
                        rows, criterion, [one.human[criterion] for one in answers], weights, frame
                    ),
                },
                resampling=resampling,
                training=training_data(identity.get("trained_on") or (), [frame.benchmark]),
            )
        )
    return results


def _source(
    labels: LabelledRun, criterion: str, rows: Sequence[Labelled], weights: np.ndarray
) -> LabelSource:
    raters, rule = len(labels.people.raters), labels.people.rules[criterion]
    key = labels.sample.key
    notes = [note for note in labels.notes if not note.startswith("People agree on ")]
    notes += [one for one in labels.notes if one.startswith(f"People agree on {criterion} ")]
    if weights.max() > 1.2 * weights.min():
        notes.append(
            f"The rows stand for {weights.min():.3g} to {weights.max():.3g} answers each; the "
            "numbers of this card count every row once."
        )
    who = "one person's label" if raters == 1 else f"the {rule} of {raters} people's labels"
    return LabelSource(
        benchmark=labels.frame.benchmark,
        file=f"{labels.folder.resolve().name}/{LABELS}",
        sha256=hash_file(labels.folder / LABELS),
        rows=len(labels.sample.drawn),
        taken=len(rows),
        column=criterion,
        meaning=f"{who} of answers of the run {key.run}, under the rubric's own definitions",
        mapping={label: label for label in key.criteria[criterion]},
        judged_as=judged_as(rows),
        notes=tuple(notes),
    )


def _weighted(
    rows: Sequence[FrameRow],
    criterion: str,
    human: Sequence[str],
    weights: np.ndarray,
    frame: Frame,
) -> dict[str, Any]:
    """Per language people's label × the judge's, a row's sum being its effective number of rows.

    The effective number of weighted rows is (Σw)²/Σw² (Kish).
    """
    labels = frame.criteria[criterion].scale.labels
    read = [row.labels[criterion] for row in rows]
    languages = np.array([row.item.language for row in rows])
    tables = {}
    for language in dict.fromkeys(languages.tolist()):
        table = np.zeros((len(labels), len(labels)))
        squares = np.zeros(len(labels))
        for at in np.flatnonzero(languages == language).tolist():
            if read[at] != UNSCORED:
                place = labels.index(human[at])
                table[place, labels.index(read[at])] += weights[at]
                squares[place] += weights[at] ** 2
        sums = table.sum(axis=1)
        scale = np.divide(sums, squares, out=np.zeros_like(sums), where=squares > 0)
        tables[language] = (table * scale[:, None]).tolist()
    return tables
