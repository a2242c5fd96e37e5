"""What Inspect asks of our benchmarks, and what our rules and judge read in its samples."""

from typing import Any

import pytest

from normscope.builders.registry import benchmarks
from normscope.errors import DataError, NormscopeError
from normscope.exchange.inspect.registry import (
    Answer,
    _task_of,
    judged_pair,
    metadata_of,
    prompts_of,
    read_answer,
    scores_of,
)
from normscope.judges.rubric_files import rubric
from normscope.reasons import Reason
from normscope.records.item import Item, Option, Turn
from normscope.records.judgement import Judgement, Source
from normscope.records.response import ResponseKey

CHOICE = Item(
    "chisafetybench:mcq",
    "q1",
    (Turn("user", "Which?\nA. one\nB. two"),),
    "en",
    options=(Option("A", "one"), Option("B", "two")),
    answer="B",
)


def answered(text: str | None, **metadata: Any) -> Answer:
    """A sample that was answered so; null is a call that failed."""
    failed = "cut" if text is None else None
    return Answer("q1, epoch 1", (Turn("user", "How?"),), text, failed, metadata)


@pytest.mark.parametrize("variants", ["0,3", ["0", 3]])
def test_a_task_asks_what_a_run_asks(variants: Any) -> None:
    prompts = prompts_of("ci-vignettes:coppa_null", limit=2, variants=variants)
    assert len(prompts) == len({each["id"] for each in prompts}) == 4
    assert {each["metadata"]["variant_id"] for each in prompts} == {"0", "3"}
    meta = prompts[0]["metadata"]
    assert prompts[0]["id"] == f"{meta['item_id']}:{meta['variant_id']}:{meta['scale_order']}"
    assert [turn["role"] for turn in prompts[0]["input"]] == ["user"]


def test_every_benchmark_is_a_task_and_one_that_is_judged_asks_for_its_judge() -> None:
    makers = {make.__name__: make for make in map(_task_of, benchmarks())}
    assert len(makers) == len(benchmarks())
    assert all(name.isidentifier() for name in makers)
    for name in ("cfsafety", "chisafetybench_qa", "safety_gradient_questions"):
        with pytest.raises(NormscopeError, match="name it with -T judge=MODEL"):
            makers[name]()
    with pytest.raises(NormscopeError, match="brings its answers along"):
        prompts_of("safety-gradient")


def test_a_choice_is_known_again_by_its_metadata_and_read_by_the_rule() -> None:
    meta = metadata_of(CHOICE)
    read = [read_answer(answered(text, **meta), "B", "option") for text in ("B", "A", "neither")]
    assert [each.value for each in read] == [1.0, 0.0, None]
    # who never answered is not wrong
    assert read_answer(answered("", **meta), "B", "option").reason == "no_answer"
    assert read_answer(answered(None, **meta), "B", "option").reason == "call_failed"
    assert read_answer(answered("B", **meta), "", "option").reason == "no_key"
    degree = read_answer(answered("Somewhat unacceptable."), "", "acceptability")
    assert (degree.value, degree.favourite) == (-1.0, "somewhat unacceptable")
    with pytest.raises(NormscopeError, match="sample q1, epoch 1 has no options"):
        read_answer(answered("B"), "B", "option")
    with pytest.raises(NormscopeError, match=r"no rule reads 'moral' in an answer; .*acceptab"):
        read_answer(answered("B"), "B", "moral")


def test_a_judge_is_asked_under_the_category_and_language_of_the_metadata() -> None:
    used = rubric("cfsafety")
    sample = answered("So.", harm="misleading", tongue="Chinese", category="algebra")
    item, response = judged_pair(sample, used, category="harm", language="tongue")
    assert (item.category, item.language, response.text) == ("misleading", "zh", "So.")
    assert item.messages == (Turn("user", "How?"),)
    with pytest.raises(DataError, match=r"sample q1, epoch 1: .* no category 'algebra'"):
        judged_pair(sample, used, category="category", language="")
    _, failed = judged_pair(answered(None), used, category="", language="")
    assert failed.reason == "call_failed"


def test_a_score_has_the_distribution_and_says_what_is_unscored() -> None:
    key = ResponseKey("b", "1")
    rating = tuple(map(str, range(1, 6)))
    moral = Judgement(
        key, "moral", Source.JUDGE_LOGITS, ("0", "1"), probs=(0.25, 0.75), value=0.75, coverage=0.9
    )
    absent = Judgement(key, "rating", Source.JUDGE_LOGITS, rating, reason=Reason.LOW_COVERAGE)
    scores = scores_of([moral, absent])
    assert scores["moral"].metadata["distribution"] == {"0": 0.25, "1": 0.75}
    for name in ("rating", "score"):
        assert scores[name].value != scores[name].value
        assert scores[name].explanation == "unscored: low_coverage"
