"""The channels in which the model under test answered: which one counts, and how they disagree."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..datasets_builders.item import Item
from ..judges.heads import ACCEPTABILITY, OPTION
from ..judges.judgement import Source
from ..metrics.estimate import Estimate, Statistic
from ..metrics.rates import exact, rate
from ..reasons import Origin, Reason
from ..run.journal import Row
from .averages import averaged
from .bench import item_key

Pair = tuple[Item, Row]
"""An item and a judgement about it."""

Pairs = Sequence[Pair]

LABELS, TEXT = "labels", "text"
_CHANNEL = {Source.MODEL_LOGITS: LABELS, Source.TEXT_RULE: TEXT}
_OWN = (OPTION, ACCEPTABILITY)


def of_head(pairs: Pairs, head: str) -> Pairs:
    """The judgements of one head."""
    return [pair for pair in pairs if pair[1]["head"] == head]


def headline(pairs: Pairs) -> Pairs:
    """The judgements that count: those read from labels where a head has any, else from text."""
    doubled = {row["head"] for _, row in pairs if row["source"] == Source.MODEL_LOGITS}
    return [
        (item, row)
        for item, row in pairs
        if row["head"] not in doubled or row["source"] != Source.TEXT_RULE
    ]


def parts(pairs: Pairs) -> Iterator[tuple[str, str, Pairs]]:
    """By channel and by temperature, where there are several: the dimension, its level, the rows.

    Temperatures are those of the replies in text, whichever channel counts.
    """
    channels = {name: _of_channel(pairs, name) for name in (LABELS, TEXT)}
    if all(channels.values()):
        yield from (("channel", name, mine) for name, mine in channels.items())
    drawn = [(row["temperature"], (item, row)) for item, row in pairs]
    temperatures = sorted({at for at, _ in drawn if at is not None})
    if len(temperatures) > 1:
        for wanted in temperatures:
            yield "temperature", f"{wanted:g}", [pair for at, pair in drawn if at == wanted]


def unanswered(pairs: Pairs) -> list[Statistic]:
    """How often the model gave no answer that could be read, by its reason, in each channel.

    The share of all that was asked; answers that we failed to get make its worst and best case.
    """
    found = []
    channels = {name: _of_channel(pairs, name) for name in (LABELS, TEXT)}
    told = {name: mine for name, mine in channels.items() if mine}
    for name, mine in told.items():
        group = "reason" if len(told) == 1 else f"reason in {name}"
        reasons = [None if row["reason"] is None else Reason(row["reason"]) for _, row in mine]
        failed = np.array([_is_ours(reason) for reason in reasons], dtype=np.bool_)
        for reason in sorted({r for r in reasons if r and r.origin is Origin.RESPONDENT}):
            hits = np.array([one is reason for one in reasons], dtype=np.float64)
            hits[failed] = np.nan
            share = _share(hits, [item for item, _ in mine])
            found.append(Statistic("unanswered", "rate", share, group=group, member=reason))
    return found


def most_frequent_label(pairs: Pairs) -> list[Statistic]:
    """The share of the model's own answers that are the one label it gave most often.

    Of the answers that have a label; of labels that are alike in number the first given counts.
    """
    labels = [_answer(row).label for _, row in pairs if row["head"] in _OWN]
    given = [label for label in labels if label is not None]
    return [
        Statistic(
            "most_frequent_label",
            "rate",
            exact([one == label for one in given]),
            group="label",
            member=label,
        )
        for label, _ in Counter(given).most_common(1)
    ]


def channel_disagreement(pairs: Pairs) -> list[Statistic]:
    """How the text differs from the labels, over every reply in text beside its item's labels.

    `channel_disagreement`: of those where both gave a class, the share in which they differ.
    `answered_in_labels_only` and `answered_in_text_only`: shares of all, where one alone gave one.
    A reading that failed on our side leaves the pair unscored. Empty unless both were recorded.
    """
    labels = {
        (item_key(item), row["head"]): _answer(row) for item, row in _of_channel(pairs, LABELS)
    }
    texts = [
        (item, row)
        for item, row in _of_channel(pairs, TEXT)
        if (item_key(item), row["head"]) in labels
    ]
    if not texts:
        return []
    items = [item for item, _ in texts]
    beside = [(labels[item_key(item), row["head"]], _answer(row)) for item, row in texts]
    ours = np.array([one.ours or other.ours for one, other in beside], dtype=np.bool_)
    first, second = (
        np.array([answers[at].label is not None for answers in beside], dtype=np.bool_)
        for at in (0, 1)
    )
    differ = np.array([one.label != other.label for one, other in beside], dtype=np.float64)
    outcomes = {
        "answered_in_labels_only": first & ~second,
        "answered_in_text_only": second & ~first,
    }
    kept = np.flatnonzero(ours | (first & second))
    told = _share(np.where(ours, np.nan, differ)[kept], [items[at] for at in kept])
    return [
        Statistic("channel_disagreement", "rate", told),
        *(
            Statistic(name, "rate", _share(np.where(ours, np.nan, hit), items))
            for name, hit in outcomes.items()
        ),
    ]


class _Answer(NamedTuple):
    """The class that a channel gave, null for none; `ours` if that is our failure."""

    label: str | None
    ours: bool


def _answer(row: Row) -> _Answer:
    reason = None if row["reason"] is None else Reason(row["reason"])
    # without a key to hold it against, an option was chosen all the same
    if row["probs"] is None or reason not in {None, Reason.NO_KEY}:
        return _Answer(None, _is_ours(reason))
    return _Answer(row["labels"][row["probs"].index(max(row["probs"]))], ours=False)


def _is_ours(reason: Reason | None) -> bool:
    return reason is not None and reason.origin in {Origin.JUDGE, Origin.ENGINE}


def _of_channel(pairs: Pairs, name: str) -> Pairs:
    """The judgements of the model's own answers in one channel."""
    return [
        (item, row)
        for item, row in pairs
        if row["head"] in _OWN and _CHANNEL.get(row["source"]) == name
    ]


def _share(hits: np.ndarray, items: Sequence[Item]) -> Estimate:
    """A share of answers: over wordings where there are any, for vignettes are no sample."""
    if any(item.variant_id for item in items):
        variants = [item.variant_id for item in items]
        return averaged(hits, variants, target="new wordings", told="wordings")
    return rate(hits, clusters=[item.cluster or item.item_id for item in items])
