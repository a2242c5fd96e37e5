import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from normscope.builders.chisafetybench.builder import BUILDER
from normscope.builders.chisafetybench.mcq import FILE, INSTRUCTION, read_silver_key, split_options
from normscope.builders.chisafetybench.qa import MULTI, SINGLE
from normscope.errors import SourceError
from normscope.records.item import Option, Turn

QA, MCQ, PLAIN = BUILDER.benchmarks

# Table 1 of the paper: multiple-choice and risky questions per category
TABLE_1 = {
    "ethnic_discrimination": (50, 26),
    "religious_discrimination": (50, 27),
    "nationality_discrimination": (50, 29),
    "regional_discrimination": (50, 24),
    "sexism": (50, 31),
    "ageism": (50, 33),
    "occupational_discrimination": (60, 26),
    "health_discrimination": (50, 25),
    "other_aspects_of_discrimination": (50, 24),
    "inciting_subversion_of_state_power": (51, 27),
    "endangering_national_security": (49, 31),
    "inciting_separatism": (50, 35),
    "promoting_terrorism": (50, 65),
    "advocating_ethnic_hatred": (50, 47),
    "propagating_violence_and_pornography": (50, 55),
    "disseminating_fake_and_harmful_information": (49, 26),
    "other_aspects_prohibited_by_laws": (50, 32),
    "violation_of_intellectual_property_rights": (50, 0),
    "violation_of_business_ethics": (51, 0),
    "breach_of_confidence": (52, 0),
    "unfair_competition": (50, 0),
    "other_violations_and_irregularities": (51, 0),
    "endangering_physical_and_mental_health": (50, 0),
    "infringing_on_portrait_right": (50, 0),
    "infringing_on_reputation_right": (51, 0),
    "infringing_on_honors_right": (50, 0),
    "infringing_on_privacy_right": (50, 0),
    "infringing_on_personal_information_right": (54, 0),
    "other_infringements": (50, 0),
    "inaccurate_content": (49, 0),
    "unreliable_content": (50, 0),
}


def _question(number: int, text: str, category: str = "性别歧视") -> dict[str, Any]:
    return {"id": number, "question": text, "category": category}


@pytest.fixture(scope="module")
def real(sources: Path) -> Any:
    """The tables of the authors' files."""
    return BUILDER.tables(sources)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Our own questions in the shape of the authors' files."""
    contents = {
        FILE: [
            {
                "category": "歧视性内容",
                "infos": [
                    _question(1, "谁可以学做面包？ \nA. 所有人 \nB. 只有男人"),
                    _question(2, "谁会游泳？\nＡ．学过的人 Ｂ．鱼", "年龄歧视"),
                ],
            }
        ],
        SINGLE: [{"category": "应拒答", "infos": [_question(7, "面包怎么烤？")]}],
        MULTI: [
            {
                "category": "违背价值观",
                "sub_category": "传播虚假有害信息",
                "input": "然后呢？",
                "history": [
                    {"role": "system", "content": "你是助手。"},
                    {"role": "user", "content": "先放什么？"},
                    {"role": "assistant", "content": "面粉。"},
                ],
            }
        ],
    }
    for file, content in contents.items():
        (tmp_path / file.path).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return tmp_path


def _edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def test_a_choice_is_taken_apart(source: Path) -> None:
    rows = BUILDER.tables(source, unpinned=True)["mcq"].to_pylist()
    assert rows[0] == {
        "item_id": "chisafetybench-mcq-0001",
        "question": "谁可以学做面包？",
        "options": [{"letter": "A", "text": "所有人"}, {"letter": "B", "text": "只有男人"}],
        "answer": None,
        "silver_answer": None,
        "silver_confidence": None,
        "area": "discrimination",
        "category": "sexism",
        "source_area": "歧视性内容",
        "source_category": "性别歧视",
        "options_complete": True,
    }
    assert [part["letter"] for part in rows[1]["options"]] == ["A", "B"]


def test_the_silver_key_is_not_joined_to_another_file(source: Path) -> None:
    # id 1 stands in the key, but this is another question
    assert 1 in read_silver_key()
    items = MCQ.items(BUILDER.tables(source, unpinned=True)["mcq"])
    assert [(item.answer, item.answer_source, item.facets) for item in items] == [
        (None, None, {}),
        (None, None, {}),
    ]


def test_a_choice_is_asked_for_one_letter(source: Path) -> None:
    item = MCQ.items(BUILDER.tables(source, unpinned=True)["mcq"])[0]
    assert item.messages == (
        Turn("user", f"谁可以学做面包？\nA. 所有人\nB. 只有男人\n{INSTRUCTION}"),
    )
    assert item.options == (Option("A", "所有人"), Option("B", "只有男人"))
    assert (item.benchmark, item.language) == ("chisafetybench:mcq", "zh")


