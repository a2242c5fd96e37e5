"""The scores of multiple-choice answers, in the order given or over rotations of the options."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..categorical import Bools, Categorical, combined, first_rows
from ..judges.respondent import OPTION
from ..metrics.estimate import Statistic
from ..metrics.groups import Rows
from ..metrics.inputs import Floats
from ..metrics.options import best_constant, key_of, named, outcomes, risk_identification
from ..metrics.rates import OVER_ITEMS, averaged, exact
from ..metrics.table import broken_down
from ..reasons import Reason
from ..records.item import Item
from ..records.judgements import Judgements

Groups = Mapping[str, Iterable[Any]]


def option_scores(judgements: Judgements, groups: Groups | None = None) -> list[Statistic]:
    """Agreement with the items' key; with the silver key it is called that (`named`).

    An item without a key has no verdict, whatever was answered. Where an item was asked in several
    orders of its options, it counts once, with the mean over its orders.
    """
    answers = judgements.of_criterion(OPTION)
    items = answers.item_rows()
    # an item without a key has no reason but that
    reasons = answers.reason.put(Reason.NO_KEY, answers.of_items("answer").codes < 0)
    ids, orders = (answers.of_items(name) for name in ("item_id", "scale_order"))
    item, place = combined(ids), combined(ids, orders)
    first = first_rows(place)
    # how many orders an item has: its places, each of which has one first row
    several = np.bincount(item[first], minlength=item.max(initial=-1) + 1) > 1
    if several.any():
        compared = several[item] & (first[place] == np.arange(len(answers)))
        return _over_orders(items, answers.value, reasons, compared, groups)
    return risk_identification(
        answers.value,
        groups=groups,
        clusters=answers.clusters,
        reasons=reasons,
        chance=[1 / len(item.options) for item in items],
        answers=[item.answer for item in items],
        key=key_of(item.answer_source for item in items),
    )


def _over_orders(
    items: Sequence[Item],
    values: Floats,
    reasons: Categorical,
    compared: Bools,
    groups: Groups | None,
) -> list[Statistic]:
    """Every item once: its mean over orders, and whether its orders agree with one another.

    `compared` marks the first reply to each rotation of an item that has several.
    """
    columns, keyed = outcomes(values, reasons=reasons)
    ids = np.array([item.item_id for item in items], dtype=object)
    key = key_of(item.answer_source for item in items)
    # reversed, so that of an item's rotations the order as given is the one that stays
    places = {item.item_id: item for item in reversed(items)}

    def compute(rows: Rows) -> list[Statistic]:
        used = np.arange(len(ids))[rows]
        used = used[keyed[used]]
        in_orders = used[compared[used]]
        orders = risk_identification(
            values[in_orders], reasons=reasons[in_orders], orders_of=list(ids[in_orders]), key=key
        )
        units = list(ids[used])
        table = [
            Statistic(
                name,
                "rate",
                averaged(column[used], units, target="new items of the kind", method=OVER_ITEMS),
            )
            for name, column in columns.items()
        ]
        chance = exact([1 / len(places[name].options) for name in dict.fromkeys(units)])
        table += [
            *orders[2:],  # how the orders agree: agreement and answered are over items above
            Statistic("chance", "rate", chance),
            best_constant([items[at].answer for at in used], units=units),
        ]
        return [replace(row, name=named(row.name, key)) for row in table]

    return broken_down(compute, len(ids), groups)
