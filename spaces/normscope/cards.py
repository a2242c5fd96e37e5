"""The judges' cards, side by side: how far each agrees with people, and for what that holds."""

from dataclasses import replace
from pathlib import Path

from ...format import count
from ...judges.trust.card import Card, Slice
from ...judges.trust.cards import KnownCards
from ...messages import message
from ...report.blocks import Bullets, Details, Paragraph, Section, Table
from ...report.names import name_of
from ...report.trust.card import agreement_table
from ...report.trust.card_summary import over_keywords, summary
from .served import Judges
from .views import LANGUAGE_NAMES

_SHOWN = ("agreement", "kappa", "auc_harmful", "bias")
"""The statistics of a card that stand on the page; the others are in its file."""


def cards_here(known: KnownCards, judges: Judges) -> list[tuple[Card, tuple[str, ...]]]:
    """The cards with the judges of this Space that each is about, those of its judges first."""
    cards = [
        (card, tuple(name for name in judges.names if _is_of(card, judges, name)))
        for card in known.cards
    ]
    return sorted(
        cards, key=lambda pair: (not pair[1], _judge_name(pair[0]), pair[0].rubric.criterion)
    )


def card_section(card: Card, *, here: bool) -> Section:
    """How far the judge agrees with people over all answers and in each language."""
    slices = [
        card.overall,
        # one language is all that there is
        *(
            piece
            for piece in card.slices
            if piece.group == "language" and 0 < piece.n < card.overall.n
        ),
    ]
    about = message(
        "{labels}, {date} · Rubric: {rubric}",
        labels=card.source.benchmark,
        date=card.date[:10],
        rubric=f"{card.rubric.name} {card.rubric.version} ({card.rubric.hash[:12]})",
    )
    return Section(
        (_judge_name(card), " · ", name_of(card.rubric.criterion)),
        (
            Paragraph(over_keywords(card.overall)[1]),
            *([Paragraph(message("Judge of this page"))] if here else []),
            Paragraph(about, note=True),
            *map(slice_table, slices),
            Details(message("More from the card"), (Bullets(tuple(summary(card))),)),
        ),
    )


def slice_table(part: Slice) -> Table:
    """The statistics of a slice: the judge's, and what two simple predictors have there."""
    title = message(
        "{answers} · {n} answers",
        answers=LANGUAGE_NAMES.get(part.member, part.member)
        if part.group
        else message("All answers"),
        n=count(part.n),
    )
    return replace(agreement_table(part, _SHOWN), title=title, look="numbers")


def _judge_name(card: Card) -> str:
    return Path(card.judge.model).name or card.judge.model


def _is_of(card: Card, judges: Judges, name: str) -> bool:
    judge = judges.get(name)
    # the weights say which judge it is; without them its name and rubric have to do
    content = judge.identity.get("content")
    if content and card.judge.content:
        return bool(content == card.judge.content)
    return card.judge.model == name and card.rubric.hash == judge.hash
