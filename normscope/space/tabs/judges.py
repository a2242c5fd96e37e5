"""The tab *Judges*: their cards side by side."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import gradio as gr

from ...format import count
from ...judges.trust.card import Card
from ...judges.trust.cards import KnownCards, cards_at_hand
from ...messages import known, message
from ...report.blocks import (
    Block,
    Bullets,
    Caveat,
    Details,
    Listing,
    Paragraph,
    Section,
)
from ...report.judge_caveats import summary
from ...report.names import name_of
from ...report.trust.card import agreement_table, groups_table
from ..pages import answered, written
from ..texts import language_of

if TYPE_CHECKING:
    from ..served import Judges


_SHOWN = ("agreement", "kappa", "auc_harmful", "bias")
"""The statistics of a card that stand on the page; the others are in its file."""


def build(judges: "Judges") -> None:
    """Draws the tab."""

    def shown(request: gr.Request) -> str:
        language = language_of(request)
        with answered(language) as page:
            page.html = written(blocks(judges), language)
        return page.html

    result = gr.HTML(elem_id="judges-result")
    gr.on(None, shown, None, result, queue=False)


def blocks(judges: "Judges") -> list[Block]:
    """The judges and their cards, or how to make one where there is none."""
    shelf = cards_at_hand()
    cards = cards_here(shelf, judges)
    counts = {name: sum(name in names for _, names in cards) for name in judges.names}
    offered = []
    for name, n in counts.items():
        bundled_here = judges.get(name).is_bundled
        title = message("small bundled judge") if bundled_here else name
        if n:
            offered.append(message("{name}: {n} cards below.", name=title, n=n))
        else:
            offered.append(
                message("{name}: no card, so its agreement with people is unknown.", name=title)
            )
    lead = message(
        "A judge's card says how far the judge agrees with people, on which answers, and for "
        "which rubric that holds."
    )
    page: list[Block] = [
        Paragraph(lead, note=True),
        Section(message("The judges of this page"), (Bullets(tuple(offered)),)),
    ]
    page += [
        Caveat(message("A card could not be read: {problem}", problem=known(problem)))
        for problem in shelf.problems
    ]
    if not cards:
        none = message(
            "There is no card here yet. Until there is one, nobody knows how far the judges of "
            "this page agree with people."
        )
        page.append(Caveat(none, warns=True))
    # one command as an example: the others differ in the judge's name only
    if missing := [name for name, n in counts.items() if not n]:
        make = message(
            "To make one from a public set of people's labels, run this on your own machine, and "
            "set NORMSCOPE_CARDS to the folder when you start the page:"
        )
        command = (
            f"normscope validate --judge {missing[0]} --labels do-not-answer --source SOURCES "
            "--out cards\nNORMSCOPE_CARDS=cards normscope serve"
        )
        page += [Paragraph(make), Listing(command, command=True)]
    page += [card_section(card, here=bool(names)) for card, names in cards]
    return page


def cards_here(listed: KnownCards, judges: "Judges") -> list[tuple[Card, tuple[str, ...]]]:
    """The cards with the judges of this Space that each is about, those of its judges first."""
    cards = [
        (card, tuple(name for name in judges.names if _is_of(card, judges, name)))
        for card in listed.cards
    ]
    return sorted(
        cards, key=lambda pair: (not pair[1], _judge_name(pair[0]), pair[0].rubric.criterion)
    )


def card_section(card: Card, *, here: bool) -> Section:
    """How far the judge agrees with people over all answers and, folded, in each group."""
    about = message(
        "{labels}, {date} · Rubric: {rubric}",
        labels=card.source.benchmark,
        date=card.date[:10],
        rubric=f"{card.rubric.name} {card.rubric.version} ({card.rubric.hash[:12]})",
    )
    answers = message("{n} answers", n=count(card.overall.n))
    overall = replace(agreement_table(card.overall, _SHOWN), title=answers, look="numbers")
    return Section(
        (_judge_name(card), " · ", name_of(card.rubric.criterion)),
        (
            *([Paragraph(message("Judge of this page"))] if here else []),
            Paragraph(about, note=True),
            Bullets(tuple(summary(card))),
            overall,
            Details(message("By group"), (groups_table(card),)),
        ),
    )


def _judge_name(card: Card) -> str:
    return Path(card.judge.model).name or card.judge.model


def _is_of(card: Card, judges: "Judges", name: str) -> bool:
    judge = judges.get(name)
    # the weights say which judge it is; without them its name and rubric have to do
    content = judge.identity.get("content")
    if content and card.judge.content:
        return bool(content == card.judge.content)
    return card.judge.model == name and card.rubric.hash == judge.hash
