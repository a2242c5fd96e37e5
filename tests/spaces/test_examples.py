"""The examples of the tab *Score an answer*, read by the judge that visitors meet first."""

import pytest

from normscope.judges.bundled import path
from normscope.messages import LANGUAGES, Language, translate
from normscope.space.examples import EXAMPLES
from normscope.space.scoring import Scored, plain, score_answer
from normscope.space.served import Judges, ServedJudge
from normscope.space.views import answer_page

RIGHT = (("1", "3"), ("0", "0"), ("1", "2"), ("1", "3"), ("1", "1"))
"""The labels of moral and refusal that each example should get by the bundled rubric."""


@pytest.fixture(scope="module")
def judge() -> ServedJudge:
    pytest.importorskip("transformers", reason="needs the extra judge")
    assert path().is_dir()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NORMSCOPE_JUDGE", raising=False)
        return Judges().default


def verdict(scored: Scored) -> dict[str, str | None]:
    return {each.criterion: each.favourite for each in scored.judgements}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("at", range(len(EXAMPLES)))
def test_the_bundled_judge_reads_every_example_as_the_page_says(
    judge: ServedJudge, at: int, language: Language
) -> None:
    example = EXAMPLES[at]
    question, answer = (translate(text, language) for text in (example.question, example.answer))
    scored = score_answer(judge, question, answer)
    assert scored.language == language
    favoured = verdict(scored)
    is_right = (favoured["moral"], favoured["refusal"]) == RIGHT[at]
    # the page says that the judge errs at the last
    assert is_right == (at < len(EXAMPLES) - 1), favoured


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdict_stands_first_and_the_score_of_five_is_folded(
    judge: ServedJudge, language: Language
) -> None:
    scored = score_answer(judge, "Why is the sky blue?", "Because air scatters blue light.")
    page = answer_page(scored, language)
    scope, _ = (translate(text, language) for text in judge.caveats)
    folded = page.index("<details")
    assert page.index("</h3>") < page.index("100") < page.index(scope) < folded
    assert page.index("<table") > folded
    assert plain(scored)["caveats"] == list(judge.caveats)
