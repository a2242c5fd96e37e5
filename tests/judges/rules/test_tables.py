"""What holds for every rule, whatever its table."""

import re
import sys
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.builders.taxonomy import LIKERT
from normscope.errors import UsageError
from normscope.judges.rules import (
    RULES,
    read_likert,
    read_option,
    read_refusal,
    read_verdict,
    rule_hash,
)
from normscope.judges.rules.table import Gives, Pattern, Rule, RuleResult, Stage, read
from normscope.judges.rules.tidy import tidy
from normscope.judges.rules.words import form_words, letter_words
from normscope.judges.scale import Scale
from normscope.reasons import Origin, Reason

LETTERS = ("A", "B", "C", "D")
CLASSES = ("0", "1", "2", "3")
RATING = Scale(("1", "2", "3", "4", "5"), (1, 2, 3, 4, 5))
READERS: dict[str, tuple[Callable[[str], RuleResult], tuple[str, ...]]] = {
    "option": (lambda text: read_option(text, LETTERS), LETTERS),
    "likert": (read_likert, LIKERT),
    "refusal": (read_refusal, CLASSES),
    "verdict": (lambda text: read_verdict("rating", RATING, text), RATING.labels),
}

anything = st.text(st.characters(), max_size=80)
JOINTS = ["the answer is", "不是", "答案是", "not", "or", "\n", " ", ", ", ":", "(", ")", "**"]
JOINTS += ["<think>", "</think>", "\\boxed{", "}", "I'm sorry", "拒绝", "A.", "\u0301"]
pieces = st.sampled_from((*LETTERS, *LIKERT, *CLASSES, *JOINTS))
plausible = st.lists(pieces, max_size=12).map(" ".join)
slow_first = settings(deadline=None)  # the first reading compiles a table's patterns
named = pytest.mark.parametrize("name", sorted(RULES))


@named
@slow_first
@given(text=anything | plausible)
def test_a_reading_is_a_label_of_the_scale_or_a_respondents_reason(name: str, text: str) -> None:
    reader, labels = READERS[name]
    reading = reader(text)
    assert (reading.label is None) != (reading.reason is None)
    if reading.reason is None:
        assert reading.label in labels
    else:
        assert reading.reason.origin is Origin.RESPONDENT


@named
@slow_first
@given(text=plausible, before=st.text(" \t\n\u3000\u200b"), after=st.text(" \t\r\n\u2028"))
def test_white_space_around_a_reply_changes_nothing(
    name: str, text: str, before: str, after: str
) -> None:
    reader, _ = READERS[name]
    assert reader(before + text + after) == reader(text)


@named
@slow_first
@given(data=st.data())
def test_a_bare_label_reads_as_itself(name: str, data: st.DataObject) -> None:
    reader, labels = READERS[name]
    label = data.draw(st.sampled_from(labels))
    before, after = st.text("*\"'( （\n", max_size=3), st.text(".!*\"') 。）\n", max_size=3)
    spelt = data.draw(st.sampled_from((label, label.upper())))
    assert reader(data.draw(before) + spelt + data.draw(after)).label == label


@pytest.mark.parametrize("letters", ["AB", "ABCDEFGH", "XYZ", "甲乙丙丁", "12345", "abcd", "Z"])
def test_a_bare_letter_reads_as_itself_whatever_the_letters(letters: str) -> None:
    for letter in letters:
        for shown in (letter, letter.lower(), letter.upper(), f"({letter})", f"{letter}."):
            assert read_option(shown, tuple(letters)).label == letter


@given(text=anything)
def test_tidying_twice_is_tidying_once(text: str) -> None:
    once = tidy(text)
    # a full-width bracket can make an end token where there was none
    if "<" not in once:
        assert tidy(once) == once


LONG = 20_000
HOSTILE = ["A, ", "A or ", "(A) ", "A\n", "not A ", "the answer is ", "if the answer ", "wait "]
HOSTILE += ["answer word word word word ", "I would rate this ", "strongly ", "neutral, ", "0\n"]
HOSTILE += ["1. x\n", "3 ", "答案是", "不是", "拒绝", "more ", " ", "\n", "*", "~~", "\\boxed{"]
HOSTILE += ["<think>", "</think>", "<|", "<|a|>", "A\u0301\u0316", "\ufdfa", "\U000e0041", "ab"]


