"""The page of answers: one file that asks for nothing, and what goes onto it."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import normscope.report.items.page as page_module
from normscope.errors import UsageError
from normscope.messages import LANGUAGES, Language
from normscope.records.item import Item, Turn
from normscope.report.blocks import (
    Bar,
    Cell,
    Column,
    Facts,
    Link,
    Paragraph,
    Sample,
    Table,
    Whisker,
    columns,
)
from normscope.report.items.page import Chosen, items_page
from normscope.report.writers.data import Numbered
from normscope.viewer import Collection, Query
from tests.shared.mixed_runs import items_of, mixed_run, rows_of

HOSTILE = "</script><script>alert(1)</script>\u202e\x00=1+1<!--"
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def data_of(page: str) -> dict[str, Any]:
    match = _DATA.search(page)
    assert match is not None
    result: dict[str, Any] = json.loads(match[1])
    return result


@pytest.fixture(scope="module")
def mixed() -> Collection:
    items = items_of()
    return Collection.of([mixed_run(f"run {n}", items, rows_of(items, n)) for n in (1, 2)])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_holds_every_answer_once_and_is_the_same_each_time(
    mixed: Collection, language: Language
) -> None:
    page = items_page(mixed, Chosen(), language=language)
    assert page == items_page(mixed, Chosen(), language=language)
    data = data_of(page)
    assert data["keys"] == [row.key for row in mixed.rows(range(len(mixed)))]
    assert len(set(data["texts"])) == len(data["texts"])
    assert data["words"]["next"] == {"en": "Next", "zh": "下一个"}[language]
    # every text in full: what is searched is what the tables hold
    searched = [data["texts"][text] for text in data["searched"][0]]
    detail = mixed.detail(0)
    assert detail.item is not None
    assert searched[: len(detail.item.messages)] == [t.content for t in detail.item.messages]


def test_the_page_asks_for_nothing_and_names_no_machine(mixed: Collection) -> None:
    page = items_page(mixed, Chosen())
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:,)[^"']*""", page.split("<script")[0])
    assert "default-src 'none'" in unescape(page)
    assert str(Path.cwd()) not in page


def test_texts_of_others_cannot_leave_the_data() -> None:
    item = Item("b", "1", (Turn("user", HOSTILE),), "en", category=HOSTILE)
    row = {**item.key._asdict(), "sample": 0, "temperature": None, "model": HOSTILE}
    run = mixed_run(HOSTILE, [item], ([{**row, "text": "fine"}], []))
    page = items_page(Collection.of([run]), Chosen())
    page.encode("utf-8")
    assert page.count("<script") == 2
    assert "alert(1)</script>" not in page
    assert "\u202e" not in page.replace(_DATA.search(page)[1], "")  # type: ignore[index]
    data = data_of(page)
    assert data["texts"][data["questions"][0]] == HOSTILE


def test_a_filter_and_a_limit_choose_what_goes_onto_the_page(mixed: Collection) -> None:
    line = "area:indoors sort:-moral"
    wanted = mixed.select(Query.parse(line)).places[:5]
    data = data_of(items_page(mixed, Chosen(line, 5)))
    assert data["keys"] == mixed.keys(wanted)
    with pytest.raises(UsageError, match="no answer meets the filter"):
        items_page(mixed, Chosen("area:indoors area:outdoors"))


@pytest.mark.parametrize(("name", "most"), [("MOST_ANSWERS", 5), ("MOST_BYTES", 1000)])
def test_what_is_too_much_for_a_page_is_refused_with_the_remedy(
    mixed: Collection, name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, name, most)
    with pytest.raises(UsageError, match=r"--filter .*--limit N; normscope view"):
        items_page(mixed, Chosen())


def test_blocks_are_numbers_of_texts_and_of_common_parts() -> None:
    texts = Numbered("zh")
    table = Table(columns("a", "b"), (("x", Bar(0.5)), (Cell("x", note="n"), Link("l", "#item-1"))))
    assert (
        texts.blocks([table, table])
        == [["Table", 5, 5, "", -1, [[2, ["bar", 0.5]], [-2, ["link", 4, "#item-1"]]]]] * 2
    )
    assert texts.parts == [[[0, "text"], [1, "number"]], ["cell", 2, 3, ""]]
    assert texts.all == ["a", "b", "x", "n", "l", ""]
    # what a rubric has around an answer stands once for all answers
    first, second = texts.blocks(
        [Sample((("", f"judge ⟦answer⟧\n{answer}\n⟦/answer⟧ now"),)) for answer in ("one", "two")]
    )
    assert [a == b for a, b in zip(first[2][0], second[2][0], strict=True)].count(False) == 1
    assert "".join(texts.all[number] for number in second[2][0][1:]).count("two") == 1


@pytest.mark.parametrize(
    "block", [Table((Column(""),), ((Whisker(0.5),),)), Facts((("a", "b"),)), Paragraph("a")]
)
def test_a_block_that_no_script_draws_is_no_silent_gap(block: Any) -> None:
    if isinstance(block, Table):
        with pytest.raises(TypeError, match="Whisker"):
            Numbered("en").blocks([block])
    else:
        assert Numbered("en").blocks([block])[0][0] == type(block).__name__
