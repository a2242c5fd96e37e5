"""What a dialogue before a question does to the refusals: two comparisons within one run.

Questions of one turn and of several are other questions, compared as groups. A dialogue's last
question asked alone is the same question, compared in pairs; it stands in a benchmark of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..metrics.estimate import Statistic
from ..metrics.refusal import history_differences, turn_differences
from ..run.journal import Row
from .channels import Pairs, of_head

REFUSAL = "refusal"
TURNS, HISTORY = "turn difference", "history difference"
"""The groups under which the differences stand."""


def turn_statistics(pairs: Pairs) -> list[Statistic]:
    """How much each rate is higher on questions of several turns than on those of one.

    In the group "turn difference", plain and with the same mix of areas; nothing where the items
    are of one kind. Areas that one kind lacks are left out of the second.
    """
    mine = of_head(pairs, REFUSAL)
    # single-turn questions first: the kind first seen is the one that is taken off
    rows = sorted(
        ((item, row) for item, row in mine if item.facets.get("turns") in {"single", "multi"}),
        key=lambda pair: pair[0].facets["turns"] == "multi",
    )
    kinds = [item.facets["turns"] for item, _ in rows]
    if len(set(kinds)) < 2:  # noqa: PLR2004 - a difference is of two
        return []
    shared = _areas_of(rows, "single") & _areas_of(rows, "multi")
    found = turn_differences(
        _classes(rows), kinds, clusters=_clusters(rows), reasons=_reasons(rows)
    )
    if shared:
        kept = [pair for pair in rows if pair[0].area in shared]
        found += [
            statistic
            for statistic in turn_differences(
                _classes(kept),
                [item.facets["turns"] for item, _ in kept],
                areas=[item.area for item, _ in kept],
                clusters=_clusters(kept),
                reasons=_reasons(kept),
            )
            if statistic.member.endswith("area-standardised")
        ]
    return [replace(statistic, group=TURNS) for statistic in found]


def history_statistics(by_benchmark: Mapping[str, Pairs]) -> dict[str, list[Statistic]]:
    """For each benchmark with dialogues: how much each rate is higher with their history.

    In the group "history difference". A question without history is a dialogue's twin where its
    cluster is the dialogue's `item_id` and it stands in another benchmark of the run; answers are
    paired by temperature and sample.
    """
    found: dict[str, list[Statistic]] = {}
    for name, pairs in by_benchmark.items():
        dialogues = {
            (item.item_id, *_draw(row)): (item, row)
            for item, row in of_head(pairs, REFUSAL)
            if item.history
        }
        twins = {
            (item.cluster, *_draw(row)): (item, row)
            for other, theirs in by_benchmark.items()
            if other != name
            for item, row in of_head(theirs, REFUSAL)
            if not item.history
        }
        both = [key for key in dialogues if key in twins]
        if both:
            found[name] = _paired([dialogues[key] for key in both], [twins[key] for key in both])
    return found


def _paired(dialogues: Pairs, twins: Pairs) -> list[Statistic]:
    differences = history_differences(
        _classes(dialogues),
        _classes(twins),
        clusters=[item.item_id for item, _ in dialogues],
        reasons=(_reasons(dialogues), _reasons(twins)),
    )
    return [replace(statistic, group=HISTORY) for statistic in differences]


def _areas_of(pairs: Pairs, kind: str) -> set[str]:
    return {item.area for item, _ in pairs if item.facets["turns"] == kind and item.area}


def _draw(row: Row) -> tuple[float | None, int]:
    return row.get("temperature"), row["sample"]


def _clusters(pairs: Pairs) -> list[str]:
    return [item.cluster or item.item_id for item, _ in pairs]


def _classes(pairs: Pairs) -> Sequence[float]:
    values: list[float] = [np.nan if row["value"] is None else row["value"] for _, row in pairs]
    return values


def _reasons(pairs: Pairs) -> list[str | None]:
    return [row["reason"] for _, row in pairs]