@named
@pytest.mark.parametrize("piece", HOSTILE)
def test_twenty_thousand_characters_are_read(name: str, piece: str) -> None:
    """Quadratic time would be half a minute; the bound is far from what is measured, 0.1 s."""
    reader, _ = READERS[name]
    text = (piece * (LONG // len(piece) + 1))[:LONG]
    reader(piece)  # the first reading compiles a table's patterns
    start = process_time()
    reader(text)
    assert process_time() - start < 5


@pytest.mark.parametrize("name", sorted(RULES))
def test_no_pattern_repeats_without_bound_what_it_could_give_back(name: str) -> None:
    """Every quantifier has an upper bound or is possessive, so that no pattern backtracks far."""
    for pattern in RULES[name].patterns():
        bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", pattern.regex)
        bare = re.sub(r"(?:[*+]|\{\d+,\d*\})\+", "", bare)
        assert not re.search(r"[*+]|\{\d+,\}", bare), pattern.name


@pytest.mark.parametrize("name", sorted(RULES))
def test_every_pattern_that_gives_labels_catches_some_and_no_other_does(name: str) -> None:
    words = letter_words(LETTERS, ("one", "two", "three", "four"))
    for pattern in RULES[name].patterns():
        if isinstance(pattern.gives, Gives):
            assert words.compiled(pattern.regex).groups, pattern.name


def test_a_hash_follows_the_table() -> None:
    choose = Pattern("p", "{label}", Gives.CHOOSES, "why")
    rules = [
        Rule("r", 1, (), (Stage("s", (choose,)),), ()),
        Rule("r", 2, (), (Stage("s", (choose,)),), ()),
        Rule("r", 1, (), (Stage("s", (choose,), last=True),), ()),
        Rule("r", 1, (), (Stage("s", (choose,), weak=True),), ()),
        Rule("r", 1, (choose,), (Stage("s", (choose,)),), ()),
        Rule("r", 1, (), (Stage("s", (choose,)),), (), forms=(("a", "b"),)),
        Rule("r", 1, (), (Stage("s", (Pattern("p", "{bare}", Gives.CHOOSES, "why"),)),), ()),
    ]
    assert len({rule.hash for rule in rules}) == len(rules)
    reworded = Pattern("p", "{label}", Gives.CHOOSES, "another reason why")
    assert Rule("r", 1, (), (Stage("s", (reworded,)),), ()).hash == rules[0].hash


def test_the_hashes_of_the_rules_differ_and_are_known_by_name() -> None:
    assert len({rule_hash(name) for name in RULES}) == len(RULES)
    assert all(re.fullmatch("[0-9a-f]{64}", rule_hash(name)) for name in RULES)
    with pytest.raises(UsageError, match="did you mean 'likert'"):
        rule_hash("likrt")


WORDS = form_words((("yes", "yes"), ("no", "no"), ("maybe", "maybe")))


def lines(*stages: Stage, aside: tuple[Pattern, ...] = ()) -> Rule:
    return Rule("r", 1, aside, stages, ())


SAYS = Pattern("says", "says {label}", Gives.CHOOSES, "why")
MENTION = Pattern("mention", "{label}", Gives.CHOOSES, "why")
NOT = Pattern("not", "not {label}", Gives.REJECTS, "why")


def test_the_first_stage_that_says_something_decides() -> None:
    rule = lines(Stage("one", (SAYS,)), Stage("two", (MENTION,)))
    assert read(rule, WORDS, "no. she says yes").label == "yes"
    assert read(rule, WORDS, "no").label == "no"


def test_the_last_of_several_stands_only_where_the_stage_says_so() -> None:
    text = "he says yes; she says no"
    assert read(lines(Stage("one", (SAYS,), last=True)), WORDS, text).label == "no"
    assert read(lines(Stage("one", (SAYS,))), WORDS, text).reason is Reason.AMBIGUOUS


def test_what_is_rejected_once_is_not_chosen_by_a_weak_stage() -> None:
    text = "not yes. yes"
    weak, strong = Stage("one", (MENTION,), weak=True), Stage("one", (MENTION,))
    assert read(lines(weak, aside=(NOT,)), WORDS, text).reason is Reason.AMBIGUOUS
    assert read(lines(strong, aside=(NOT,)), WORDS, text).label == "yes"


def test_the_one_label_that_is_left_is_the_answer() -> None:
    rule = lines(Stage("one", (MENTION,), weak=True), aside=(NOT,))
    assert read(rule, WORDS, "not yes, not no") == RuleResult("maybe", None, "eliminated")
    assert read(rule, WORDS, "not yes, not no, not maybe").reason is Reason.OFF_SCALE


def test_a_list_of_all_labels_is_no_statement() -> None:
    rule = lines(Stage("one", (SAYS,)), Stage("two", (MENTION,)))
    assert read(rule, WORDS, "says yes, no, maybe").reason is Reason.ALL_LABELS_LISTED
    assert read(rule, WORDS, "says yes, no or maybe. says no").label == "no"


def test_a_stage_with_a_limit_does_not_look_at_longer_replies() -> None:
    rule = lines(Stage("one", (MENTION,), limit=10))
    assert read(rule, WORDS, "yes").label == "yes"
    assert read(rule, WORDS, "yes, of course").reason is Reason.OFF_SCALE


def test_plain_characters_stand_for_all_that_are_compatible() -> None:
    assert tidy("Ａ Ⓐ 𝐀 🅐 🅰️ ᴬ") == "A A A A A A"
    assert tidy("①　½…’") == "1 1⁄2...'"
    assert tidy("a\u200b\u00ad\u202eb\ufe0f") == "ab"


def test_only_what_is_said_after_the_thoughts_is_read() -> None:
    assert tidy("<think>a</think>b") == "b"
    assert tidy("a</think>b") == "b"
    assert tidy("<think>a</think>b<think>c") == "b"
    assert tidy("<think>a<think>b</think>c") == "c"
    assert tidy("<thinking>a") == ""
    assert tidy("<reasoning>a</reasoning>\n\nb") == "b"


def test_what_follows_the_end_of_the_turn_is_not_read() -> None:
    assert tidy("<|im_start|>assistant\nB<|im_end|>\nC") == "B"
    assert tidy("B</s>C") == "B"
    assert tidy("<|start_header_id|>assistant<|end_header_id|>\n\nB") == "B"
    assert tidy("<start_of_turn>model\nB<end_of_turn>") == "B"


def test_every_character_there_is_can_be_tidied() -> None:
    for start in range(16):
        assert isinstance(tidy("".join(map(chr, range(start, sys.maxunicode + 1, 256)))), str)
