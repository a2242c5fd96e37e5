"""What a rule reads in a run or a file, drawn for people, and the rule checked by their labels."""

from collections import Counter
from pathlib import Path

import pytest
from annotated_runs import call, fill, read
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import DataError, UsageError
from normscope.judges.trust.adjudication import gold_of, read_people
from normscope.judges.trust.agreement import agreement_of_rule
from normscope.judges.trust.frame import Frame
from normscope.judges.trust.key import read_sample
from normscope.judges.trust.rule_frame import file_answers, labels_of, read_text, rule_frame
from normscope.judges.trust.sampling import allocate_equally, draw
from normscope.rows import read_rows, write_rows

TEXTS = ["neutral"] * 60 + ["strongly acceptable"] * 30 + ["acceptable"] * 8 + ["", "N/A"]


@pytest.fixture
def frame(tmp_path: Path) -> Frame:
    path = tmp_path / "answers.jsonl"
    write_rows(path, [{"response": text} for text in TEXTS])
    return rule_frame(path, "likert")


def drawn(frame: Frame, n: int, seed: int) -> list[str]:
    strata = [(row.labels["likert"],) for row in frame.rows]
    places = draw(strata, allocate_equally(Counter(strata), n), seed=seed)
    return [frame.rows[at].row_id for at in places]


def test_every_reading_has_an_equal_share_as_far_as_it_goes(frame: Frame, tmp_path: Path) -> None:
    call(
        *("sample", frame.origin, "--rule", "likert", "--n", 40),
        *("--raters", 1, "--out", tmp_path / "labels"),
    )
    rows = read_sample(tmp_path / "labels").drawn
    # 2 of no answer, 8 off the scale; the 30 that are left are halved
    assert Counter(row.stratum for row in rows) == {
        "no_answer": 2,
        "off_scale": 8,
        "strongly acceptable": 15,
        "neutral": 15,
    }
    assert {row.stratum: row.probability for row in rows} == {
        "no_answer": 1,
        "off_scale": 1,
        "strongly acceptable": 1 / 2,
        "neutral": 1 / 4,
    }


def test_the_same_seed_draws_the_same_rows_and_another_draws_others(frame: Frame) -> None:
    assert drawn(frame, 40, 0) == drawn(frame, 40, 0)
    assert drawn(frame, 40, 0) != drawn(frame, 40, 1)
    assert len(set(drawn(frame, 40, 1))) == 40


def test_every_answer_of_a_reading_has_the_same_chance(frame: Frame) -> None:
    strata = [(row.labels["likert"],) for row in frame.rows[:90]]
    quotas = allocate_equally(Counter(strata), 20)
    counted = Counter(at for seed in range(300) for at in draw(strata, quotas, seed=seed))
    # 10 of 60 and 10 of 30 in each: 50 and 100 times in 300, standard deviations 6.5 and 8.2
    assert all(25 < counted[k] < 75 for k in range(60))
    assert all(65 < counted[k] < 135 for k in range(60, 90))


@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=8), n=st.integers(1, 200))
def test_an_allocation_spends_all_and_takes_no_more_than_there_is(sizes: list[int], n: int) -> None:
    strata: dict[tuple[str, ...], int] = {(str(k),): size for k, size in enumerate(sizes)}
    if n < len(sizes):
        with pytest.raises(UsageError, match=f"--n is {n}: draw {len(sizes)} at least"):
            allocate_equally(strata, n)
        return
    quotas = allocate_equally(strata, n)
    assert sum(quotas.values()) == min(n, sum(sizes))
    assert all(1 <= quotas[key] <= strata[key] for key in strata)
    # nobody has less than another unless that is all there is of it
    most = max(quotas.values())
    assert all(quotas[key] >= most - 1 or quotas[key] == strata[key] for key in strata)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """A sample of four answers to multiple-choice questions, one with three options."""
    rows: list[dict[str, object]] = [
        {"response": text} for text in ("Answer: B", "ABCD", "I cannot answer this question.")
    ]
    options = [{"letter": letter, "text": f"text {letter}"} for letter in "ABC"]
    rows.append({"response": "选A", "question": "=Which?", "options": options})
    path = tmp_path / "answers.jsonl"
    write_rows(path, [{"question": None, "options": None} | row for row in rows])
    call("sample", path, "--rule", "option", "--raters", 1, "--out", tmp_path / "labels")
    return tmp_path / "labels"


READ = {
    "Answer: B": "B",
    "ABCD": "all_labels_listed",
    # the person takes the refusal for an answer off the scale
    "I cannot answer this question.": "Off scale",
    "选A": "a",
}


def test_a_rule_s_sheet_is_blind_and_tells_what_each_label_means(labels: Path) -> None:
    rows = {row["answer"]: row for row in read(labels / "sheets" / "rater-1.csv")}
    assert {row["label_option"] for row in rows.values()} == {""}
    assert rows["选A"]["question"] == "'=Which?"
    assert "A = text A\nB = text B\nC = text C\nno_answer = no label: it" in rows["选A"]["guide"]
    assert rows["选A"]["allowed"].startswith("label_option: A, B, C, no_answer")
    assert rows["ABCD"]["allowed"].startswith("label_option: A, B, C, D, no_answer")
    # the page asks the same
    assert "text C" in (labels / "sheets" / "rater-1.html").read_text(encoding="utf-8")


