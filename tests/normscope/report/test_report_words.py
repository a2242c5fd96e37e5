"""The report in two languages: every fixed text is there in both, and nothing is left over."""

import re
from dataclasses import replace

import pyarrow as pa
import pytest
from catalogues import extracted
from report_runs import Page, holding, large_run, small_run

from normscope.builders.taxonomy import CFSAFETY, CHISAFETYBENCH
from normscope.messages import translate
from normscope.metrics.definitions import DEFINITIONS
from normscope.metrics.estimate import Target
from normscope.reasons import Origin, Reason
from normscope.records.judgement import SCHEMA
from normscope.report import render
from normscope.report.names import name_of
from normscope.report.provenance import judges

CHINESE_CHARACTER = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize(
    "slug",
    [
        *(str(reason) for reason in Reason),
        *(str(origin) for origin in Origin),
        *Target.__args__,  # type: ignore[attr-defined]
        *(category.slug for category in (*CFSAFETY, *CHISAFETYBENCH)),
    ],
)
def test_what_a_run_is_made_of_has_a_chinese_name(slug: str) -> None:
    assert CHINESE_CHARACTER.search(translate(name_of(slug), "zh"))
    assert not CHINESE_CHARACTER.search(name_of(slug))


@pytest.mark.parametrize("slug", DEFINITIONS)
def test_a_statistic_is_defined_in_both_languages(slug: str) -> None:
    definition = DEFINITIONS[slug]
    assert name_of(slug) == definition.name
    for text in (definition.text, definition.direction):
        assert CHINESE_CHARACTER.search(translate(text, "zh"))
        assert not CHINESE_CHARACTER.search(text)
    # Kendall and the like have a name of their own in no language
    assert translate(definition.name, "zh")
    assert definition.text in definition.in_words


def test_a_chinese_page_leaves_no_fixed_english_text() -> None:
    run = replace(large_run(vignettes=24, answers=20), caveats=())
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