def test_a_dialogue_keeps_its_turns(source: Path) -> None:
    table = BUILDER.tables(source, unpinned=True)["qa"]
    single, multi = QA.items(table)
    assert [row["turns"] for row in table.to_pylist()] == [1, 2]
    assert [row["source_area"] for row in table.to_pylist()] == [None, "违背价值观"]
    assert single.item_id == "chisafetybench-qa-single-0007"
    assert (single.conversation, single.question) == ((), "面包怎么烤？")
    assert (single.area, single.facets) == ("discrimination", {"turns": "single"})
    assert multi.item_id == "chisafetybench-qa-multi-0001"
    assert [turn.role for turn in multi.messages] == ["system", "user", "assistant", "user"]
    assert (multi.area, multi.question) == ("values", "然后呢？")
    assert multi.facets == {"turns": "multi"}


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            FILE.path,
            '"性别歧视"',
            '"姓别歧视"',
            "'姓别歧视' is no category",
        ),
        (FILE.path, '"id": 2', '"id": 1', "each id must stand once; more often: 1"),
        (FILE.path, "\\nA. 所有人 \\nB. 只有男人", "", "question 1 has no list of options"),
        (FILE.path, '"id": 2', '"number": 2', r"\(0\.infos\.1\.id: Field required"),
        (FILE.path, "}]}]", "}]", "is not JSON of ours"),
        (MULTI.path, '"system"', '"narrator"', r"history\.0\.role: .*'user'"),
    ],
)
def test_an_edited_source_is_told_with_its_place(
    source: Path, name: str, old: str, new: str, message: str
) -> None:
    _edit(source, name, old, new)
    with pytest.raises(SourceError, match=message) as caught:
        BUILDER.tables(source, unpinned=True)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("text", "stem", "options"),
    [
        ("Q\nA. x\nB. y", "Q", "A:x B:y"),
        ("Q\nA、x B、y\nC、z", "Q", "A:x B:y C:z"),
        ("Q A. x B. y", "Q", "A:x B:y"),
        ("Q\nA：x；B：y", "Q", "A:x B:y"),
        ("Q\n（A）x\n（B）y", "Q", "A:x B:y"),
        ("Q\nＡ．x\nＢ．y", "Q", "A:x B:y"),
        ("Q\nA) x\nB) y\nC) z\nD) w", "Q", "A:x B:y C:z D:w"),
        # a letter without its stop
        ("Q\nA. x\nB. y\nC中\nD. w", "Q", "A:x B:y C:中 D:w"),
        # a Latin word at the start of a line is no option
        ("Q\nA. x\nB. y\nCan", "Q", "A:x B:y\nCan"),
        # letters of the stem, and of an option
        ("Mr A. and Mr B. met\nA. x\nB. y", "Mr A. and Mr B. met", "A:x B:y"),
        ("Q\nA. x\nB. A. or none", "Q", "A:x B:A. or none"),
        ("Q", "Q", ""),
        ("", "", ""),
    ],
)
def test_options_are_found(text: str, stem: str, options: str) -> None:
    found, parts = split_options(text)
    assert found == stem
    assert " ".join(f"{part.letter}:{part.text}" for part in parts) == options


def test_the_silver_key_has_an_answer_to_every_item() -> None:
    key = read_silver_key()
    assert sorted(key) == list(range(1, 1_568))
    assert Counter(answer.confidence for answer in key.values()) == {3: 1_031, 2: 410, 1: 126}
    assert {answer.letter for answer in key.values()} == set("ABCD")


def test_the_real_choices_are_those_of_table_1(real: Any) -> None:
    table = real["mcq"]
    rows = table.to_pylist()
    assert table["item_id"].to_pylist() == [f"chisafetybench-mcq-{n:04}" for n in range(1, 1_568)]
    counts = Counter(row["category"] for row in rows)
    assert {slug: (counts[slug]) for slug in TABLE_1} == {s: n for s, (n, _) in TABLE_1.items()}
    assert len({row["area"] for row in rows}) == 5
    assert {row["answer"] for row in rows} == {None}


def test_the_real_choices_all_have_their_options(real: Any) -> None:
    rows = real["mcq"].to_pylist()
    assert all(row["options_complete"] for row in rows)
    assert Counter(len(row["options"]) for row in rows) == {2: 1_186, 3: 42, 4: 339}
    assert all(row["question"] and "\nA" not in row["question"] for row in rows)
    for row in rows:
        assert row["silver_answer"] in {part["letter"] for part in row["options"]}


def test_the_real_risky_questions_are_those_of_table_1(real: Any) -> None:
    items = QA.items(real["qa"])
    assert len({item.item_id for item in items}) == len(items) == 563
    assert Counter(item.facets["turns"] for item in items) == {"single": 462, "multi": 101}
    counts = Counter(item.category for item in items)
    assert counts == {slug: qa for slug, (_, qa) in TABLE_1.items() if qa}
    # the n of Tables 2, 4 and 5
    areas = Counter((item.area, item.facets["turns"]) for item in items)
    assert areas == {
        ("discrimination", "single"): 196,
        ("values", "single"): 266,
        ("discrimination", "multi"): 49,
        ("values", "multi"): 52,
    }


def test_one_real_category_is_spelt_in_two_ways(real: Any) -> None:
    rows = real["mcq"].to_pylist()
    spellings = {
        slug: Counter(row["source_category"] for row in rows if row["category"] == slug)
        for slug in TABLE_1
    }
    twofold = {slug: sorted(n.values()) for slug, n in spellings.items() if len(n) > 1}
    assert twofold == {"other_infringements": [20, 30]}


def test_the_plain_questions_are_the_same_without_our_instruction(
    source: Path,
) -> None:
    table = BUILDER.tables(source, unpinned=True)["mcq"]
    for item, plain in zip(MCQ.items(table), PLAIN.items(table), strict=True):
        assert item.question == f"{plain.question}\n{INSTRUCTION}"
        assert (plain.item_id, plain.answer, plain.options) == (
            item.item_id,
            item.answer,
            item.options,
        )
