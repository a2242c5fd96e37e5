"""The tab *Judges*: their cards side by side, and the endpoint `/judges`."""

from typing import TYPE_CHECKING, Any

import gradio as gr

from ....judges import bundled
from ....judges.trust.cards import cards_at_hand
from ....messages import known, message
from ....report.blocks import Block, Bullets, Caveat, Listing, Paragraph, Section
from ...widget import card
from ..cards import card_section, cards_here, plain
from ..pages import answered, written
from ..texts import label, language_of

if TYPE_CHECKING:
    from .. import Space

PRIVATE: dict[str, Any] = {"api_visibility": "private", "queue": False}


def build(space: "Space") -> None:
    """Draws the tab and names its endpoint."""

    def shown(request: gr.Request) -> str:
        language = language_of(request)
        with answered(language) as page:
            page.html = written(blocks(space), language)
        return page.html

    def judges_api() -> dict[str, Any]:
        """Tells the judges of this Space and the cards that are known, those of others too."""
        judges = map(space.judges.get, space.judges.names)
        return {
            "judges": [
                {
                    "name": judge.name,
                    "small_bundled_judge": judge.is_bundled,
                    "rubric": judge.rubric.name,
                    "criteria": list(judge.criteria),
                    "categories": list(judge.rubric.categories),
                }
                for judge in judges
            ],
            "cards": list(map(plain, cards_at_hand().cards)),
        }

    result = gr.HTML(elem_id="judges-result")
    again = gr.Button(label("Look again"), size="sm", elem_id="judges-refresh")
    readme = bundled.path() / "README.md"
    if bundled.NAME in space.judges.names and readme.is_file():
        title = label("Model card of the small bundled judge (in English)")
        with gr.Accordion(title, open=False, elem_id="judges-model-card"):
            gr.Markdown(card(readme))
    gr.on(None, shown, None, result, **PRIVATE)
    again.click(shown, None, result, **PRIVATE)
    gr.api(judges_api, api_name="judges", queue=False)


def blocks(space: "Space") -> list[Block]:
    """The judges and their cards, or how to make one where there is none."""
    shelf = cards_at_hand()
    cards = cards_here(shelf, space.judges)
    counts = {name: sum(name in names for _, names in cards) for name in space.judges.names}
    offered = []
    for name, n in counts.items():
        bundled_here = space.judges.get(name).is_bundled
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
    return page + [card_section(card, here=bool(names)) for card, names in cards]
