"""The part of the tab *Score* for one answer, and the endpoint `/score_answer`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gradio as gr

from ...format import count
from ...languages import language_name
from ...messages import LANGUAGES, Language, known, message, translate
from .. import limits
from ..examples import EXAMPLES, Example
from ..language import AUTO
from ..pages import answered, api_errors, notice
from ..scoring import as_text, plain, score_answer
from ..texts import label, language_of
from ..verdict import references
from ..views import answer_page, category_title

if TYPE_CHECKING:
    from ..served import Judges, ServedJudge

_OTHER = "other"


def build(judges: "Judges") -> None:
    """Draws the tab and names its endpoint."""
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            question = gr.Textbox(
                label=label("Question"),
                placeholder=label("The question or instruction that the model was given"),
                lines=2,
                max_lines=8,
                elem_id="answer-question",
            )
            answer = gr.Textbox(
                label=label("What the model answered"),
                placeholder=label("Paste the answer here, then press Ctrl + Enter"),
                lines=6,
                max_lines=16,
                elem_id="answer-answer",
            )
            button = gr.Button(
                label("Score this answer"), variant="primary", size="lg", elem_id="answer-button"
            )
            gr.Markdown(
                label(
                    "No answer at hand? Click an example. The first four were chosen because the "
                    "small bundled judge reads them rightly; at the last it errs."
                ),
                elem_classes="quiet",
            )
            with gr.Row(elem_id="answer-examples"):
                chips = [
                    gr.Button(label(example.title), size="sm", min_width=120)
                    for example in EXAMPLES
                ]
            language, category, judge = _choices(judges)
            gr.Markdown(
                label(
                    "Up to 4,000 characters of question and 16,000 of answer. Nothing you enter "
                    "is kept."
                ),
                elem_classes="quiet",
            )
        with gr.Column(scale=6, min_width=320):
            result = gr.HTML(elem_id="answer-result", elem_classes="live")

    def scored_page(  # noqa: PLR0917 - gradio hands over by place
        question: str, answer: str, category: str, language: str, judge: str, request: gr.Request
    ) -> Iterator[str]:
        spoken = language_of(request)
        scored, shares = None, []
        with answered(spoken) as page:
            texts = []
            for text, most in ((question, limits.MAX_QUESTION), (answer, limits.MAX_ANSWER)):
                texts.append(as_text(text)[:most])
                if len(as_text(text)) > most:
                    share = message(
                        "{n} of {all} characters were read.", n=count(most), all=count(len(text))
                    )
                    shares.append(share)
            scored = score_answer(
                judges.get(judge),
                *texts,
                category=category or "",
                # no judge is made for it, so that one with a list of languages leaves it unscored
                language="und" if language == _OTHER else language,
            )
            page.html = answer_page(scored, spoken, shares=shares)
        yield page.html
        if scored is not None:
            # the verdict does not wait for what stands beside it
            others = references(scored.judge, scored.language)
            yield answer_page(scored, spoken, shares=shares, others=others)

    def waiting(request: gr.Request) -> str:
        return notice("waiting", message("The verdict will stand here."), language_of(request))

    def categories(judge: str, request: gr.Request) -> Any:
        return gr.update(**_categories(judges.get(judge), language_of(request)))

    def fill(example: Example) -> Any:
        def filled(request: gr.Request) -> tuple[str, str]:
            language = language_of(request)
            return translate(example.question, language), translate(example.answer, language)

        return filled

    inputs = [question, answer, category, language, judge]
    gr.on(
        # Ctrl + Enter in a box of several lines reaches the button by a script of the page
        [button.click, question.submit, answer.submit],
        scored_page,
        inputs,
        result,
        trigger_mode="once",
        **limits.at_once("answer"),
    )
    for chip, example in zip(chips, EXAMPLES, strict=True):
        chip.click(fill(example), None, [question, answer], queue=False).then(
            scored_page, inputs, result, **limits.at_once("answer")
        )

    judge.change(categories, judge, category, queue=False)
    gr.on(None, waiting, None, result, queue=False)
    _endpoint(judges)


def judge_choice(judges: "Judges", **look: Any) -> Any:
    """A menu of the judges of the Space."""
    choices = [
        (label("small bundled judge") if judges.get(name).is_bundled else name, name)
        for name in judges.names
    ]
    return gr.Dropdown(choices=choices, value=judges.names[0], label=label("Judge"), **look)


def _choices(judges: "Judges") -> tuple[Any, Any, Any]:
    """The menus of languages, categories and judges."""
    languages: dict[str, str] = {
        AUTO: message("Find out"),
        **{code: known(language_name(code)) for code in LANGUAGES},
        _OTHER: message("another"),
    }
    with gr.Accordion(
        label("Language, kind of risk, judge"), open=len(judges.names) > 1, elem_id="answer-more"
    ):
        language = gr.Dropdown(
            choices=[(label(name), code) for code, name in languages.items()],
            value=AUTO,
            label=label("Language"),
            elem_id="answer-language",
        )
        category = gr.Dropdown(
            label=label("Kind of risk"),
            elem_id="answer-category",
            **_categories(judges.default, "en"),
        )
        return language, category, judge_choice(judges, elem_id="answer-judge")


def _categories(judge: "ServedJudge", language: Language) -> dict[str, Any]:
    """The rubric's categories to choose from, the general one last; none where it has none."""
    categories = judge.rubric.categories.items()
    choices = [(category_title(titles, language), slug) for slug, titles in categories]
    value = choices[-1][1] if choices else None
    return {"choices": choices, "value": value, "visible": bool(choices)}


def _endpoint(judges: "Judges") -> None:
    def score_api(
        question: str,
        answer: str,
        category: str = "",
        language: str = AUTO,
        judge: str = "",
    ) -> dict[str, Any]:
        """Scores one answer: the distribution of every criterion, and the score."""
        with api_errors():
            return plain(
                score_answer(
                    judges.get(as_text(judge)),
                    as_text(question),
                    as_text(answer),
                    category=as_text(category),
                    language=as_text(language),
                )
            )

    gr.api(score_api, api_name="score_answer", **limits.at_once("answer"))
