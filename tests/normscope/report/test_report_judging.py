"""The section on the judge: its prior, its bias for an order, and windows, as people read them."""

from typing import Any

from report_runs import judging_record
from shown_pages import tables_of

from normscope.messages import translate
from normscope.records.config import RunConfig
from normscope.records.provenance import JudgementsProvenance, Provenance
from normscope.report.blocks import texts_of
from normscope.report.caveats import model_caveats
from normscope.report.judge_caveats import in_windows
from normscope.report.judging import judging_blocks
from normscope.report.writers import html

PRIOR = {
    "benchmark": "b", "rubric_hash": "x", "criterion": "moral", "language": "en", "labels": ["0",
    "1"], "categories": 2, "prompts": 6, "read": 5, "probs": [0.25, 0.75], "value": 0.75,
    "coverage": 0.9,
}  # fmt: skip
BIAS = {
    "benchmark": "b", "criterion": "moral", "n": 1234, "shift": -0.125, "low": -0.2, "high": -0.05,
    "level": 0.95, "method": "t", "mean_absolute_shift": 0.25,
}  # fmt: skip


def rows_of(**parts: Any) -> list[tuple[str, ...]]:
    """The rows of every table that is shown of these facts."""
    tables = tables_of(*judging_blocks(judging_record(**parts)))
    return [texts_of(row) for table in tables for row in table.rows]


def test_a_prior_is_shown_by_label_with_its_value_and_coverage() -> None:
    assert rows_of(priors=[PRIOR]) == [
        ("moral (b)", "en", "0 25.0 %, 1 75.0 %", "0.750", "90.0 %", "5 of 6")
    ]


def test_a_prior_that_was_not_read_is_a_dash() -> None:
    nothing = PRIOR | {"probs": None, "value": None, "coverage": None, "read": 0}
    assert rows_of(priors=[nothing])[0][2:] == ("0 –, 1 –", "–", "–", "0 of 6")


def test_a_bias_is_shown_with_its_interval_and_number() -> None:
    assert rows_of(order_bias=[BIAS]) == [
        ("moral (b)", "−0.125", "[−0.200, −0.0500] (t)", "0.250", "1,234")
    ]


def test_windows_are_told_only_where_there_were_several() -> None:
    rows = [
        {"benchmark": name, "responses": 9, "in_several_windows": several, "most_windows": 4}
        for name, several in (("b", 2), ("c", 0))
    ]
    (text,) = in_windows(judging_record(windows=rows))
    assert text.startswith("b: 2 of 9 answers were longer than the judge can read at once.")


def test_without_a_judge_there_is_no_section() -> None:
    assert list(judging_blocks(None)) == []
    assert list(judging_blocks(judging_record(criteria=[]))) == []


def test_the_section_is_written_as_a_page_shows_it_and_foreign_text_escaped() -> None:
    row = {"benchmark": "<b>", "responses": 9, "in_several_windows": 2, "most_windows": 4}
    judging = judging_record(priors=[PRIOR], order_bias=[BIAS], windows=[row])
    page = html.fragment(tuple(judging_blocks(judging)))
    for told in ("25.0 %", "[−0.200, −0.0500]", "&lt;b&gt;", "2 of 9 answers", "5 of 6"):
        assert told in page
    alone = html.fragment(tuple(judging_blocks(judging_record())))
    assert "one order only" in alone


def test_a_dtype_that_is_not_the_checkpoint_s_is_told() -> None:
    def told(**dtypes: str) -> list[str]:
        identity = {"model": "./judge", **dtypes}
        made = Provenance(judgements=JudgementsProvenance(judge=identity))
        return model_caveats(RunConfig(provenance=made))

    assert told(dtype="float32", checkpoint_dtype="float32") == []
    assert told(dtype="float32") == []
    (line,) = told(dtype="bfloat16", checkpoint_dtype="float16")
    assert line == "The judge (./judge) was loaded in bfloat16; its checkpoint says float16."
    assert translate(line, "zh") == "评判模型（./judge）以 bfloat16 加载；其检查点标明 float16。"
