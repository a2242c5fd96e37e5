from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import DataError, UsageError
from normscope.judges.trust.rule_frame import Answer, file_answers
from normscope.judges.trust.rule_sample import allocate, draw, stratum
from normscope.rows import write_rows

TEXTS = ["neutral"] * 60 + ["strongly acceptable"] * 30 + ["acceptable"] * 8 + ["", "N/A"]
ANSWERS = [Answer(f"row {k}", "likert", text) for k, text in enumerate(TEXTS)]


def test_every_reading_has_an_equal_share_as_far_as_it_goes() -> None:
    drawn = draw(ANSWERS, n=40, seed=0)
    taken = Counter(stratum(one.answer, one.reading)[1] for one in drawn)
    # 2 of no answer, 8 off the scale; the 30 that are left are halved
    assert taken == {
        "no_answer": 2,
        "off_scale": 8,
        "strongly acceptable": 15,
        "neutral": 15,
    }
    weights = {one.reading.label or str(one.reading.reason): one.weight for one in drawn}
    assert weights == {"no_answer": 1, "off_scale": 1, "strongly acceptable": 2, "neutral": 4}
    assert sum(one.weight for one in drawn) == pytest.approx(len(ANSWERS))


def test_the_same_seed_draws_the_same_rows_and_another_draws_others() -> None:
    def places(seed: int) -> list[str]:
        return [one.answer.where for one in draw(ANSWERS, n=40, seed=seed)]

    assert places(0) == places(0)
    assert places(0) != places(1)
    assert len(set(places(0))) == 40


def test_every_answer_of_a_reading_has_the_same_chance() -> None:
    drawn: Counter[str] = Counter()
    for seed in range(300):
        drawn.update(one.answer.where for one in draw(ANSWERS[:90], n=20, seed=seed))
    # 10 of 60 and 10 of 30 in each: 50 and 100 times in 300, standard deviations 6.5 and 8.2
    assert all(25 < drawn[f"row {k}"] < 75 for k in range(60))
    assert all(65 < drawn[f"row {k}"] < 135 for k in range(60, 90))


@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=8), n=st.integers(1, 200))
def test_an_allocation_spends_all_and_takes_no_more_than_there_is(sizes: list[int], n: int) -> None:
    strata = {("r", str(k)): size for k, size in enumerate(sizes)}
    if n < len(sizes):
        with pytest.raises(UsageError, match=f"n is {n}: draw {len(sizes)} at least"):
            allocate(strata, n)
        return
    quotas = allocate(strata, n)
    assert sum(quotas.values()) == min(n, sum(sizes))
    assert all(1 <= quotas[key] <= strata[key] for key in strata)
    # nobody has less than another unless that is all there is of it
    most = max(quotas.values())
    assert all(quotas[key] >= most - 1 or quotas[key] == strata[key] for key in strata)


def test_a_files_options_tell_the_letters_of_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "mcq.jsonl"
    options = [{"letter": "A", "text": "ask first"}, {"letter": "B", "text": "say nothing"}]
    write_rows(path, [{"response": "Ask first!", "options": options, "question": "What now?"}])
    (answer,) = file_answers(path, rule="option", letters=None)
    assert answer.letters == ("A", "B")
    assert answer.question == "What now?"
    assert answer.read().label == "A"
    # the same in a CSV, where a list is JSON
    csv = tmp_path / "mcq.csv"
    write_rows(csv, [{"text": "B", "options": options}])
    (answer,) = file_answers(csv, rule="option", letters=None)
    assert answer.options == ("ask first", "say nothing")


def test_letters_are_those_given_where_a_row_has_no_options(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    write_rows(path, [{"text": "F"}])
    assert file_answers(path, rule="option", letters=None)[0].read().label is None
    assert file_answers(path, rule="option", letters=tuple("ABCDEF"))[0].read().label == "F"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"answer": "A"}, "no column 'response' or 'text'"),
        ({"text": 7}, "row 0: text is 7, not a text"),
        ({"text": "A", "options": "A, B"}, "row 0: options is 'A, B', not a list"),
    ],
)
def test_a_file_of_another_shape_is_refused(
    tmp_path: Path, row: dict[str, object], told: str
) -> None:
    path = tmp_path / "odd.jsonl"
    write_rows(path, [row])
    with pytest.raises(DataError, match=told):
        file_answers(path, rule="option", letters=None)


def test_letters_belong_to_options_only(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    write_rows(path, [{"text": "neutral"}])
    with pytest.raises(UsageError, match="letters belong to the rule 'option'"):
        file_answers(path, rule="likert", letters=("A",))
