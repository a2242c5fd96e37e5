"""The tab *Score an answer*, and the endpoint `/score_answer`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....errors import NormscopeError
from .. import limits
from ..language import AUTO
from ..pages import answered, api_error, fragment
from ..scoring import as_text, plain, score_answer
from ..views import category_title, criterion_views, facts, verdict
from ..words import LANGUAGES, Language, language_of

if TYPE_CHECKING:
    from .. import Space
    from ..judge import ServedJudge

EXAMPLES = ("refuse", "comply", "plain", "bread")
_OTHER = "other"


def build(space: "Space") -> None:
    """Draws the tab and names its endpoint."""
    import gradio as gr

    words, judges = space.words, space.judges

    def scored_page(  # noqa: PLR0917 - gradio hands over by place
        question: str, answer: str, category: str, language: str, judge: str, request: gr.Request
    ) -> str:
        told = language_of(request)
        with answered(words, told) as page, space.turns.turn("answer", limits.user_of(request)):
            page.html = page_of(
                space,
                told,
                question=question,
                answer=answer,
                category=category,
                language=language,
                judge=judge,
            )
        return page.html

    def score_api(  # noqa: PLR0917 - gradio hands over by place
        question: str,
        answer: str,
        category: str = "",
        language: str = AUTO,
        judge: str = "",
        request: gr.Request = None,
    ) -> dict[str, Any]:
        """Scores one answer: the distribution of every criterion, and the score."""
        try:
            with space.turns.turn("answer", limits.user_of(request)):
                asked, said, kind, spoken, who = map(
                    as_text, (question, answer, category, language, judge)
                )
                return plain(
                    score_answer(judges.get(who), asked, said, category=kind, language=spoken)
                )
        except NormscopeError as error:
            raise api_error(error) from error

    def waiting(request: gr.Request) -> str:
        told = language_of(request)
        return fragment("waiting", words, told, text=words.say("answer_waiting", told))

    def kinds(judge: str, request: gr.Request) -> Any:
        choices = _kinds(judges.get(judge), language_of(request))
        value = choices[-1][1] if choices else None
        return gr.update(choices=choices, value=value, visible=bool(choices))

    def example(name: str) -> Any:
        def fill(request: gr.Request) -> tuple[str, str]:
            told = language_of(request)
            asked = (words.say(f"examples_{name}_{part}", told) for part in ("question", "answer"))
            return next(asked), next(asked)

        return fill

    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            question = gr.Textbox(
                label=words.of("answer_question"),
                placeholder=words.of("answer_question_hint"),
                lines=2,
                max_lines=8,
                max_length=limits.MAX_QUESTION,
                elem_id="answer-question",
            )
            answer = gr.Textbox(
                label=words.of("answer_answer"),
                placeholder=words.of("answer_answer_hint"),
                lines=6,
                max_lines=16,
                max_length=limits.MAX_ANSWER,
                elem_id="answer-answer",
            )
            button = gr.Button(
                words.of("answer_button"), variant="primary", size="lg", elem_id="answer-button"
            )
            gr.Markdown(words.of("answer_examples"), elem_classes="quiet")
            with gr.Row(elem_id="answer-examples"):
                chips = [
                    gr.Button(words.of(f"examples_{name}"), size="sm", min_width=120)
                    for name in EXAMPLES
                ]
            with gr.Accordion(words.of("answer_more"), open=False, elem_id="answer-more"):
                choices = _kinds(judges.default, "en")
                language = gr.Dropdown(
                    choices=[
                        (words.of(f"answer_language_{code}"), code)
                        for code in (AUTO, *LANGUAGES, _OTHER)
                    ],
                    value=AUTO,
                    label=words.of("answer_language"),
                    elem_id="answer-language",
                )
                category = gr.Dropdown(
                    choices=choices,
                    value=choices[-1][1] if choices else None,
                    label=words.of("answer_category"),
                    visible=bool(choices),
                    elem_id="answer-category",
                )
                judge = gr.Dropdown(
                    choices=_judges(space),
                    value=judges.names[0],
                    label=words.of("answer_judge"),
                    elem_id="answer-judge",
                )
            gr.Markdown(words.of("answer_limits"), elem_classes="quiet")
        with gr.Column(scale=6, min_width=320):
            result = gr.HTML(elem_id="answer-result", elem_classes="live")

    inputs = [question, answer, category, language, judge]
    shared = {"concurrency_limit": limits.AT_ONCE["answer"], "concurrency_id": "answer"}
    gr.on(
        [button.click, question.submit, answer.submit],
        scored_page,
        inputs,
        result,
        api_visibility="private",
        trigger_mode="once",
        **shared,
    )
    for chip, name in zip(chips, EXAMPLES, strict=True):
        chip.click(
            example(name), None, [question, answer], api_visibility="private", queue=False
        ).then(scored_page, inputs, result, api_visibility="private", **shared)
    judge.change(kinds, judge, category, api_visibility="private", queue=False)
    gr.on(None, waiting, None, result, api_visibility="private", queue=False)
    gr.api(score_api, api_name="score_answer", **shared)


def page_of(
    space: "Space",
    told: Language,
    *,
    question: str,
    answer: str,
    category: str,
    language: str,
    judge: str,
) -> str:
    """The verdict on the answer as HTML."""
    scored = score_answer(
        space.judges.get(judge),
        as_text(question),
        as_text(answer),
        category=category or "",
        language="und" if language == _OTHER else language,
    )
    return fragment(
        "answer",
        space.words,
        told,
        scored=scored,
        score=scored.score,
        moral=scored.value("moral"),
        rating=scored.value("rating"),
        verdict=verdict(scored, told),
        views=tuple(criterion_views(scored, space.words, told)),
        facts=facts(scored, space.words, told),
    )


def _kinds(judge: "ServedJudge", language: Language) -> list[tuple[str, str]]:
    """The rubric's categories to choose from, the general one last; none where it has none."""
    used = judge.rubric
    return [(category_title(kind, language), slug) for slug, kind in used.categories.items()]


def _judges(space: "Space") -> list[tuple[Any, str]]:
    return list(_named_judges(space))


def _named_judges(space: "Space") -> Iterator[tuple[Any, str]]:
    for name in space.judges.names:
        small = space.judges.get(name).is_bundled
        yield (space.words.of("common_small_judge") if small else name, name)
