"""The report in two languages: every fixed text is there in both, and nothing is left over."""

import re
from dataclasses import replace

import pyarrow as pa
import pytest
from catalogues import extracted
from report_runs import Page, holding, large_run, small_run
from undrawn import undrawn

from normscope.records.judgement import SCHEMA
from normscope.records.settings import Settings
from normscope.report import render
from normscope.report.data import judges

__all__ = ["undrawn"]


def test_a_chinese_page_leaves_no_fixed_english_text() -> None:
    # without the caveat of somebody else's words
    run = replace(large_run(vignettes=24, answers=20), config=Settings())
    page = Page(render(run, "zh"))
    english = [text for text in extracted() if " " in text.strip() and "{" not in text]
    plain = [re.sub(r"<.*?>", "", text) for text in english]
    assert [text for text in plain if text in page.text] == []
    assert "结果的局限" in page.text


def test_small_runs_differ_between_languages_in_words_and_not_in_numbers() -> None:
    pages = [Page(render(small_run(), language)) for language in ("en", "zh")]
    numbers = [re.findall(r"\[[\d., -]+\](?: %)?", page.text) for page in pages]
    assert numbers[0] == numbers[1] != []


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["judge_logits", "text_rule"], "a-judge"),
        (["model_logits"], "none: read from the labels of the model under test"),
        (["text_rule"], "none: a text rule read the answers of the model under test"),
        (["model_logits", "text_rule"], "its labels as they are, text by rule"),
    ],
)
def test_it_is_said_who_read_an_answer_where_no_judge_did(sources: list[str], names: str) -> None:
    judge = ["a-judge" if source == "judge_logits" else None for source in sources]
    rows = [{"source": s, "judge": j} for s, j in zip(sources, judge, strict=True)]
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    run = holding(small_run(), judgements=table, responses=pa.table({}))
    assert judges(run).endswith(names)
