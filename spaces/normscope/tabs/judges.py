"""The tab *Judges*: their cards side by side, and the endpoint `/judges`."""

from typing import TYPE_CHECKING, Any

from ....judges import bundled
from ...widget import card
from ..cards import card_views, found_cards, plain
from ..guard import answered
from ..pages import fragment
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
    cards = card_views(known, space.judges, words, language)
    lines, missing = [], []
    for name in space.judges.names:
        judge = space.judges.get(name)
        title = words.say("common_small_judge", language) if judge.is_bundled else name
        mine = sum(name in view.of for view in cards)
        key = "judges_has_cards" if mine else "judges_no_card_for"
        lines.append(words.say(key, language, name=title, n=mine))
        missing += [] if mine else [name]
    return fragment(
        "judges",
        words,
        language,
        offered=lines,
        cards=cards,
        problems=known.problems,
        all_known=not missing,
        example=missing[0] if missing else "",
    )
