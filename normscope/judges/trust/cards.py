"""Cards in folders, and which of them holds for a judge that is about to be believed.

A card holds for one judge, rubric, criterion and language, as it was measured; whatever of these
differs, agreement with people is unknown.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...files import read_json
from ...hub_folders import hub_folder
from ...messages import joined, message
from ...records.settings import Channel, Settings
from ..judge import counting_channel
from .card import Card, read_card

SHIPPED = hub_folder("judges") / "cards"
"""The cards that come with Normscope."""

FOLDER = "NORMSCOPE_CARDS"
"""The variable that names a folder of cards for who serves a judge, beside the shipped ones."""

_SAME = ("chat_template", "dtype", "quantisation")
_SETTINGS = {"label_orders": "given", "min_coverage": 0.5, "channel": "labels"}


@dataclass(frozen=True, slots=True)
class Use:
    """How a judge is used: its identity, the rubric's hash, criterion, language, settings.

    `channel` is labels or text: in which the judge gave the verdicts that count.
    """

    identity: Mapping[str, Any]
    rubric_hash: str
    criterion: str
    language: str
    label_orders: str = "given"
    min_coverage: float = 0.5
    channel: str = "labels"

    @classmethod
    def of(
        cls,
        config: Settings,
        identity: Mapping[str, Any],
        *,
        rubric_hash: str,
        criterion: str,
        language: str,
        channel: Channel | None = None,
    ) -> "Use":
        """A use with the settings of a run; without a `channel` that which counts."""
        channel = channel or counting_channel(config.judge_channels)
        return cls(
            identity=identity,
            rubric_hash=rubric_hash,
            criterion=criterion,
            language=language,
            # a verdict in text is asked for with the labels as given
            label_orders=config.label_orders if channel == "labels" else "given",
            min_coverage=config.min_coverage,
            channel=channel,
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """What a card was measured with and what is used instead."""

    field: str
    card: str
    used: str


@dataclass(frozen=True, slots=True)
class CardMatch:
    """A card for a use, and what differs; with no difference the card holds."""

    card: Card
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class KnownCards:
    """The cards that were found, newest first, and what is wrong with those that cannot be read."""

    cards: tuple[Card, ...]
    problems: tuple[str, ...] = ()


def known_cards(*folders: Path) -> KnownCards:
    """The shipped cards and those in the folders; JSON files that are no cards are passed by."""
    cards, problems = {}, []
    for folder in dict.fromkeys((SHIPPED, *folders)):
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            if _is_card(path):
                try:
                    card = read_card(path)
                except DataError as error:
                    problems.append(error.message)
                else:
                    cards[card.hash] = card
    # by hash: a card may lie in several folders
    newest = sorted(cards.values(), key=lambda card: card.date, reverse=True)
    return KnownCards(tuple(newest), tuple(problems))


def cards_at_hand() -> KnownCards:
    """The shipped cards and those in the folder that the variable `NORMSCOPE_CARDS` names."""
    folder = os.environ.get(FOLDER, "").strip()
    return known_cards(*([Path(folder)] if folder else []))


def find_cards(cards: Iterable[Card], use: Use) -> tuple[CardMatch, ...]:
    """The cards that hold for the use, that of the most answers first; if none does, the nearest.

    That is the one that differs in the fewest fields. Only cards of the same judge (the same files
    or revision, or at least the same name) and the same criterion come into question.
    """
    near = [
        CardMatch(card, differences(card, use))
        for card in cards
        if card.rubric.criterion == use.criterion and _same_name(card, use.identity)
    ]
    if holding := [match for match in near if not match.differences]:
        return tuple(sorted(holding, key=lambda match: -match.card.overall.n))
    # a card in another language says less than one that another rubric has outdated
    return tuple(sorted(near, key=lambda match: len(match.differences)))[:1]


def differences(card: Card, use: Use) -> tuple[Difference, ...]:
    """Every field in which the card does not fit the use."""
    judge, used = card.judge, use.identity
    # a local model's files say which it is, wherever they lie; one on the Hub has a revision
    names = ("content",) if judge.content and used.get("content") else ("model", "revision")
    compared: dict[str, tuple[Any, Any]] = {
        **{field: (getattr(judge, field), used.get(field)) for field in names},
        **{field: (judge.all.get(field), used.get(field)) for field in _SAME},
        "rubric_hash": (card.rubric.hash, use.rubric_hash),
        **{
            field: (card.settings.get(field, usual), getattr(use, field))
            for field, usual in _SETTINGS.items()
        },
    }
    result = [
        Difference(field.replace("_", " "), _short(measured), _short(now))
        for field, (measured, now) in compared.items()
        if measured != now
    ]
    if use.language not in card.languages:
        result.append(Difference("language", ", ".join(card.languages) or "none", use.language))
    return tuple(result)


def _short(value: Any) -> str:
    """A hash by its beginning; other values whole.

    >>> _short("0d3ab36287d04377d6f102b5046473a4cbdcf8aea38842074b2b435341d7eefe"), _short(None)
    ('0d3ab36287d0', 'none')
    """
    text = "none" if value is None else str(value)
    is_hash = len(text) >= 40 and set(text) <= set("0123456789abcdef")  # noqa: PLR2004
    return text[:12] if is_hash else text


def _same_name(card: Card, identity: Mapping[str, Any]) -> bool:
    if card.judge.content and card.judge.content == identity.get("content"):
        return True
    return card.judge.model == identity.get("model")


def _is_card(path: Path) -> bool:
    try:
        value = read_json(path)
    except DataError:
        return False
    return isinstance(value, dict) and {"judge", "rubric", "slices"} <= set(value)


def in_words(differences: Sequence[Difference]) -> str:
    """The differences in words.

    >>> in_words([Difference("dtype", "float32", "bfloat16")])
    'dtype: card float32, this run bfloat16'
    """
    return joined(
        (
            message(
                "{field}: card {card}, this run {used}", field=d.field, card=d.card, used=d.used
            )
            for d in differences
        ),
        "; ",
    )
