"""What a conversation before a question does to the refusals: two comparisons within one run.

Questions of one turn and of several are other questions, compared as groups. A dialogue's last
question asked alone is the same question, compared in pairs; it stands in a benchmark of its own.
"""

from dataclasses import replace

import numpy as np

from ..categorical import Categorical
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
        shared_rows = rows[rows.of_items("area").isin(shared - {""})]
        result += [
            statistic
            for statistic in _differences(shared_rows, areas=shared_rows.of_items("area"))
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
    import pandas as pd  # 0.3 s

    refusals = judgements.of_criterion(REFUSAL)
    draws = pd.DataFrame(
        {
            "benchmark": refusals.benchmark.tolist(),
            "temperature": refusals.temperature,
            "sample": refusals.sample,
            "row": np.arange(len(refusals)),
        }
    )
    dialogues = draws.assign(question=refusals.of_items("item_id").tolist())
    alone = draws.assign(question=refusals.of_items("cluster").tolist())
    # where no temperature is known, both have none
    pairs = dialogues[refusals.has_conversation].merge(
        alone[~refusals.has_conversation],
        on=["question", "temperature", "sample"],
        suffixes=("", "_alone"),
    )
    result: dict[str, list[Statistic]] = {}
    for name, rows in pairs[pairs["benchmark"] != pairs["benchmark_alone"]].groupby(
        "benchmark", sort=False
    ):
        first, second = (refusals[rows[each].to_numpy()] for each in ("row", "row_alone"))
        differences = history_differences(
            first.value,
            second.value,
            clusters=first.item_id,
            reasons=(first.reason, second.reason),
        )
        result[name] = [replace(statistic, group=CONVERSATION) for statistic in differences]
    return result


def _differences(rows: Judgements, areas: Categorical | None = None) -> list[Statistic]:
    return turn_differences(
        rows.value,
        rows.facet(_TURNS).tolist(),
        areas=None if areas is None else areas.tolist(),
        clusters=rows.clusters,
        reasons=rows.reason,
    )
