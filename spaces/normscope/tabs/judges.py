"""The tab *Judges*: their cards side by side."""

from typing import TYPE_CHECKING

import gradio as gr

from ....judges import bundled
from ....judges.trust.cards import cards_at_hand
from ....messages import known, message
from ....report.blocks import Block, Bullets, Caveat, Listing, Paragraph, Section
from ...widget import card
from ..cards import card_section, cards_here
from ..pages import answered, written
from ..texts import label, language_of

if TYPE_CHECKING:
    from ..served import Judges


def build(judges: "Judges") -> None:
    """Draws the tab."""

    def shown(request: gr.Request) -> str:
        language = language_of(request)
        with answered(language) as page:
            page.html = written(blocks(judges), language)
        return page.html

    result = gr.HTML(elem_id="judges-result")
    readme = bundled.path() / "README.md"
    if bundled.NAME in judges.names and readme.is_file():
        title = label("Model card of the small bundled judge (in English)")
        with gr.Accordion(title, open=False, elem_id="judges-model-card"):
            gr.Markdown(card(readme))
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
            f"normscope validate --judge {missing[0]} --labels-set do-not-answer --source SOURCES "
            "--out cards\nNORMSCOPE_CARDS=cards normscope serve"
        )
        page += [Paragraph(make), Listing(command, command=True)]
    page += [card_section(card, here=bool(names)) for card, names in cards]
    rated = message(
        "The labels of your own people tell more. This command writes a page for each of them that "
        "asks about one answer of a run at a time and opens in any browser:"
    )
    command = "normscope annotate sample runs/NAME --n 200 --raters 3 --out labels"
    asked = Section(message("Label answers"), (Paragraph(rated), Listing(command, command=True)))
    return [*page, asked]
