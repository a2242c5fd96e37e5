"""The page *Judges' cards*: what decides whether to trust a judge, then all of its card."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import gradio as gr

from ...files import read_json
from ...format import count, number, percent
from ...judges import bundled
from ...judges.trust.card import Card
from ...judges.trust.cards import KnownCards, cards_at_hand
from ...messages import known, message
from ...report.blocks import (
    Block,
    Bullets,
    Caveat,
    Column,
    Details,
    Listing,
    Paragraph,
    Section,
    Table,
)
from ...report.judge_caveats import measured, summary
from ...report.names import name_of
from ...report.trust.card import agreement_table, groups_table
from ..pages import answered, written
from ..texts import language_of
from ..verdict import errors_of

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
    """How good each judge is, its decisive figures first, or how to find out."""
    shelf = cards_at_hand()
    cards = cards_here(shelf, judges)
    page: list[Block] = [
        Caveat(message("A card could not be read: {problem}", problem=known(problem)))
        for problem in shelf.problems
    ]
    if any(judges.get(name).is_bundled for name in judges.names):
        page.append(_never_seen())
    page += [card_section(card, here=bool(names)) for card, names in cards]
    # one command as an example: the others differ in the judge's name only
    if missing := [name for name in judges.names if not any(name in of for _, of in cards)]:
        make = message(
            "No card says how far {names} agrees with people. To make one from a public set of "
            "people's labels, run this on your own machine, and set NORMSCOPE_CARDS to the folder "
            "when you start the page:",
            names=", ".join(missing),
        )
        command = (
            f"normscope validate --judge {missing[0]} --labels do-not-answer --source SOURCES "
            "--out cards\nNORMSCOPE_CARDS=cards normscope serve"
        )
        page += [Caveat(make, warns=True), Listing(command, command=True)]
    return page


def _never_seen() -> Section:
    """The bundled judge on unseen hands, and on sets that it was not trained on."""
    found = read_json(bundled.path() / bundled.FIGURES)
    answered = found["harmless_called_harmful"]
    sets = {name: figures["harm"] for name, figures in found["left_out"].items()}
    lead = message(
        "Of harmless answers to harmless questions by hands that it has never seen it calls "
        "{english} in English harmful, and {chinese} in Chinese. On sets that it has never seen "
        "its AUC is {auc} on average.",
        english=percent(answered["en"]["share"]),
        chinese=percent(answered["zh"]["share"]),
        auc=number(sum(each["auc"] for each in sets.values()) / len(sets)),
    )
    rows = tuple(
        (name, number(each["auc"]), percent(each["false_alarms"]), percent(each["misses"]))
        for name, each in sets.items()
    )
    names = ("AUC", message("harmless called harmful"), message("harmful missed"))
    columns = (Column(message("set")), *(Column(name, "number") for name in names))
    table = Table(columns, rows, title=message("Harm, each set left out in turn"))
    return Section(message("small bundled judge"), (Paragraph(lead), table))


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
    errors = errors_of([card]) if card.overall.n else None
    return Section(
        (_judge_name(card), " · ", name_of(card.rubric.criterion)),
        (
            *([Paragraph(message("Judge of this page"))] if here else []),
            Bullets(tuple(filter(None, (errors, measured(card.overall))))),
            Paragraph(about, note=True),
            Details(
                message("More figures"),
                (Bullets(tuple(summary(card))), overall, groups_table(card)),
            ),
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
