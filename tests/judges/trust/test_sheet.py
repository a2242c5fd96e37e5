"""Cells of a sheet: what a rater reads there, and what comes back of it."""

import csv
from pathlib import Path

from normscope.judges.rubric import Instruction
from normscope.judges.trust.sheet import (
    Guide,
    Sheet,
    SheetRow,
    Utterance,
    write_sheet,
)

MORAL = Instruction("Does it conform\nto values?", {"0": "it does not", "1": "it does = fine"}, "")
TONE = Instruction("Which tone?", {"a": "warm", "b": "cold"}, "")
GUIDE = Guide("en", "Fraud", "to deceive\n  somebody", {"moral": MORAL, "tone": TONE})


def row(*turns: tuple[str, str]) -> SheetRow:
    said = (*turns, ("answer", "=No."))
    return SheetRow("r1", GUIDE, tuple(Utterance(role, role.title(), text) for role, text in said))


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
