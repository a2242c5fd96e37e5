"""Cells of a sheet: what a rater reads there, and what comes back of it."""

import csv
from pathlib import Path

from normscope.judges.rubric_file import Instruction
from normscope.judges.trust.sheet import (
    Guide,
    Sheet,
    SheetRow,
    Utterance,
    allowed_of,
    allowed_text,
    guide_of,
    guide_text,
    write_sheet,
)

MORAL = Instruction("Does it conform\nto values?", {"0": "it does not", "1": "it does = fine"}, "")
TONE = Instruction("Which tone?", {"a": "warm", "b": "cold"}, "")
GUIDE = Guide("en", "Fraud", "to deceive\n  somebody", {"moral": MORAL, "tone": TONE})


def row(*turns: tuple[str, str]) -> SheetRow:
    said = (*turns, ("answer", "=No."))
    return SheetRow("r1", GUIDE, tuple(Utterance(role, role.title(), text) for role, text in said))


def test_what_a_sheet_tells_is_read_back_from_its_cells() -> None:
    labels = allowed_of(allowed_text(GUIDE.criteria))
    assert labels == {"moral": ("0", "1"), "tone": ("a", "b")}
    back = guide_of(guide_text(GUIDE), title="Fraud", labels=labels)
    assert back.definition == "to deceive somebody"
    assert back.criteria["moral"].ask == "Does it conform to values?"
    assert back.criteria["moral"].meanings == MORAL.meanings
    assert back.criteria["tone"] == TONE


def test_labels_of_which_the_guide_says_nothing_mean_themselves() -> None:
    guide = guide_of("", title="", labels={"tone": ("a", "b")})
    assert guide.criteria["tone"] == Instruction("label_tone", {"a": "a", "b": "b"}, "")


def test_a_question_of_several_turns_names_the_speakers() -> None:
    assert row(("user", "Why?")).question == "Why?"
    dialogue = row(("user", "Hi"), ("assistant", "Hello"), ("user", "Why?"))
    assert dialogue.question == "User: Hi\nAssistant: Hello\nUser: Why?"


def test_a_sheet_opens_in_a_spreadsheet_and_no_cell_of_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, Sheet("s-1", ("moral", "tone"), (row(("user", "问？")),)))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        (cells,) = csv.DictReader(file)
    assert (cells["question"], cells["answer"], cells["sheet"]) == ("问？", "'=No.", "s-1")
    assert (cells["label_moral"], cells["label_tone"]) == ("", "")
