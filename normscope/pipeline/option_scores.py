"""The scores of multiple-choice answers, in the order given or over rotations of the options."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..categorical import Categorical, combined, first_rows
from ..judges.respondent import OPTION
from ..metrics.estimate import Estimate, Statistic
from ..metrics.groups import Rows
from ..metrics.inputs import Floats, absent
from ..metrics.options import Key, best_constant, key_of, named, risk_identification
from ..metrics.rates import OVER_ITEMS, averaged, exact
from ..metrics.table import broken_down
from ..reasons import Reason
from ..records.item import Item
from ..records.judgements import Judgements

Groups = Mapping[str, Iterable[Any]]


@dataclass(frozen=True, slots=True)
class _Answers:
    """Columns, a row per answer. `first` marks the first reply to each rotation of an item."""

    items: list[Item]
    values: Floats
    reasons: Categorical
    clusters: Categorical
    turned: np.ndarray
    first: np.ndarray

    @property
    def ids(self) -> list[str]:
        return [item.item_id for item in self.items]

    @property
    def key(self) -> Key:
        return key_of(item.answer_source for item in self.items)


def option_scores(judgements: Judgements, groups: Groups | None = None) -> list[Statistic]:
    """Agreement with the items' key; with the silver key it is called that (`named`).

    An item without a key has no verdict, whatever was answered. Where an item was asked in several
    orders of its options, it counts once, with the mean over its orders.
    """
    answers = _answers(judgements.of_criterion(OPTION))
    if answers.turned.any():
        return _over_orders(answers, groups)
    return risk_identification(
        answers.values,
        groups=groups,
        clusters=answers.clusters,
        reasons=answers.reasons,
        chance=[1 / len(item.options) for item in answers.items],
        answers=[item.answer for item in answers.items],
        key=answers.key,
    )


def _answers(judgements: Judgements) -> _Answers:
    ids, orders = (judgements.of_items(name) for name in ("item_id", "scale_order"))
    item, place = combined(ids), combined(ids, orders)
    first = first_rows(place)
    # how many orders an item has: its places, each of which has one first row
    several = np.bincount(item[first], minlength=item.max(initial=-1) + 1) > 1
    return _Answers(
        items=judgements.item_rows(),
        values=judgements.value,
        # an item without a key has no reason but that
        reasons=judgements.reason.put(Reason.NO_KEY, judgements.of_items("answer").codes < 0),
        clusters=judgements.clusters,
        turned=several[item],
        first=first[place] == np.arange(len(judgements)),
    )


def _over_orders(answers: _Answers, groups: Groups | None) -> list[Statistic]:
    """Every item once: its mean over orders, and whether its orders agree with one another."""
    missing = np.isnan(answers.values)
    silent, excluded = absent(answers.reasons, missing)
    correct = np.where(silent, 0.0, answers.values)
    answered = np.where(missing, np.where(silent, 0.0, np.nan), 1.0)
    ids = np.array(answers.ids, dtype=object)
    # reversed, so that of an item's rotations the order as given is the one that stays
    places = {item.item_id: item for item in reversed(answers.items)}

    def over(outcomes: Floats, rows: Any) -> Estimate:
        units = list(ids[rows])
        return averaged(outcomes[rows], units, target="new items of the kind", method=OVER_ITEMS)

    def compute(rows: Rows) -> list[Statistic]:
        used = np.arange(len(ids))[rows]
        used = used[~excluded[used]]
        items = [places[item_id] for item_id in dict.fromkeys(ids[used])]
        compared = used[answers.turned[used] & answers.first[used]]
        orders = risk_identification(
            answers.values[compared],
            reasons=answers.reasons[compared],
            orders_of=list(ids[compared]),
            key=answers.key,
        )
        table = [
            Statistic("agreement", "rate", over(correct, used)),
            Statistic("answered", "rate", over(answered, used)),
            *orders[2:],  # how the orders agree: agreement and answered are over items above
            Statistic("chance", "rate", exact([1 / len(item.options) for item in items])),
            best_constant([answers.items[at].answer for at in used], units=list(ids[used])),
        ]
        return [replace(row, name=named(row.name, answers.key)) for row in table]

    return broken_down(compute, len(ids), groups)
