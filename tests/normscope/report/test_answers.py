"""An answer as blocks: all that is known of it, whole, and nothing that is not."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from shown_pages import lines, tables_of, within

from normscope.judges.rubric import rubric
from normscope.messages import Language, translate
from normscope.records.item import Item, Turn
from normscope.records.items import Items
from normscope.records.judgement import SCHEMA as JUDGED
from normscope.records.response import SCHEMA as RESPONDED
from normscope.report.answers import answer_blocks, answer_list
from normscope.report.answers_summary import summary_blocks
from normscope.report.blocks import (
    Bar,
    Beside,
    Block,
    Facts,
    Page,
    Paragraph,
    Sample,
    Section,
    plain,
)
from normscope.report.writers import html, markdown
from normscope.viewer import Answered, Collection, Query, answered_of
from normscope.viewer.people import PeoplesLabel

LONG = "A long reply. " * 400
HOSTILE = "</script><img src=x onerror=a()> \u202e"
ITEMS = [
    Item(
        "cfsafety",
        "q1",
        (Turn("user", "Hello"), Turn("assistant", "Hi"), Turn("user", f"May I? {HOSTILE}")),
        "en",
        category="privacy_leaks",
        answer="B",
        facets={"sender": "a doll"},
    ),
    Item("cfsafety", "q2", (Turn("user", "And now?"),), "en", category="privacy_leaks"),
]


def run_of(name: str = "first", **judged: Any) -> Answered:
    """Two answers: one judged in full, in one sample of two, and one whose call failed."""
    rows = [key("q1", 0), key("q1", 1), key("q2", 0)]
    texts: list[dict[str, Any]] = [{"text": LONG}, {"text": "Short."}, {"reason": "call_failed"}]
    read = {
        "criterion": "refusal",
        "source": "judge_logits",
        "labels": ["0", "1", "2", "3"],
        "probs": [0.5, 0.25, 0.25, 0.0],
        "value": 0.0,
        "coverage": 0.75,
        "judge": "a judge",
        "rubric_hash": rubric("chisafetybench").hash,
        "windows": 1,
        "raw_top": [{"token": " 0", "prob": 0.5}],
    } | judged
    moral = read | {
        "criterion": "moral",
        "labels": ["0", "1"],
        "probs": [0.375, 0.625],
        "value": 0.625,
        "rubric_hash": rubric("cfsafety").hash,
    }
    failed = {"value": None, "probs": None, "raw_top": None, "coverage": None}
    judgements = [
        {**rows[0], **read},
        {**rows[0], **moral},
        {**rows[1], **moral, **failed, "reason": "low_coverage"},
    ]
    return answered_of(
        name,
        pa.Table.from_pylist(judgements, schema=JUDGED),
        responses=pa.Table.from_pylist(
            [{**row, **text} for row, text in zip(rows, texts, strict=True)], schema=RESPONDED
        ),
        items=Items.of(ITEMS),
    )


def key(item: str, sample: int) -> dict[str, Any]:
    place = {"benchmark": "cfsafety", "variant_id": "", "scale_order": "", "temperature": 1.0}
    return {**place, "item_id": item, "sample": sample, "model": "m"}


@pytest.fixture(scope="module")
def alone() -> Collection:
    return Collection.of([run_of()])


@pytest.fixture(scope="module")
def beside() -> Collection:
    """The second run finds the first answer harmless."""
    changed = {"probs": [0.0, 1.0, 0.0, 0.0], "value": 1.0}
    return Collection.of([run_of(), run_of("second", **changed)])


def section(blocks: Iterable[Block], title: str) -> Section:
    result: Section = next(s for s in within(blocks, Section) if plain(s.title) == title)
    return result


def facts(blocks: Iterable[Block]) -> dict[str, str]:
    return {plain(n): plain(v) for f in within(blocks, Facts) for n, v in f.rows}


def test_an_answer_stands_in_its_taxonomy_and_is_shown_whole(alone: Collection) -> None:
    blocks = answer_blocks(alone.detail(0))
    about = facts(blocks[:1])
    assert about == {
        "item": "q1",
        "benchmark": "cfsafety",
        "category": "Privacy leaks",
        "language": "en",
        "temperature": "1",
        "sender": "a doll",
        "key": "B",
    }
    conversation = next(within(section(blocks, "Conversation").blocks, Sample))
    assert [(str(who), text) for who, text in conversation.texts] == [
        ("user", "Hello"),
        ("assistant", "Hi"),
        ("user", f"May I? {HOSTILE}"),
    ]
    response = next(within(section(blocks, "Response").blocks, Sample))
    assert response.texts == (("", LONG),)


def test_a_judgement_shows_every_label_what_it_comes_to_and_what_was_asked(
    alone: Collection,
) -> None:
    blocks = section(answer_blocks(alone.detail(0)), "refusal").blocks
    about = facts(blocks)
    assert about["value"] == "0"
    assert about["likeliest label"] == "risky"
    assert about["coverage"] == "75.0 %"
    assert about["judge"] == "a judge"
    assert about["most probable tokens"] == "␣0 50.0 %"
    (table,) = tables_of(*blocks)
    assert lines(table) == [
        ("risky (0)", "", "50.0 %"),
        ("harmless (1)", "", "25.0 %"),
        ("refusal (2)", "", "25.0 %"),
        ("responsible refusal (3)", "", "0 %"),
    ]
    assert [row[1] for row in table.rows] == [Bar(0.5), Bar(0.25), Bar(0.25), Bar(0.0)]


def test_the_judges_prompt_is_the_rubrics(alone: Collection) -> None:
    blocks = section(answer_blocks(alone.detail(0)), "moral").blocks
    (prompt,) = within(blocks, Sample)
    assert plain(prompt.summary) == "What the judge was asked, word for word"
    assert prompt.texts[0][1] == rubric("cfsafety").render(
        "moral",
        language="en",
        conversation=ITEMS[0].messages,
        answer=LONG,
        category="privacy_leaks",
    )


def test_what_is_missing_has_its_reason(alone: Collection) -> None:
    unscored = answer_blocks(alone.detail(1))
    assert facts(section(unscored, "moral").blocks)["no value"] == "low coverage"
    failed = answer_blocks(alone.detail(2))
    assert "no response: call failed" in [plain(p.text) for p in within(failed, Paragraph)]
    known = alone.detail(0)
    nothing = replace(known, item=None, answers=(replace(known.answers[0], item=None),))
    assert "Nobody knows in which words the model was asked." in [
        plain(p.text) for p in within(answer_blocks(nothing), Paragraph)
    ]


def test_two_runs_stand_beside_each_other(beside: Collection) -> None:
    blocks = answer_blocks(beside.detail(0))
    (pair,) = within(blocks, Beside)
    assert [plain(s.title) for s in pair.blocks if isinstance(s, Section)] == ["first", "second"]
    assert "Another label in the second run: refusal" in [
        plain(p.text) for p in within(blocks, Paragraph)
    ]


def test_people_stand_behind_the_judge_and_other_words_beside_each_other(
    alone: Collection, beside: Collection
) -> None:
    detail = alone.detail(0)
    (full,) = detail.answers
    people = (
        PeoplesLabel("refusal", "risky", ("risky", "?")),
        PeoplesLabel("moral", None, ("0", "1")),
    )
    blocks = answer_blocks(replace(detail, answers=(replace(full, people=people),)))
    assert [lines(t) for t in tables_of(*blocks) if plain(t.title) == "People's labels"] == [
        [("refusal", "risky", "risky, ?"), ("moral", "a tie", "0, 1")]
    ]
    pair = beside.detail(0)
    other = replace(pair.answers[1], item=ITEMS[1])
    asked = section(answer_blocks(replace(pair, answers=(pair.answers[0], other))), "Conversation")
    assert [s.texts[-1][1] for s in within(asked.blocks, Sample)] == [
        ITEMS[0].question,
        ITEMS[1].question,
    ]


def test_the_items_other_answers_are_links(alone: Collection) -> None:
    of_item = section(answer_blocks(alone.detail(0)), "The same item otherwise")
    (table,) = tables_of(of_item)
    assert lines(table) == [("q1 (cfsafety · Privacy leaks · sample 1 · T = 1)", "low coverage")]
    assert f'href="#item-{alone.rows([1])[0].key}"' in html.fragment([of_item])


def test_a_list_says_of_each_answer_what_it_comes_to(beside: Collection) -> None:
    table = answer_list(beside.rows([0, 2]))
    assert [plain(c.title) for c in table.columns] == [
        "item", "question", "response · first", "response · second",
        "refusal", "moral", "moved",
    ]  # fmt: skip
    shown = lines(table)
    assert shown[0][-3:] == ("risky → harmless", "0.625 → 0.625", "0.333")
    assert shown[1][2:] == ("call failed", "call failed", "– → –", "– → –", "–")


def test_a_summary_counts_and_says_why_there_is_no_statistic(beside: Collection) -> None:
    summary = beside.summary(beside.select(Query.parse("is:changed")))
    blocks = summary_blocks(summary)
    counts, changed = tables_of(*blocks)
    assert ("refusal", "first", "1", "risky 1", "", "0") in lines(counts)
    assert lines(changed) == [("refusal", "risky", "harmless", "1")]
    assert "is:changed" in html.fragment(blocks)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_texts_of_others_are_text_and_in_no_file(alone: Collection, language: Language) -> None:
    blocks = answer_blocks(alone.detail(0))
    shown = html.fragment(blocks, language)
    assert "<img" not in shown
    assert "\u202e" not in shown
    assert translate("Conversation", language) in shown
    # Markdown is for what is handed on: it has none of the texts
    assert "May I?" not in markdown.page(Page("a", blocks), language)
