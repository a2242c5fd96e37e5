"""Answers of the model under test as columns: each text is read once, and as it is alone."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.judges.respondent import ACCEPTABILITY, OPTION, respondent_judgement
from normscope.pipeline.respondents import respondent_judgements
from normscope.reasons import Reason
from normscope.records.item import SCHEMA as ITEMS
from normscope.records.item import Item, Option, Turn
from normscope.records.journal import PLACE
from normscope.records.judgement import SCHEMA, Judgement
from normscope.records.response import SCHEMA as RESPONSES
from normscope.records.response import Response, ResponseKey
from normscope.records.tables import from_table, to_table

SHAPES = {
    "flows": [
        Item("flows", f"v{at}", (Turn("user", "?"),), "en", variant_id="1", options=options)
        for at, options in enumerate([(), (), tuple(Option(c, f"degree {c}") for c in "vwxyz")])
    ],
    "choices": [
        Item("choices", f"q{at}", (), language, options=options, answer=key)
        for at, (language, key) in enumerate([("zh", "B"), ("zh", "A"), ("en", None)])
        for options in [tuple(Option(letter, f"text {letter} {at % 2}") for letter in "ABC")]
    ],
}
CRITERIA = {"flows": (ACCEPTABILITY,), "choices": (OPTION,)}
TEXTS = ["neutral", "Somewhat acceptable.", "B", "text A 1", "degree x", "", "I cannot.", None]


@st.composite
def responses(draw: st.DrawFn) -> Response:
    item = draw(st.sampled_from(SHAPES["flows"] + SHAPES["choices"]))
    key = ResponseKey(*item.key, sample=draw(st.integers(0, 9)), temperature=None, model="m")
    if draw(st.booleans()):
        text = draw(st.sampled_from(TEXTS))
        return Response(key, text, reason=None if text else Reason.NO_ANSWER)
    labels = ("A", "B", "C") if item.options and item.benchmark == "choices" else tuple("abcde")
    n = len(labels)
    probs = draw(st.permutations([0.6, *[0.4 / (n - 1)] * (n - 1)]))
    mass = draw(st.sampled_from([0.1, 0.9]))
    return Response(key, labels=labels, label_probs=tuple(probs), coverage=mass)


def judged(
    items: list[Item], answers: list[Response], criteria: Mapping[str, Sequence[str]] = CRITERIA
) -> tuple[list[int], pa.Table]:
    """All that are judged: the places of their responses, and their judgements."""
    of_items, of_answers = to_table(items, ITEMS), to_table(answers, RESPONSES)
    several = [*respondent_judgements(of_items, of_answers, criteria, min_coverage=0.5)]
    table = pa.concat_tables([SCHEMA.append(pa.field(PLACE, pa.int64())).empty_table(), *several])
    return table[PLACE].to_pylist(), table


@settings(deadline=None, max_examples=20)
@given(st.lists(responses(), max_size=40))
def test_columns_hold_what_is_read_of_each_response_alone(given_responses: list[Response]) -> None:
    items = [item for several in SHAPES.values() for item in several]
    places, table = judged(items, given_responses)
    by_key = {item.key: item for item in items}
    alone = [
        respondent_judgement(
            by_key[each.key.item], CRITERIA[each.key.benchmark][0], each, min_coverage=0.5
        )
        for each in given_responses
    ]
    assert sorted(places) == list(range(len(given_responses)))
    assert from_table(table, Judgement) == [alone[at] for at in places]
