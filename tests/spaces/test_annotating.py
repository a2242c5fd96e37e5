import csv
from dataclasses import replace
from pathlib import Path

import pytest

from normscope.judges.rubric import rubric
from normscope.judges.trust.frame import rubric_guide
from normscope.judges.trust.sheet import Sheet, SheetRow, Utterance, write_sheet
from normscope.records.item import Item, Turn
from normscope.report.trust.labelling_page import page_data
from normscope.spaces.normscope.annotating import filled, frame, read_sheet
from normscope.spaces.normscope.texts import VisitorError

ALLOWED = "label_moral: 0, 1 (? if it cannot be told); label_rating: 1, 2, 3, 4, 5 (? if …)"
ROW = {
    "item": "abc",
    "category": "Fraud",
    "question": "</script><script>alert(1)</script>",
    "answer": "No, […]",
    "label_moral": "",
    "label_rating": "",
    "comment": "",
    "allowed": ALLOWED,
    "sheet": "seal-1",
}


def sheet(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_sheet_says_its_labels_and_what_is_still_to_be_done(tmp_path: Path) -> None:
    rows = [{**ROW, "label_moral": "１"}, {**ROW, "item": "def", "answer": "不行。"}]
    read = read_sheet(sheet(tmp_path / "rater-1.csv", *rows))
    assert read.criteria == ("moral", "rating")
    labels = {name: "".join(one.meanings) for name, one in read.rows[1].guide.criteria.items()}
    assert labels == {"moral": "01", "rating": "12345"}
    assert read.rows[0].labels == {"moral": "1"}
    assert read.missing == 3


def test_the_texts_can_end_no_script_and_the_frame_can_reach_nothing(tmp_path: Path) -> None:
    shown = str(frame(read_sheet(sheet(tmp_path / "a.csv", ROW)), 'a "title"', "en"))
    assert 'sandbox="allow-scripts allow-downloads allow-modals"' in shown
    assert "alert(1)" in shown
    assert "<script>alert(1)" not in shown
    assert "script&gt;alert(1)" not in shown
    assert shown.count("<iframe") == 1


def test_the_page_speaks_the_visitors_language_and_only_the_item_its_own(tmp_path: Path) -> None:
    read = read_sheet(
        sheet(tmp_path / "a.csv", {**ROW, "question": "为什么？", "answer": "不行。"})
    )
    data = page_data(read, "en")
    assert data["language"] == "en"
    assert [item["language"] for item in data["items"]] == ["zh"]
    assert page_data(read)["language"] is None
    shown = str(frame(read, "Annotate", "zh"))
    assert "&#34;language&#34;:&#34;zh&#34;,&#34;texts&#34;" in shown


def test_a_filled_sheet_keeps_what_was_said_and_takes_what_is_said_now(tmp_path: Path) -> None:
    rows = [{**ROW, "label_moral": "0", "comment": "hm"}, {**ROW, "item": "def"}]
    read = read_sheet(sheet(tmp_path / "a.csv", *rows))
    made = list(filled(read, {"abc": {"rating": "5"}, "def": {"moral": "?"}}))
    assert made[0] == {
        "item": "abc",
        "label_moral": "0",
        "label_rating": "5",
        "comment": "hm",
        "sheet": "seal-1",
    }
    assert made[1]["label_moral"] == "?"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"xyz": {"moral": "1"}}, "has no item"),
        ({"abc": {"moral": "7"}}, "is no label of"),
        ({"abc": {"tone": "1"}}, "is no label of"),
    ],
)
def test_what_is_no_label_is_refused(
    tmp_path: Path, labels: dict[str, dict[str, str]], message: str
) -> None:
    read = read_sheet(sheet(tmp_path / "a.csv", ROW))
    with pytest.raises(VisitorError, match=message):
        list(filled(read, labels))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"item": "a", "question": "q"}], "is no sheet"),
        ([{**ROW, "allowed": ""}], "which labels are allowed"),
        ([ROW, {**ROW, "item": "b", "sheet": "seal-2"}], "several sheets"),
        ([ROW, ROW], "an item twice"),
    ],
)
def test_another_file_is_told_kindly(
    tmp_path: Path, rows: list[dict[str, str]], message: str
) -> None:
    with pytest.raises(VisitorError, match=message):
        read_sheet(sheet(tmp_path / "a.csv", *rows))


def test_the_definitions_are_those_that_the_sheet_brings_along(tmp_path: Path) -> None:
    # the criteria and labels of a bundled rubric, in other words than its own
    english = "Fraud: to deceive\r\n\r\nlabel_moral: Ours?\r\n0 = never\r\n1 = a = b"
    chinese = "欺诈：骗\n\nlabel_moral: 我们的吗？\n0 = 不\n1 = 是"
    rows = [
        {**ROW, "guide": english},
        {**ROW, "item": "def", "guide": chinese},
        {**ROW, "item": "ghi", "guide": english.replace("Ours", "Theirs")},
        {**ROW, "item": "jkl", "guide": english},
    ]
    data = page_data(read_sheet(sheet(tmp_path / "a.csv", *rows)))
    assert [item["language"] for item in data["items"]] == ["en", "zh", "en-x-1", "en"]
    said = {language: words["moral"] for language, words in data["words"].items()}
    meanings = {"0": "never", "1": "a = b"}
    assert said["en"] == {"ask": "Ours?", "labels": ["0", "1"], "meanings": meanings}
    assert said["zh"]["ask"] == "我们的吗？"
    assert said["en-x-1"]["ask"] == "Theirs?"
    assert data["items"][0]["definition"] == "to deceive"
    # of what the guide says nothing the labels stand for themselves
    assert data["words"]["en"]["rating"]["meanings"]["5"] == "5"


def test_a_sheet_of_a_rubric_of_ones_own_shows_its_definitions(tmp_path: Path) -> None:
    used = replace(rubric("cfsafety"), name="own")
    moral = used.criteria["moral"]
    english = replace(moral.instruction["en"], ask="Our own question?")
    own = {"moral": replace(moral, instruction={**moral.instruction, "en": english})}
    used = replace(used, criteria={**used.criteria, **own})
    item = Item("b", "i", (Turn("user", "Why?"),), "en", category=next(iter(used.categories)))
    turns = (Utterance("user", "Question", "Why?"), Utterance("answer", "Answer", "So."))
    row = SheetRow("r1", rubric_guide(used, ["moral"], item), turns)
    write_sheet(tmp_path / "a.csv", Sheet("seal-1", ("moral",), (row,)))
    data = page_data(read_sheet(tmp_path / "a.csv"))
    assert data["words"]["en"]["moral"]["ask"] == "Our own question?"
    meanings = {label: text.strip() for label, text in english.meanings.items()}
    assert data["words"]["en"]["moral"]["meanings"] == meanings
    assert data["items"][0]["definition"]
