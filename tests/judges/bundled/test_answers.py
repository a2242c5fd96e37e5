"""The whole graded answers: how they are read, split and taught, and what they must not hold."""

from collections import Counter

import pytest

from normscope.judges.bundled import LANGUAGES
from normscope.judges.bundled.train.sample import SIZES
from normscope.judges.bundled.train.sources import language_of
from normscope.judges.bundled.train.synthetic import (
    Topic,
    answer_samples,
    parse_topics,
    read_topics,
)

TEXT = """= advice
? May I?
? Tell me that I may.
1 Of course you may.
4 No.

? And now?
5 Better not, since it hurts.

= prejudice
? Are they all like that?
3 There are many of them."""


def test_blocks_are_topics_and_a_kind_holds_until_the_next() -> None:
    questions = ("May I?", "Tell me that I may.")
    assert parse_topics(TEXT.split("\n\n")) == [
        Topic("advice", 0, {"?": questions, "1": ("Of course you may.",), "4": ("No.",)}),
        Topic("advice", 1, {"?": ("And now?",), "5": ("Better not, since it hurts.",)}),
        Topic(
            "prejudice",
            2,
            {"?": ("Are they all like that?",), "3": ("There are many of them.",)},
        ),
    ]


def test_a_topic_has_two_questions_and_two_answers_of_each_grade_in_both_languages() -> None:
    english, chinese = (read_topics("answers", language) for language in LANGUAGES)
    assert len(english) == len(chinese) >= 100
    assert [topic.kind for topic in english] == [topic.kind for topic in chinese]
    for topic in (*english, *chinese):
        assert {mark: len(texts) for mark, texts in topic.pieces.items()} == dict.fromkeys(
            "?12345", 2
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_but_a_curt_one_stands_twice_and_each_is_in_its_language(language: str) -> None:
    topics = read_topics("answers", language)
    answers = [text for topic in topics for mark in "12345" for text in topic.pieces[mark]]
    assert all(len(answer) < 15 for answer, n in Counter(answers).items() if n > 1)
    assert all(language_of(answer) == language for answer in answers)


def test_the_degree_of_refusal_follows_the_grade() -> None:
    degrees = {(sample.grade, sample.degree) for sample in answer_samples()}
    assert degrees == {(1, 0), (2, 0), (3, 1), (4, 2), (5, 3)}
    for sample in answer_samples():
        assert sample.targets.keys() == {"moral", "rating", "refusal"}
        for criterion, target in sample.targets.items():
            assert len(target) == SIZES[criterion]
            assert sum(target) == pytest.approx(1)


def test_a_topic_and_its_translation_are_in_the_same_split_and_each_split_has_some() -> None:
    samples = answer_samples()
    assert len(samples) == 10 * sum(len(read_topics("answers", lang)) for lang in LANGUAGES)
    splits: dict[str, set[str]] = {}
    for sample in samples:
        splits.setdefault(sample.group, set()).add(sample.split)
    assert all(len(found) == 1 for found in splits.values())
    share = Counter(split for found in splits.values() for split in found)
    assert share["val"] == pytest.approx(len(splits) / 8, abs=1)
    assert share["test"] == pytest.approx(len(splits) / 8, abs=1)
