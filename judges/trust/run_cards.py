"""The judge's card on this very run, from people's labels of its sample."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...files import hash_file
from ...messages import message
from ...metrics.inputs import Floats
from ..judge import counting_channel
from .adjudication import LABELS
from .card import LabelSource
from .card_building import CardResult, card_of, judged_as
from .corrections import LabelledRun
from .frame import UNSCORED, Names
from .labels import Labelled, groups_of
from .predictor import DEFAULT_RESAMPLING, Resampling
from .training_data import training_data

CARDS = "cards"
_RULES = {"majority": message("majority"), "median": message("median")}
WEIGHTED = "weighted_confusion"
"""The key of a card's settings with the tables of labels, weighted as the rows were drawn."""


def cards_of(
    labels: LabelledRun, *, date: str, resampling: Resampling = DEFAULT_RESAMPLING
) -> list[CardResult]:
    """A card per criterion, for the run's own folder of cards (`CARDS`), where its report looks."""
    frame, people = labels.frame, labels.gold.labels
    config = labels.run.config
    identity = config.provenance.judge or {}
    weight = {row.row: 1 / row.probability for row in labels.sample.drawn}
    results = []
    for criterion in frame.names:
        rows = [row for row in frame.readable if criterion in people.get(row.row_id, {})]
        if len(rows) < 2:  # noqa: PLR2004 - nothing can be told from one
            continue
        answers = [
            Labelled(
                number,
                replace(row.item, cluster=row.item.cluster_or_id),
                row.text,
                groups_of(row.item, frame.benchmark),
                people[row.row_id],
            )
            for number, row in enumerate(rows, start=1)
        ]
        judgements = [row.judged[criterion] for row in rows]
        weights = np.array([weight[row.row_id] for row in rows])
        tables = weighted_confusion(
            frame.criteria[criterion].scale.labels,
            people=np.array([row.human[criterion] for row in answers]),
            judge=np.array([row.labels[criterion] for row in rows]),
            languages=np.array([row.item.language for row in rows]),
            weights=weights,
        )
        results.append(
            card_of(
                frame.rubric,
                criterion,
                list(zip(answers, judgements, strict=True)),
                identity=identity,
                source=_source(labels, criterion, answers, weights),
                date=date,
                settings={
                    "label_orders": config.label_orders,
                    "min_coverage": config.min_coverage,
                    "channel": counting_channel(config.judge_channels),
                    "unit_items": config.unit_items,
                    WEIGHTED: tables,
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
    caveats = labels.caveats([criterion])
    # rounding of the quotas alone makes weights differ by some per cent
    if weights.max() > 1.2 * weights.min():
        weighted = message(
            "The rows stand for {fewest} to {most} answers each; the numbers of this card count "
            "every row once.",
            fewest=f"{weights.min():.3g}",
            most=f"{weights.max():.3g}",
        )
        caveats = (*caveats, weighted)
    who = message("one person's label")
    if raters > 1:
        who = message("the {rule} of {n} people's labels", rule=_RULES[rule], n=raters)
    return LabelSource(
        benchmark=labels.frame.benchmark,
        file=f"{labels.folder.resolve().name}/{LABELS}",
        sha256=hash_file(labels.folder / LABELS),
        rows=len(labels.sample.drawn),
        taken=len(rows),
        column=criterion,
        meaning=message(
            "{labels} of answers of the run {run}, under the rubric's own definitions",
            labels=who,
            run=key.run,
        ),
        mapping={label: label for label in key.criteria[criterion]},
        judged_as=judged_as(rows),
        notes=caveats,
    )


def weighted_confusion(
    labels: Sequence[str], *, people: Names, judge: Names, languages: Names, weights: Floats
) -> dict[str, Any]:
    """Per language people's label × the judge's, a row's sum being its effective number of rows.

    The effective number of weighted rows is (Σw)²/Σw² (Kish).
    """
    tables = {}
    place = {label: at for at, label in enumerate(labels)}
    for language in dict.fromkeys(languages.tolist()):
        scored = np.flatnonzero((languages == language) & (judge != UNSCORED))
        truth, judged = (
            np.array([place[label] for label in column[scored]], dtype=np.intp)
            for column in (people, judge)
        )
        table = np.zeros((len(labels), len(labels)))
        np.add.at(table, (truth, judged), weights[scored])
        # Kish's number is of each true label's rows: the matrix is used row by row
        squares = np.zeros(len(labels))
        np.add.at(squares, truth, weights[scored] ** 2)
        sums = table.sum(axis=1)
        scale = np.divide(sums, squares, out=np.zeros_like(sums), where=squares > 0)
        tables[language] = (table * scale[:, None]).tolist()
    return tables