def test_a_rule_is_checked_by_the_labels_of_its_sample(labels: Path) -> None:
    sheet = fill(labels / "sheets" / "rater-1.csv", lambda row, _: READ[row["answer"]])
    assert f"next: normscope annotate check {labels}" in call("import", labels, sheet).output
    shown = [" ".join(line.split()) for line in call("check", labels).output.splitlines()]
    assert "option: 4 of 4 rows labelled, for 4 answers" in shown
    assert "refused_to_choose off_scale ≠ 1" in shown
    assert "All answers, read right: 75.0 % [75.0, 75.0] %, n = 4" in shown
    assert "all labels 2 100 % [100, 100] % 2 100 % [100, 100] % 4" in shown


def test_a_letter_that_the_item_does_not_have_is_no_label(labels: Path) -> None:
    sheet = fill(labels / "sheets" / "rater-1.csv", lambda _, __: "D")
    with pytest.raises(DataError, match="label_option is 'D'; write one of A, B, C, no_answer"):
        call("import", labels, sheet)


def test_several_people_may_check_a_rule_and_settle_their_ties(
    labels: Path, tmp_path: Path
) -> None:
    two = tmp_path / "two"
    call(
        *("sample", tmp_path / "answers.jsonl", "--rule", "option"),
        *("--raters", 2, "--out", two),
    )
    sheets = [two / "sheets" / f"rater-{k}.csv" for k in (1, 2)]
    fill(sheets[0], lambda row, _: READ[row["answer"]])
    fill(sheets[1], lambda _, __: "B")
    shown = call("import", two, *sheets).output
    assert "Cohen's κ" in shown
    assert "quadratic" not in shown
    with pytest.raises(DataError, match="3 ties are open"):
        call("check", two)
    call("adjudicate", two)
    ties = fill(two / "ties.csv", lambda row, _: READ[row["answer"]])
    call("adjudicate", two, ties)
    assert "75.0 %" in call("check", two).output


def test_a_sample_for_one_thing_is_not_taken_for_the_other(
    labels: Path, run: Path, tmp_path: Path
) -> None:
    sheet = fill(labels / "sheets" / "rater-1.csv", lambda row, _: READ[row["answer"]])
    call("import", labels, sheet)
    with pytest.raises(DataError, match="there is no judge to correct"):
        call("correct", run, labels)
    call("sample", run, "--n", 40, "--raters", 1, "--out", tmp_path / "judged")
    filled = fill(tmp_path / "judged" / "sheets" / "rater-1.csv", lambda _, __: "1")
    call("import", tmp_path / "judged", filled)
    # of a judge's sample the same verb says how the judge agrees
    assert "Kendall's τ-b" in call("check", tmp_path / "judged").output
    drawn = read_sample(tmp_path / "judged")
    with pytest.raises(DataError, match="the sample is of a judge's labels, not of a rule's"):
        agreement_of_rule(drawn, gold_of(read_people(tmp_path / "judged", drawn), drawn))


def test_a_file_s_options_are_those_of_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "mcq.jsonl"
    options = [{"letter": "A", "text": "ask first"}, {"letter": "B", "text": "say nothing"}]
    write_rows(path, [{"response": "Ask first!", "options": options, "question": "What now?"}])
    ((item, text),) = file_answers(read_rows(path), path=path, letters=None)
    assert labels_of("option", item) == ("A", "B")
    assert item.question == "What now?"
    assert read_text("option", item, text).label == "A"
    # the same in a CSV, where a list is JSON
    csv = tmp_path / "mcq.csv"
    write_rows(csv, [{"text": "B", "options": options}])
    ((item, _),) = file_answers(read_rows(csv), path=csv, letters=None)
    assert [option.text for option in item.options] == ["ask first", "say nothing"]


def test_letters_are_those_given_where_a_row_has_no_options(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    write_rows(path, [{"text": "F"}])
    assert rule_frame(path, "option").rows[0].labels == {"option": "off_scale"}
    assert rule_frame(path, "option", letters=tuple("ABCDEF")).rows[0].labels == {"option": "F"}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"answer": "A"}, "no column 'response' or 'text'"),
        ({"text": 7}, "row 1: text is 7, not a text"),
        ({"text": "A", "options": "A, B"}, "row 1: options is 'A, B', not a list"),
    ],
)
def test_a_file_of_another_shape_is_refused(
    tmp_path: Path, row: dict[str, object], problem: str
) -> None:
    path = tmp_path / "odd.jsonl"
    write_rows(path, [row])
    with pytest.raises(DataError, match=problem):
        rule_frame(path, "option")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--rule", "likert", "--letters", "A"), "letters belong to the rule 'option'"),
        (("--rule", "likert", "--strata", "area"), "a rule has one criterion"),
        ((), "which rule reads them"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(
    frame: Frame, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        call("sample", frame.origin, *arguments, "--out", tmp_path / "labels")
