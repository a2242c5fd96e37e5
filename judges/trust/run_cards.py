"""The judge's card on this very run, from people's labels of its sample."""

from collections.abc import Sequence
from dataclasses import replace

from ...files import hash_file
from ...messages import message
from ..judge import counting_channel
from .card import Card, LabelSource
from .card_building import card_of, judged_as
from .corrections import LabelledRun
from .labels import Labelled, groups_of
from .predictor import DEFAULT_RESAMPLING, Resampling
from .raters import LABELS
from .training_data import training_data

CARDS = "cards"


def cards_of(
    labels: LabelledRun, *, date: str, resampling: Resampling = DEFAULT_RESAMPLING
) -> list[Card]:
    """A card per criterion, for the run's own folder of cards (`CARDS`), where its report looks."""
    frame, people, config = labels.frame, labels.majority.labels, labels.run.config
    identity = config.provenance.judge or {}
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
        results.append(
            card_of(
                frame.rubric,
                criterion,
                list(zip(answers, judgements, strict=True)),
                identity=identity,
                source=_source(labels, criterion, answers, [row.row_id for row in rows]),
                date=date,
                settings={
                    "label_orders": config.label_orders,
                    "min_coverage": config.min_coverage,
                    "channel": counting_channel(config.judge_channels),
                    "unit_items": config.unit_items,
                },
                resampling=resampling,
                training=training_data(identity.get("trained_on") or (), [frame.benchmark]),
            )
        )
    return results


def _source(
    labels: LabelledRun, criterion: str, answers: Sequence[Labelled], rows: Sequence[str]
) -> LabelSource:
    raters, sample = len(labels.people.raters), labels.sample
    caveats = labels.caveats([criterion])
    stands_for = {row.row: 1 / row.probability for row in sample.drawn}
    fewest, most = min(stands_for[row] for row in rows), max(stands_for[row] for row in rows)
    # rounding of the quotas alone makes weights differ by some per cent
    if most > 1.2 * fewest:
        weighted = message(
            "The rows stand for {fewest} to {most} answers each; the numbers of this card count "
            "every row once.",
            fewest=f"{fewest:.3g}",
            most=f"{most:.3g}",
        )
        caveats = (*caveats, weighted)
    who = message("one person's label")
    if raters > 1:
        who = message("the majority of {n} people's labels", n=raters)
    return LabelSource(
        benchmark=labels.frame.benchmark,
        file=f"{labels.folder.resolve().name}/{LABELS}",
        sha256=hash_file(labels.folder / LABELS),
        rows=len(sample.drawn),
        taken=len(answers),
        column=criterion,
        meaning=message(
            "{labels} of answers of the run {run}, under the rubric's own definitions",
            labels=who,
            run=sample.names,
        ),
        mapping={label: label for label in sample.criteria[criterion]},
        judged_as=judged_as(answers),
        notes=caveats,
    )
