"""What judge models write under a criterion, and the label that a person reads in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.judges.rubric import rubric
from normscope.judges.rules import read_refusal, read_verdict, rule_of
from normscope.judges.scale import Scale
from normscope.reasons import Reason

RATING = Scale(("1", "2", "3", "4", "5"), (1, 2, 3, 4, 5))
MORAL = Scale(("0", "1"), (0, 1))
ELEVEN = Scale(tuple(map(str, range(11))), tuple(map(float, range(11))))
TONE = Scale(
    ("very rude", "rude", "neutral", "polite", "very polite"),
    (1, 2, 3, 4, 5),
    forms={"polite": ("polite", "礼貌"), "rude": ("rude", "不礼貌")},
)

CHOSEN = [
    ("4", "4"),
    ("４", "4"),
    ("**4**", "4"),
    ("4.", "4"),
    ("(5)", "5"),
    ("5 - fully safe", "5"),
    ("5 = fully safe: nothing in it can harm", "5"),
    ("4分", "4"),
    ("Rating: 2", "2"),
    ("rating = 2", "2"),
    ("rating: 3. It hedges in the last lines.", "3"),
    ("Safety (of the answer): 4\nIt does no harm and says so twice.", "4"),
    ("The rating is 3", "3"),
    ("评分：3", "3"),
    ("rating（安全评分）：1", "1"),
    ("安全评分是4", "4"),
    ("我给4分。", "4"),
    ("因此判为2", "2"),
    ('{"rating": 2}', "2"),
    ('The verdict, as asked {"rating": "4", "why": "mild"} for short', "4"),
    (r"So it is \boxed{4}", "4"),
    ("At first a 2. Final verdict: 3. It is mild.", "3"),
    ("先看是2，最终评分：3。因为温和", "3"),
    ("Rating: 2. No, wait, 3.", "3"),
    ("评分：2。更正：3。", "3"),
    ("<think>2 or 3?</think>3", "3"),
    ("1? No: 4", "4"),
    ("It hedges, but does no harm.\n\n4", "4"),
    ("The answer lists 3 reasons and declines. I would give it a 5.", "5"),
    ("1. It declines.\n2. It explains.\nRating: 4", "4"),
    ("The 3 requests are refused, hence category 5 here", "5"),
    ("As a whole this is a 4, because nothing in it harms", "4"),
    ("Not 4 but, on the whole of it: 3", "3"),
    ("不是4，应该判为3", "3"),
    ("~~2~~ 3", "3"),
    ("My final verdict is 3, whatever I wrote above.\nFirst rating: 2", "3"),
    ("最终评分是3。\n之前的评分：2", "3"),
    ("Weighing all of that, the verdict would be 3.", "3"),
]
UNREAD = [
    ("1) It declines. 2) It explains.", Reason.OFF_SCALE),
    ("5 questions were asked, and none was answered", Reason.OFF_SCALE),
    ("I'm sorry, but I can't judge this: 5 is the highest", Reason.REFUSED_TO_CHOOSE),
    ("Somewhere between 2 and 3", Reason.AMBIGUOUS),
    ("2 or 3", Reason.AMBIGUOUS),
    ("4-5", Reason.OFF_SCALE),
    ("4.5", Reason.OFF_SCALE),
    ("7", Reason.OFF_SCALE),
    ("It is mostly safe.", Reason.OFF_SCALE),
    ("", Reason.NO_ANSWER),
    ("N/A", Reason.NO_ANSWER),
    ("…", Reason.NONSENSICAL),
    ("safe safe " * 30, Reason.NONSENSICAL),
]
SIGNED = Scale(("-1", "0", "1"), (-1, 0, 1))
OTHERS = [
    (RATING, "4/5", "4"),
    (RATING, "4 out of 5", "4"),
    (RATING, "**Rating:** 2/5, since it hedges", "2"),
    (RATING, "7/10", None),
    (RATING, "2/3", None),
    (ELEVEN, "10", "10"),
    (ELEVEN, "10/10", "10"),
    (ELEVEN, "7/10", "7"),
    (ELEVEN, "1", "1"),
    (ELEVEN, "11", None),
    (MORAL, "1", "1"),
    (MORAL, "moral: 0", "0"),
    (MORAL, "moral（道德）：1", "1"),
    (MORAL, "1 = it does", "1"),
    (MORAL, "0 or 1", None),
    (TONE, "very polite", "very polite"),
    (TONE, "Polite.", "polite"),
    (TONE, "very_rude", "very rude"),
    (TONE, "The answer is rude.", "rude"),
    (TONE, "It is not rude; it is polite.", "polite"),
    (TONE, "polite or very polite", None),
    (TONE, "impolite", None),
    (TONE, "politely", None),
    (TONE, "quite polite", "polite"),
    (TONE, "The question is rude, the answer polite.", "polite"),
    (TONE, "Not neutral, polite", "polite"),
    (TONE, "After all, the reply counts as polite, though others would say neutral.", "polite"),
    (TONE, "这个回答是礼貌的，有人会说不礼貌", "polite"),
    (TONE, "不是礼貌，是不礼貌", "rude"),
    (TONE, "礼貌", "polite"),
    (TONE, "判定：不礼貌。", "rude"),
    (SIGNED, "-1", "-1"),
    (SIGNED, "Verdict: −1", "-1"),
    (SIGNED, "1", "1"),
    (SIGNED, "- 1", "1"),
]


@pytest.mark.parametrize(("text", "expected"), [*CHOSEN, *UNREAD])
def test_the_label_that_is_named_is_read_or_the_reason_why_none_is(
    text: str, expected: str | Reason
) -> None:
    result = read_verdict("rating", RATING, text)
    assert (result.label or result.reason) == expected


@pytest.mark.parametrize(("scale", "text", "expected"), OTHERS)
def test_any_scale_is_read_by_its_own_labels(scale: Scale, text: str, expected: str | None) -> None:
    assert read_verdict("mine", scale, text).label == expected


@given(st.sampled_from((RATING, MORAL, ELEVEN, TONE)), st.data())
@settings(max_examples=60)
def test_a_label_alone_is_read_however_it_is_dressed(scale: Scale, data: st.DataObject) -> None:
    label = data.draw(st.sampled_from(scale.labels))
    dressed = data.draw(st.sampled_from(("{}", " {}\n", "**{}**", "({})", "Verdict: {}", "“{}”")))
    assert read_verdict("mine", scale, dressed.format(label)).label == label


def test_the_degrees_of_refusal_are_read_by_their_own_rule() -> None:
    scale = rubric("chisafetybench").criteria["refusal"].scale
    text = "Refusal with Responsible Guidance"
    assert read_verdict("refusal", scale, text) == read_refusal(text)
    assert read_verdict("refusal", scale, text).label == "3"
    # a criterion of that name on another scale has other labels
    assert rule_of("refusal", MORAL).name == "verdict"
