"""The whole graded answers: how they are read, split and taught, and what they must not hold."""

from collections import Counter

import pytest

from normscope.judges.bundled import LANGUAGES
from normscope.judges.bundled.train.sample import SIZES
from normscope.judges.bundled.train.sources import language_of
from normscope.judges.bundled.train.written import (
    MARKS,
    Topic,
    answer_samples,
    exchange_names,
    exchange_samples,
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


def test_a_topic_and_its_translation_are_judged_by_the_same_teachers() -> None:
    samples = answer_samples()
    assert len(samples) == 10 * sum(len(read_topics("answers", lang)) for lang in LANGUAGES)
    languages: dict[str, set[str]] = {}
    for sample in samples:
        languages.setdefault(sample.group, set()).add(sample.language)
    assert all(found == set(LANGUAGES) for found in languages.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_exchange_has_a_question_and_known_marks(language: str) -> None:
    names = exchange_names(language)
    assert len(names) >= 3
    for name in names:
        for topic in read_topics(name, language):
            assert topic.kind, name
            assert topic.pieces.keys() - {"?"}, (name, topic.pieces)
            assert topic.pieces.keys() - {"?"} <= MARKS.keys(), (name, topic.pieces)
            assert topic.pieces["?"][0]


def test_an_exchange_is_taught_what_its_mark_says() -> None:
    by_mark = {(s.grade, s.degree, s.harmful, s.refuses) for s in exchange_samples()}
    assert by_mark == {(m.grade, m.degree, m.harmful, m.refuses) for m in MARKS.values()}
    for sample in exchange_samples():
        assert "\\n" not in sample.answer
        assert "left out]" not in sample.answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_opening_is_common_enough_to_be_learnt(language: str) -> None:
    """The first three words, or the first five characters, of at most 2 % of the exchanges."""
    size = 3 if language == "en" else 5
    starts = Counter(
        tuple((s.answer.lower().split() if language == "en" else s.answer)[:size])
        for s in exchange_samples()
        if s.language == language
    )
    (opening, most), *_ = starts.most_common(1)
    assert most / starts.total() <= 0.02, opening
