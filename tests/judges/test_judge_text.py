"""A judge asked in text: a rule reads the verdict that it writes, in one loop with the labels."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.judge import LoadedJudge, Pair, Work
from normscope.judges.rubric import VERDICT_TOKENS, Questions
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.drift import judged_fixed_answers
from normscope.reasons import Origin, Reason
from normscope.records.item import Item, Turn
from normscope.records.journal import Journal
from normscope.records.judgement import Source
from normscope.records.judgements import counted_verdicts
from normscope.records.response import Response
from normscope.records.settings import Channel

Write = Callable[[TextRequest], TextResult]
BAD = "[…bad…]"


def pair(answer: str | None) -> Pair:
    item = Item("b", "1", (Turn("user", "May I?"),), "en", category="misleading")
    return item, Response.to(item, answer)


def even(request: LabelRequest) -> LabelResult:
    k = len(request.scale.labels)
    return LabelResult((math.log(0.9 / k),) * k)


def no_labels(_: LabelRequest) -> LabelResult:
    raise AssertionError("a judge asked in text is asked for no label")


def writing(text: str | None, reason: Reason | None = None) -> Write:
    return lambda _: TextResult(text, reason)


def judge_on(
    write: Write, *channels: Channel, criteria: tuple[str, ...] = ("rating",)
) -> LoadedJudge:
    engine = FakeEngine(even if "labels" in channels else no_labels, write)
    questions = Questions.of(rubric("cfsafety"), criteria)
    return LoadedJudge(engine, {"b": questions}, 0.5, channels=channels)


def prompt_of(request: TextRequest) -> str:
    return request.conversation[0][1]


def by_criterion(request: TextRequest) -> TextResult:
    return TextResult("moral: 1" if "verdict on the answer: moral" in prompt_of(request) else "4/5")


def test_a_verdict_in_text_is_the_label_that_the_rule_reads_and_what_was_written_is_kept() -> None:
    judge = judge_on(by_criterion, "text", criteria=("moral", "rating"))
    ((moral, rating),) = judge.judge([pair("No.")])
    assert (moral.value, rating.value) == (1.0, 4.0)
    assert rating.probs == (0.0, 0.0, 0.0, 1.0, 0.0)
    assert (rating.source, rating.reply) == (Source.JUDGE_TEXT, "4/5")
    # text has no mass on a scale that a threshold could ask for
    assert rating.coverage is None
    assert rating.rubric_hash == rubric("cfsafety").hash
    (request, _) = judge.engine.requests  # type: ignore[attr-defined]
    assert (request.temperature, request.max_new_tokens) == (0.0, VERDICT_TOKENS)


def test_the_prompt_in_text_is_the_one_in_labels() -> None:
    judge = judge_on(writing("3"), "labels", "text")
    judge.judge([pair("No.")])
    labels, text = judge.engine.requests  # type: ignore[attr-defined]
    assert labels.conversation == text.conversation


@pytest.mark.parametrize(
    ("reply", "failed", "reason"),
    [
        ("It is mostly safe.", None, Reason.UNREADABLE_VERDICT),
        ("2 or 3", None, Reason.UNREADABLE_VERDICT),
        ("I'm sorry, I cannot judge this.", None, Reason.UNREADABLE_VERDICT),
        ("", Reason.NO_ANSWER, Reason.UNREADABLE_VERDICT),
        (None, Reason.CALL_FAILED, Reason.CALL_FAILED),
        (None, Reason.TEXT_TOO_LONG, Reason.TEXT_TOO_LONG),
    ],
)
def test_what_cannot_be_read_is_unscored_by_our_failure_never_a_zero(
    reply: str | None, failed: Reason | None, reason: Reason
) -> None:
    ((rating,),) = judge_on(writing(reply, failed), "text").judge([pair("No.")])
    assert (rating.value, rating.probs, rating.reason) == (None, None, reason)
    assert reason.origin in {Origin.JUDGE, Origin.ENGINE}
    assert rating.reply == (reply if reason is Reason.UNREADABLE_VERDICT else None)


def test_an_answer_that_was_not_given_is_not_judged_in_either_channel() -> None:
    (judged,) = judge_on(writing("3"), "labels", "text").judge([pair(None)])
    assert [each.reason for each in judged] == [Reason.NO_ANSWER] * 2


def test_both_channels_are_recorded_and_the_labels_count() -> None:
    judge = judge_on(by_criterion, "labels", "text", criteria=("moral", "rating"))
    (judged,) = judge.judge([pair("No.")])
    assert [(each.criterion, each.source.value) for each in judged] == [
        ("moral", "judge_logits"),
        ("rating", "judge_logits"),
        ("moral", "judge_text"),
        ("rating", "judge_text"),
    ]
    assert counted_verdicts(judged) == list(judged[:2])
    assert judge.counting.channels == ("labels",)


def test_the_worst_window_of_a_long_answer_counts_in_text_too() -> None:
    def write(request: TextRequest) -> TextResult:
        text = prompt_of(request)
        if len(text) > 6_000:
            return TextResult(None, Reason.TEXT_TOO_LONG)
        return TextResult("1" if BAD in text else "5")

    ((rating,),) = judge_on(write, "text").judge([pair("No. " * 3_000 + BAD)])
    assert (rating.value, rating.reply, rating.coverage) == (1.0, "1", None)
    assert rating.windows > 1


def test_what_is_in_the_journal_is_not_asked_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    pairs = [pair("No."), pair("Yes.")]
    first = judge_on(writing("4"), "labels", "text").judge(pairs, Work(journal))

    def never(_: TextRequest) -> TextResult:
        raise AssertionError("asked again")

    again = Journal(tmp_path / "journal.sqlite")
    assert judge_on(never, "labels", "text").judge(pairs, Work(again)) == first


def test_a_judge_in_text_has_its_fixed_answers_read() -> None:
    judge = judge_on(writing("4"), "text")
    (fixed,) = judged_fixed_answers(judge, {"model": "m"})
    assert {row.probs for row in fixed.rows} == {(0.0, 0.0, 0.0, 1.0, 0.0)}
    both = judge_on(writing("4"), "labels", "text")
    # in two channels each fixed answer has one verdict all the same
    (counted,) = judged_fixed_answers(both, {"model": "m"})
    assert len(counted.rows) == len(fixed.rows) == 20
    assert counted.of != fixed.of
