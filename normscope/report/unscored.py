"""What is unscored through the judge or the engine, in words."""

from collections.abc import Iterable, Mapping

from ..categorical import group_by
from ..format import count
from ..records.absent import WhollyUnscored
from .words import EN, Words


def reasons_in_words(reasons: Mapping[str, int], words: Words = EN) -> str:
    """Each reason with its count, the commonest first.

    >>> reasons_in_words({"low_coverage": 2, "language_not_covered": 40})
    '40 × language not covered, 2 × low coverage'
    """
    ordered = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return words(", ").join(f"{count(n)} × {words.name(reason)}" for reason, n in ordered)


def caveats(wholly: Iterable[WhollyUnscored], words: Words = EN) -> tuple[str, ...]:
    """A sentence per benchmark that names what in it has no score at all, and why."""
    return tuple(
        words(
            "{benchmark}: the judge or the engine failed at every judgement of {told}.",
            benchmark=benchmark,
            told=words("; ").join(_told(one, words) for one in found),
        )
        for benchmark, found in group_by(wholly, lambda one: one.benchmark).items()
    )


def _told(one: WhollyUnscored, words: Words) -> str:
    where = f"{words.name(one.group)} {words.name(one.member)}" if one.group else words("all items")
    what = words(", ").join([where, *map(words.name, one.criteria)])
    return words("{what} ({reasons})", what=what, reasons=reasons_in_words(one.reasons, words))
