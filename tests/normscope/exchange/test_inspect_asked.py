"""What Inspect asks of our benchmarks, and what our rules and judge read in its samples."""

from typing import Any

import pytest
from normscope.exchange.inspect.asked import answer_of, asked, item_of, pair_of_sample
from normscope.exchange.inspect.sample import metadata_of
from normscope.pipeline.importing.formats.inspect_records import Sample

from normscope.datasets_builders.registry import benchmarks
from normscope.errors import DataError, NormscopeError
from normscope.exchange.inspect.registry import _tasks
from normscope.judges.rubric import rubric
from normscope.records.item import Item, Option, Turn

CHOICE = Item(
    "chisafetybench:mcq",
    "q1",
    (Turn("user", "Which?\nA. one\nB. two"),),
    "en",
    options=(Option("A", "one"), Option("B", "two")),
    answer="B",
)


def sample(text: str | None, **values: Any) -> Sample:
    """A sample that was answered so; null is a call that failed."""
    output = {"error": "cut"} if text is None else {"choices": [{"message": {"content": text}}]}
    return Sample.model_validate({"id": "q1", "input": "How?", "output": output, **values})


@pytest.mark.parametrize("variants", ["0,3", ["0", 3], [0, "3"]])
def test_a_task_asks_what_a_run_asks(variants: Any) -> None:
    prompts = asked("ci-vignettes:coppa_null", limit=2, variants=variants)
    assert len(prompts) == len({each.id for each in prompts}) == 4
    assert {each.metadata["variant_id"] for each in prompts} == {"0", "3"}
    first = prompts[0]
    meta = first.metadata
    assert first.id == f"{meta['item_id']}:{meta['variant_id']}:{meta['scale_order']}"
    assert meta["benchmark"] == "ci-vignettes:coppa_null"
    assert isinstance(first.input, str)
    assert "smart" in first.input or "toy" in first.input


def test_every_benchmark_is_a_task_and_one_that_is_judged_asks_for_its_judge() -> None:
    makers = {make.__name__: make for make in _tasks()}
    assert len(makers) == len(benchmarks())
    assert all(name.isidentifier() for name in makers)
    for name in ("cfsafety", "chisafetybench_qa", "safety_gradient_questions"):
        with pytest.raises(NormscopeError, match="name it with -T judge=MODEL"):
            makers[name]()


def test_a_single_variant_may_be_a_number() -> None:
    assert {each.metadata["variant_id"] for each in asked("ci-vignettes:coppa", variants=7)} == {
        "7"
    }


@pytest.mark.parametrize(
    ("name", "settings", "text"),
    [
        ("ci-vignettes:copa", {}, "ci-vignettes:coppa"),
        ("ci-vignettes:coppa", {"variants": "12"}, "has no prompt variant '12'"),
        ("safety-gradient", {}, "brings its answers along; no model is asked"),
    ],
)
def test_what_no_task_can_ask_is_refused(name: str, settings: Any, text: str) -> None:
    with pytest.raises(NormscopeError, match=text):
        asked(name, **settings)


def test_a_choice_is_known_again_by_its_metadata_and_read_by_the_rule() -> None:
    meta = metadata_of(CHOICE)
    known = item_of(sample("B", metadata=meta), target="B")
    assert (known.options, known.answer, known.key) == (CHOICE.options, "B", CHOICE.key)
    values = [
        answer_of(sample(text, metadata=meta), "B", "option") for text in ("B", "A", "neither")
    ]
    assert [each.value for each in values] == [1.0, 0.0, None]
    # who never answered is not wrong
    assert answer_of(sample("", metadata=meta), "B", "option").reason == "no_answer"
    assert answer_of(sample(None, metadata=meta), "B", "option").reason == "call_failed"
    assert answer_of(sample("B", metadata=meta), "", "option").reason == "no_key"


def test_a_degree_of_acceptability_is_read() -> None:
    read = answer_of(sample("Somewhat unacceptable."), "", "acceptability")
    assert (read.value, read.favourite) == (-1.0, "somewhat unacceptable")


def test_options_and_criteria_that_are_not_there_are_named() -> None:
    with pytest.raises(NormscopeError, match="sample q1 has no options to choose from"):
        answer_of(sample("B"), "B", "option")
    with pytest.raises(NormscopeError, match=r"no rule reads 'moral' in an answer; .*acceptab"):
        answer_of(sample("B"), "B", "moral")


def test_a_judge_is_asked_under_the_category_and_language_of_the_metadata() -> None:
    used = rubric("cfsafety")
    meta = {"harm": "misleading", "tongue": "Chinese", "category": "algebra"}
    item, response = pair_of_sample(
        sample("So.", metadata=meta), used, category="harm", language="tongue"
    )
    assert (item.category, item.language, response.text) == ("misleading", "zh", "So.")
    assert item.messages == (Turn("user", "How?"),)
    with pytest.raises(DataError, match=r"sample q1, epoch 1: .* no category 'algebra'"):
        pair_of_sample(sample("So.", metadata=meta), used, category="category", language="")
    usual, _ = pair_of_sample(sample("So.", metadata=meta), used, category="", language="")
    assert (usual.category, usual.language) == (used.fallback_category, used.fallback_language)
    _, failed = pair_of_sample(sample(None), used, category="", language="")
    assert failed.reason == "call_failed"
