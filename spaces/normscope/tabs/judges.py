"""The tab *Judges*: their cards side by side, and the endpoint `/judges`."""

from typing import TYPE_CHECKING, Any

from ....judges import bundled
from ....messages import translate
from ....report.blocks import Block, Bullets, Caveat, Listing, Paragraph, Section
from ...widget import card
from ..cards import card_section, cards_here, found_cards, plain
from ..pages import answered, written
from ..words import Language, language_of

if TYPE_CHECKING:
    from .. import Space


def build(space: "Space") -> None:
    """Draws the tab and names its endpoint."""
    import gradio as gr

    words = space.words

    def shown(request: gr.Request) -> str:
        told = language_of(request)
        with answered(words, told) as page:
            page.html = page_of(space, told)
        return page.html

    def judges_api() -> dict[str, Any]:
        """Tells the judges of this Space and the cards that are known, those of others too."""
        return {
            "judges": [
                {
                    "name": name,
                    "small_bundled_judge": space.judges.get(name).is_bundled,
                    "rubric": space.judges.get(name).rubric.name,
                    "criteria": list(space.judges.get(name).criteria),
                    "categories": list(space.judges.get(name).rubric.categories),
                }
                for name in space.judges.names
            ],
            "cards": [plain(each) for each in found_cards().cards],
        }

    result = gr.HTML(elem_id="judges-result")
    again = gr.Button(words.of("judges_refresh"), size="sm", elem_id="judges-refresh")
    readme = bundled.path() / "README.md"
    if "bundled" in space.judges.names and readme.is_file():
        with gr.Accordion(words.of("judges_model_card"), open=False, elem_id="judges-model-card"):
            gr.Markdown(card(readme))
    gr.on(None, shown, None, result, api_visibility="private", queue=False)
    again.click(shown, None, result, api_visibility="private", queue=False)
    gr.api(judges_api, api_name="judges", queue=False)


def page_of(space: "Space", language: Language) -> str:
    """The cards as HTML, or how to make one where there is none."""
    words, known = space.words, found_cards()

    def say(key: str, /, **slots: object) -> str:
        return words.say(key, language, **slots)

    cards = cards_here(known, space.judges)
    count = {name: sum(name in names for _, names in cards) for name in space.judges.names}
    offered = tuple(
        say(
            "judges_has_cards" if n else "judges_no_card_for",
            name=say("common_small_judge") if space.judges.get(name).is_bundled else name,
            n=n,
        )
        for name, n in count.items()
    )
    blocks: list[Block] = [
        Paragraph(say("judges_lead"), note=True),
        Section(say("judges_offered"), (Bullets(offered),)),
        *(
            Caveat(say("judges_problem", told=translate(problem, language)))
            for problem in known.problems
        ),
    ]
    if not cards:
        blocks.append(Caveat(say("judges_none"), warns=True))
    if missing := [name for name, n in count.items() if not n]:
        command = (
            f"normscope validate --judge {missing[0]} --labels-set do-not-answer --source SOURCES "
            "--out cards\nNORMSCOPE_CARDS=cards normscope serve"
        )
        blocks += [Paragraph(say("judges_make")), Listing(command, command=True)]
    blocks += [card_section(card, words, language, here=bool(names)) for card, names in cards]
    return written(blocks, language)
