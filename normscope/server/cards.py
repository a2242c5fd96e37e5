"""The judge's cards in short, as they stand beside its results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..api.judge import Judge
from ..judges.trust.card import Card
from ..judges.trust.cards import Use, find_cards, in_words
from ..report.trust.card_summary import summary

_KEPT = 1024


@dataclass(frozen=True, slots=True)
class CardInShort:
    """What is known of how the judge agrees with people, for one criterion and language.

    Where no card `holds`, `n` is null and `says` tells it, with what differs from the nearest.
    """

    criterion: str
    language: str
    holds: bool
    labels_of: str | None
    n: int | None
    date: str | None
    says: tuple[str, ...]


class Cards:
    """The cards that were found, asked for what was judged."""

    def __init__(self, judge: Judge, known: Sequence[Card]) -> None:
        """Of these cards those that are about this judge."""
        self._judge, self._known = judge, tuple(known)
        # a language is whatever a request says
        self._of = lru_cache(_KEPT)(self._of_criterion)

    def of(self, judged: Iterable[tuple[str, str]]) -> tuple[CardInShort, ...]:
        """One for each criterion and language, in the order in which they are first seen."""
        return tuple(self._of(*pair) for pair in dict.fromkeys(judged))

    def _of_criterion(self, criterion: str, language: str) -> CardInShort:
        use = Use.of(
            self._judge.config,
            self._judge.identity,
            rubric_hash=self._judge.questions.hash,
            criterion=criterion,
            language=language,
        )
        matches = find_cards(self._known, use)
        nobody = (
            f"no card: how the judge agrees with people on {criterion} in {language} is unknown"
        )
        if not matches:
            return CardInShort(criterion, language, False, None, None, None, (nobody,))
        card, differences = matches[0].card, matches[0].differences
        if differences:
            says = (nobody, f"the nearest card differs: {in_words(differences)}")
            return CardInShort(criterion, language, False, None, None, None, says)
        return CardInShort(
            criterion,
            language,
            True,
            card.source.benchmark,
            card.overall.n,
            card.date,
            tuple(map(str, summary(card))),
        )
