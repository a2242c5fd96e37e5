"""A judge on scripted engines: both orders of the labels, windows of long answers, a journal."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.judge import LEAST, LoadedJudge, Pair, Window, Work
from normscope.judges.rubric import Questions
from normscope.judges.rubric_files import rubric
from normscope.reasons import Reason
from normscope.records.item import Item, Turn
from normscope.records.journal import Journal
from normscope.records.judgement import RawToken
from normscope.records.response import Response

LINE = re.compile(r"^(\d) = ", re.MULTILINE)
CRITERIA = ("moral", "rating")
BAD = "[…bad…]"
TOO_LONG = LabelResult(logprobs=None, reason=Reason.TEXT_TOO_LONG)


def prompt_of(request: LabelRequest) -> str:
    return request.conversation[0][1]


def listed(request: LabelRequest) -> list[str]:
    """The labels of the criterion that is asked in the order in which the prompt lists them."""
    before, criterion = prompt_of(request).rsplit("verdict on the answer: ", 1)
    question = before.split(f"\n{criterion.split('.')[0]}: ")[1].split("\n\n")[0]
    return LINE.findall(question)


def peaked(request: LabelRequest, label: str, mass: float = 0.9) -> LabelResult:
    rest = (1 - mass) / 100
    probs = [mass if one == label else rest for one in request.scale.labels]
    top = (RawToken(label, mass),)
    return LabelResult(tuple(math.log(p) for p in probs), raw_top=top)


def honest(request: LabelRequest) -> LabelResult:
    """The worst label for a bad answer, the best for any other."""
    answer = prompt_of(request).split("⟦answer⟧\n")[-1].split("\n⟦/answer⟧")[0]
    return peaked(request, request.scale.labels[0 if BAD in answer else -1])


def first_listed(request: LabelRequest) -> LabelResult:
    return peaked(request, listed(request)[0])


def reads_up_to(characters: int, answer: Callable[[LabelRequest], LabelResult]) -> Any:
    def on_labels(request: LabelRequest) -> LabelResult:
        return TOO_LONG if len(prompt_of(request)) > characters else answer(request)

    return on_labels


def judge_on(on_labels: Any, label_orders: Any = "given") -> tuple[LoadedJudge, FakeEngine]:
    engine = FakeEngine(on_labels, lambda _: TextResult(""))
    questions = Questions.of(rubric("cfsafety"), CRITERIA)
    return LoadedJudge(engine, {"b": questions}, 0.5, label_orders), engine


def pair(number: int, answer: str | None, question: str = "May I?") -> Pair:
    item = Item(
        "b", str(number), (Turn("user", question),), "en", category="misleading", cluster="c"
    )
    return item, Response.to(item, answer)


def length(question: str = "May I?") -> int:
    """Characters of the longest prompt around an answer."""
    turns = (("user", question),)
    asked = rubric("cfsafety")
    return max(
        len(
            asked.render(
                criterion, category="misleading", language="en", conversation=turns, answer=""
            )
        )
        for criterion in CRITERIA
    )


def test_each_response_has_a_row_per_criterion_in_its_order() -> None:
    judge, engine = judge_on(honest)
    rows = judge.judge([pair(1, "Yes."), pair(2, BAD), pair(3, " "), pair(4, None)])
    assert [[row.criterion for row in made] for made in rows] == [list(CRITERIA)] * 4
    assert rows[0][0].value == pytest.approx(1, abs=0.01)
    assert rows[1][1].value == pytest.approx(1, abs=0.05)
    assert [row.reason for made in rows[2:] for row in made] == ["no_answer"] * 4
    assert len(engine.requests) == 4
    assert rows[0][0].order_shift is None


def test_both_orders_cancel_a_judge_that_takes_the_first_label() -> None:
    (given,) = judge_on(first_listed)[0].judge([pair(1, "Yes.")])
    judge, engine = judge_on(first_listed, "both")
    ((moral, rating),) = judge.judge([pair(1, "Yes.")])
    # asked in one order it says the least; in both, the middle of either scale
    assert [row.value for row in given] == pytest.approx([0, 1], abs=0.05)
    assert [moral.value, rating.value] == pytest.approx([0.5, 3.0])
    assert [listed(r)[0] for r in engine.requests if isinstance(r, LabelRequest)] == list("0115")
    # all of the mass moves from one end to the other: nearly −1 and −4
    assert moral.order_shift == pytest.approx(-1, abs=0.01)
    assert rating.order_shift == pytest.approx(-4, abs=0.05)


def test_the_criteria_of_one_answer_share_everything_but_the_last_line_in_each_order() -> None:
    judge, engine = judge_on(honest, "both")
    judge.judge([pair(1, "Yes.")])
    prompts = [prompt_of(r) for r in engine.requests if isinstance(r, LabelRequest)]
    stems = {prompt.rpartition("\n\n")[0] for prompt in prompts}
    assert len(stems) == 2
    assert len(set(prompts)) == 4


def test_a_language_that_the_judge_does_not_cover_is_unscored_and_not_asked() -> None:
    judge, engine = judge_on(honest)
    told = {**engine.identity, "languages": ["en", "zh"]}
    covering = replace(judge, engine=Covering(engine, told))
    item, response = pair(1, "Sì.")
    rows = covering.judge([(replace(item, language="it"), response), (item, response)])
    assert [row.reason for row in rows[0]] == [Reason.LANGUAGE_NOT_COVERED] * len(CRITERIA)
    assert [row.value for row in rows[0]] == [None] * len(CRITERIA)
    assert [row.reason for row in rows[1]] == [None] * len(CRITERIA)
    assert len(engine.requests) == len(CRITERIA)


class Covering:
    """An engine that says which languages it was made for."""

    def __init__(self, engine: FakeEngine, identity: dict[str, Any]) -> None:
        self.name, self.identity = engine.name, identity
        self.labels, self.texts = engine.labels, engine.texts


def test_a_long_answer_is_judged_in_windows_and_the_worst_counts() -> None:
    answer = "A fine sentence. " * 60 + BAD + " A fine sentence." * 60
    judge, _ = judge_on(reads_up_to(length() + 900, honest))
    short, long = judge.judge([pair(1, "A fine sentence."), pair(2, answer)])
    # 2,000 characters in windows of at most 900 less the marks: 1,230, then 740
    assert [row.windows for row in long] == [4, 4]
    assert [row.windows for row in short] == [1, 1]
    assert [row.value for row in long] == pytest.approx([0, 1], abs=0.05)
    assert [row.value for row in short] == pytest.approx([1, 5], abs=0.1)


def test_every_criterion_is_asked_about_the_same_windows_and_all_of_the_answer() -> None:
    answer = " ".join(f"Sentence number {n}." for n in range(200))
    judge, engine = judge_on(reads_up_to(length() + 1500, honest))
    judge.judge([pair(1, answer)])
    seen: dict[str, list[str]] = {criterion: [] for criterion in CRITERIA}
    for request in engine.requests:
        assert isinstance(request, LabelRequest)
        prompt = prompt_of(request)
        if len(prompt) <= length() + 1500:
            criterion = "moral" if "verdict on the answer: moral" in prompt else "rating"
            seen[criterion].append(prompt.split("⟦answer⟧\n")[-1].split("\n⟦/answer⟧")[0])
    assert seen["moral"] == seen["rating"]
    told = " ".join(seen["moral"])
    assert all(f"Sentence number {n}." in told for n in range(200))


def test_windows_are_the_same_whatever_else_is_in_the_unit() -> None:
    answer = "A fine sentence. " * 100
    judge, _ = judge_on(reads_up_to(length() + 600, honest))
    alone = judge.judge([pair(1, answer)])[0]
    among = judge.judge([pair(2, BAD * 300), pair(1, answer), pair(3, "Yes.")])[1]
    assert alone == among


def test_a_question_that_does_not_fit_is_unscored_after_one_more_call() -> None:
    question = "Why? " * 2000
    judge, engine = judge_on(reads_up_to(length() + 5000, honest))
    (rows,) = judge.judge([pair(1, "A fine sentence. " * 500, question)])
    assert {(row.reason, row.value, row.windows) for row in rows} == {("text_too_long", None, 1)}
    assert len(engine.requests) == 2 * len(CRITERIA)


def test_a_window_without_a_reading_leaves_the_answer_unscored() -> None:
    def half_deaf(request: LabelRequest) -> LabelResult:
        return peaked(request, request.scale.labels[-1], 0.2 if BAD in prompt_of(request) else 0.9)

    answer = "A fine sentence. " * 60 + BAD
    judge, _ = judge_on(reads_up_to(length() + 700, half_deaf))
    (rows,) = judge.judge([pair(1, answer)])
    assert {row.reason for row in rows} == {"low_coverage"}
    assert all(row.windows > 1 and (row.coverage or 1) < 0.5 for row in rows)


def test_what_the_journal_holds_is_not_asked_again(tmp_path: Path) -> None:
    """Judgements come back as they were made, and only what is new is asked."""
    judge, engine = judge_on(first_listed, "both")
    pairs = [pair(number, "Yes." * number) for number in range(1, 6)]
    alone = judge.judge(pairs)
    asked = len(engine.requests)
    first = judge.judge(pairs, Work(Journal(tmp_path / "journal"), unit_items=2))
    again = judge.judge(pairs, Work(Journal(tmp_path / "journal"), unit_items=2))
    assert alone == first == again
    assert len(engine.requests) == 2 * asked


def parts(text: str, longest: int) -> list[tuple[int, int]]:
    """Halved until each is no longer than that: where each begins and ends with its margins."""
    done, todo = [], [Window(0, len(text))]
    while todo:
        window = todo.pop(0)
        halves = window.halves() if window.high - window.low > longest else None
        if halves is None:
            done.append(window)
        else:
            todo += halves
    return [window.with_margins(text) for window in sorted(done, key=lambda window: window.low)]


SENTENCES = st.lists(
    st.sampled_from(["A short one. ", "还有一句中文。", "word ", "x" * 50, "\n\n", "\n", "Why?! "]),
    min_size=10,
    max_size=200,
).map("".join)


# where what two parts share was halved again on both sides, two began behind the last sentence
@example("A short one. " * 18 + "x" * 350, LEAST)
@given(SENTENCES, st.integers(LEAST, 2000))
def test_windows_cover_the_text_overlap_and_are_no_longer_than_asked(text: str, most: int) -> None:
    windows = parts(text, most)
    assert windows[0][0] == 0
    assert windows[-1][1] == len(text)
    for (low, high), (next_low, next_high) in pairwise(windows):
        assert low < next_low < high < next_high
    # a fifth more at either side, rounded
    assert all(high - low <= 1.4 * most + 1 for low, high in windows)
    assert parts(text, most) == windows


def test_each_part_is_more_than_half_and_at_most_three_fifths() -> None:
    text = "x" * 1000
    halves = Window(0, 1000).halves() or ()
    # without any boundary the parts are as long as they may be: 60 % each, 20 % shared
    assert [half.with_margins(text) for half in halves] == [(0, 600), (400, 1000)]


@pytest.mark.parametrize(
    ("seam", "text"),
    [
        ("a paragraph", "{a}. b c\nd. \n\n{a}"),
        ("a line", "{a}. b c\n{a}"),
        ("a sentence", "{a} b c. {a}"),
        ("a Chinese sentence", "{a}，乙。{a}"),
        ("a word", "{a} {a}"),
    ],
)
def test_a_part_ends_where_something_ends(seam: str, text: str) -> None:
    # a part ends between 52 % and 60 % of the text: sixty letters more put the seam there
    filled = "y" * 60 + text.format(a="x" * 500)
    first, _ = Window(0, len(filled)).halves() or (None, None)
    assert first is not None
    assert first.with_margins(filled)[1] == len(filled) - 500, seam


def test_a_short_text_is_not_halved() -> None:
    assert Window(0, LEAST - 1).halves() is None
    assert Window(0, LEAST).halves() is not None


def test_what_is_left_out_is_marked() -> None:
    text = "one two three"
    assert Window(0, len(text)).of(text) == text
    assert Window(0, 3).of(text) == "one […]"
    assert Window(8, 13).of(text) == "[…] three"
