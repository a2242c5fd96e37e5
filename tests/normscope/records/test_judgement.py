"""Responses and judgements: what is written, to a table or as JSON, is what is read."""

from normscope.reasons import Reason
from normscope.records import judgement, response
from normscope.records.judgement import Judgement, RawToken, Source
from normscope.records.response import Response, ResponseKey

KEY = ResponseKey("cfsafety", "q1", "v", "reversed", 2, 0.7, "model")
RESPONSES = [
    Response(KEY, text="No."),
    Response(KEY, labels=("A", "B"), label_probs=(0.25, 0.75), coverage=0.9, coverage_high=1.0),
    Response(KEY._replace(temperature=None), reason=Reason.CALL_FAILED),
]
JUDGEMENTS = [
    Judgement(
        KEY,
        "moral",
        Source.JUDGE_LOGITS,
        ("0", "1"),
        probs=(0.25, 0.75),
        value=0.75,
        coverage=0.5,
        windows=3,
        raw_top=(RawToken("1", 0.4), RawToken(" 0", 0.1)),
        judge="judge",
        rubric_hash="hash",
    ),
    Judgement(KEY, "moral", Source.TEXT_RULE, ("0", "1"), reason=Reason.NO_ANSWER),
]


def test_a_table_holds_every_field_of_a_record() -> None:
    assert response.from_table(response.to_table(RESPONSES)) == RESPONSES
    assert judgement.from_table(judgement.to_table(JUDGEMENTS)) == JUDGEMENTS
    assert judgement.to_table([]).schema == judgement.SCHEMA


def test_judgements_are_read_without_their_widest_column() -> None:
    (first, _) = judgement.from_table(judgement.to_table(JUDGEMENTS).drop_columns("raw_top"))
    assert (first.raw_top, first.probs) == (None, (0.25, 0.75))
