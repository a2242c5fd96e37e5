"""What a conversation before a question does to the refusals: two comparisons within one run.

Questions of one turn and of several are other questions, compared as groups. A dialogue's last
question asked alone is the same question, compared in pairs; it stands in a benchmark of its own.
"""

from dataclasses import replace

import numpy as np

from ..categorical import Bools, Categorical
from ..metrics.estimate import Statistic
from ..metrics.refusal import history_differences, turn_differences
from ..records.judgements import Judgements

REFUSAL = "refusal"
TURNS, CONVERSATION = "turn difference", "conversation difference"
"""The groups under which the differences stand."""

_TURNS, _KINDS = "turns", ("single", "multi")
"""The kind first seen is the one that is taken off."""


def turn_statistics(judgements: Judgements) -> list[Statistic]:
    """How much each rate is higher on questions of several turns than on those of one.

    In the group "turn difference", plain and with the same mix of areas; nothing where the items
    are of one kind. Areas that one kind lacks are left out of the second.
    """
    refusals = judgements.of_criterion(REFUSAL)
    kinds = refusals.facet(_TURNS)
    of_kind = [np.flatnonzero(kinds.equals(kind)) for kind in _KINDS]
    if not all(map(len, of_kind)):
        return []
    result = _differences(refusals[np.concatenate(of_kind)])
    shared = set.intersection(
        *(set(refusals[rows].of_items("area").seen().names) for rows in of_kind)
    )
    if shared - {""}:
        rows = refusals[np.concatenate(of_kind)]
        kept = rows[rows.of_items("area").isin(shared - {""})]
        result += [
            statistic
            for statistic in _differences(kept, areas=kept.of_items("area"))
            # the plain ones stand above, over all areas and not the shared ones alone
            if statistic.member.endswith("area-standardised")
        ]
    return [replace(statistic, group=TURNS) for statistic in result]


def conversation_statistics(judgements: Judgements) -> dict[str, list[Statistic]]:
    """For each benchmark with dialogues: how much each rate is higher with their conversation.

    In the group "conversation difference". A question alone is a dialogue's twin where its
    cluster is the dialogue's `item_id` and it stands in another benchmark of the run; answers are
    paired by temperature and sample.
    """
    refusals = judgements.of_criterion(REFUSAL)
    turned = refusals.of_items("item_id").where(refusals.has_conversation)
    alone = refusals.of_items("cluster").where(~refusals.has_conversation)
    result: dict[str, list[Statistic]] = {}
    for name in refusals.benchmark.seen().names:
        here = refusals.benchmark.equals(name)
        dialogues = _by_draw(refusals, turned, here)
        twins = _by_draw(refusals, alone, ~here) if dialogues else {}
        both = [key for key in dialogues if key in twins]
        if both:
            rows, others = (np.array([of[key] for key in both]) for of in (dialogues, twins))
            result[name] = _paired(refusals[rows], refusals[others])
    return result


_Draw = tuple[str | None, float | None, int]
"""A question's name, the temperature and the sample."""


def _by_draw(refusals: Judgements, questions: Categorical, where: Bools) -> dict[_Draw, int]:
    """The row of each draw of the questions; of several the last."""
    rows = np.flatnonzero(where & (questions.codes >= 0))
    # NaN equals nothing, not even itself
    temperatures = [
        None if np.isnan(degrees) else degrees for degrees in refusals.temperature[rows].tolist()
    ]
    draws = zip(questions[rows].tolist(), temperatures, refusals.sample[rows].tolist(), strict=True)
    return dict(zip(draws, rows.tolist(), strict=True))


def _differences(rows: Judgements, areas: Categorical | None = None) -> list[Statistic]:
    return turn_differences(
        rows.value,
        rows.facet(_TURNS).tolist(),
        areas=None if areas is None else areas.tolist(),
        clusters=rows.clusters,
        reasons=rows.reason,
    )


def _paired(dialogues: Judgements, twins: Judgements) -> list[Statistic]:
    differences = history_differences(
        dialogues.value,
        twins.value,
        clusters=dialogues.item_id,
        reasons=(dialogues.reason, twins.reason),
    )
    return [replace(statistic, group=CONVERSATION) for statistic in differences]
