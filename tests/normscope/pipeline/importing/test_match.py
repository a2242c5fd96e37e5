"""Rows of recorded answers matched with prompts: by id, factors or words, long or wide."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from normscope.pipeline.importing.columns import layout_of
from normscope.pipeline.importing.keys import (
    AMBIGUOUS,
    CONTRADICTORY,
    ITEM,
    NO_VARIANT,
    PROMPT,
)
from normscope.pipeline.importing.raw import RawAnswers

from normscope.datasets_builders.taxonomy import LIKERT
from normscope.pipeline.importing.match import Matched, matched
from normscope.pipeline.importing.target import Target
from normscope.records.config import RunConfig

FACTORS = ("sender", "attribute", "recipient")


@cache
def target() -> Target:
    return Target.of(RunConfig(benchmark=("ci-vignettes:coppa_null",)))


def raw(rows: Sequence[Mapping[str, Any]]) -> RawAnswers:
    place = [f"row {number}" for number in range(1, len(rows) + 1)]
    return RawAnswers("a table", pa.Table.from_pylist(list(rows)), pa.array(place))


def match(rows: Sequence[Mapping[str, Any]], of: Target | None = None, **more: str) -> Matched:
    file = raw(rows)
    layout = layout_of(file, of or target(), {})
    return matched(file, layout, of or target(), model="m", **more)


def keyed(result: Matched) -> dict[tuple[str, str], str | None]:
    names = ("item_id", "variant_id", "answer")
    columns = (result.answers[name].to_pylist() for name in names)
    return {(item, variant): answer for item, variant, answer in zip(*columns, strict=True)}


ITEMS = st.sampled_from(target().ids.to_pylist()[:5])
ANSWERS = st.dictionaries(
    st.tuples(ITEMS, st.sampled_from(["0", "3", "10"])), st.sampled_from(LIKERT), min_size=1
)


@settings(max_examples=30, deadline=None)
@given(answers=ANSWERS)
def test_a_table_is_the_same_long_or_wide(answers: dict[tuple[str, str], str]) -> None:
    long = [{"item_id": i, "variant_id": v, "answer": a} for (i, v), a in answers.items()]
    items, variants = ({key[at]: None for key in answers} for at in (0, 1))
    wide = [
        # a column of its own that nothing was answered in: that prompt was not asked
        {"item_id": i, "v7": "", **{f"v{v}": answers.get((i, v), "") for v in variants}}
        for i in items
    ]
    assert keyed(match(long)) == answers
    result = match(wide)
    assert result.empty == ("v7",)
    # in a column that was asked an empty cell is no valid answer
    assert {key: a for key, a in keyed(result).items() if a is not None} == answers
    assert len(result.answers) == len(items) * len(variants)


@settings(max_examples=30, deadline=None)
@given(answers=ANSWERS, data=st.data())
def test_factors_name_the_item_that_its_id_names(
    answers: dict[tuple[str, str], str], data: st.DataObject
) -> None:
    flows = {row["item_id"]: row for row in target().factors.to_pylist()}
    spelt = data.draw(st.sampled_from([str.upper, str.title, lambda level: f" {level} "]))
    rows = [
        {**{n: spelt(flows[i][n]) for n in FACTORS}, "variant_id": v, "answer": a}
        for (i, v), a in answers.items()
    ]
    assert keyed(match(rows)) == answers


@settings(max_examples=30, deadline=None)
@given(
    values=st.lists(
        st.tuples(st.sampled_from([-2, -1, 0, 1, 2]), st.sampled_from(["", "+", "."])), min_size=1
    )
)
def test_a_degree_is_its_label_however_it_is_written(values: list[tuple[int, str]]) -> None:
    def spelt(value: int, how: str) -> str:
        if how == "+" and value > 0:
            return f"+{value}"
        return f"{value}.0" if how == "." else str(value).replace("-", "−")

    ids = target().ids.to_pylist()[: len(values)]
    rows = [{"item_id": i, "answer": spelt(*value)} for i, value in zip(ids, values, strict=False)]
    expected = [LIKERT[value + 2] for value, _ in values[: len(ids)]]
    assert match(rows, variant="0").answers["answer"].to_pylist() == expected


def test_numbers_among_words_are_the_models_own_words() -> None:
    ids = target().ids.to_pylist()
    rows = [{"item_id": ids[0], "answer": "1"}, {"item_id": ids[1], "answer": "neutral"}]
    assert match(rows, variant="0").answers["answer"].to_pylist() == ["1", "neutral"]


QUESTION = target().questions.to_pylist()[0]
UNMATCHED: dict[str, tuple[dict[str, Any], str | None]] = {
    "the prompt": ({"prompt": QUESTION["question"]}, None),
    "the prompt and its id": (
        {"prompt": QUESTION["question"], "item_id": QUESTION["item_id"]},
        None,
    ),
    "a prompt in other words": ({"prompt": "How do you do?"}, PROMPT),
    "a prompt in other words, and an id": (
        {"prompt": "How do you do?", "item_id": QUESTION["item_id"], "variant_id": "0"},
        None,
    ),
    "a prompt in other words, an id and no variant": (
        {"prompt": "How do you do?", "item_id": QUESTION["item_id"], "variant_id": None},
        NO_VARIANT,
    ),
    "a prompt and the id of another": (
        {"prompt": QUESTION["question"], "item_id": target().ids[1].as_py()},
        CONTRADICTORY,
    ),
    "an id that is none": ({"item_id": "x", "variant_id": "0"}, ITEM),
}


@pytest.mark.parametrize("name", UNMATCHED)
def test_what_matches_no_prompt_is_kept_with_why(name: str) -> None:
    row, why = UNMATCHED[name]
    result = match([{**row, "answer": "neutral"}])
    assert result.unmatched["why"].to_pylist() == ([] if why is None else [why])
    assert len(result.answers) == (why is None)


def test_a_text_that_several_items_ask_names_none_of_them() -> None:
    twice = target().questions.slice(0, 1)
    of = Target.of(RunConfig(benchmark=("ci-vignettes:coppa_null",)))
    # as two items of a benchmark that happen to ask the same
    of.__dict__["questions"] = pa.concat_tables([target().questions, twice])
    result = match([{"prompt": QUESTION["question"], "answer": "neutral"}], of)
    assert result.unmatched["why"].to_pylist() == [AMBIGUOUS]
    assert not len(result.answers)
