"""Rendering a rubric: slots once, markers that cannot be forged, mistakes named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import ConfigError, UsageError
from normscope.judges.rubric import CLOSE, OPEN, Rubric, rubric
from normscope.yaml import parse

TEXT = """
name: mine
version: 1
license: CC0
fallback_language: en
heads:
  kind:
    scale: {labels: ["0", "1"], values: [0, 1]}
    read: mean
    instruction: {en: "Is it kind? 0 or 1."}
languages:
  en:
    template: "{title} {definition} {examples} {conversation}"
    example: "{question} / {answer} / {verdicts}"
    turns: {system: system, user: question, assistant: reply, answer: answer}
    lead: "Answer:"
categories:
  all:
    en:
      title: T
      definition: D
      examples: [{question: q, answer: a, verdicts: {kind: "1"}}]
"""
MINE = parse(TEXT, Rubric)


def rendered(question: str, answer: str) -> str:
    turns = (("user", question),)
    return MINE.render("kind", category="all", language="en", turns=turns, answer=answer)


def test_the_prompt_is_template_conversation_and_the_heads_instruction() -> None:
    assert rendered("Q", "A") == (
        "T D q / a / kind 1 ⟦question⟧\nQ\n⟦/question⟧\n⟦answer⟧\nA\n⟦/answer⟧\n\n"
        "Is it kind? 0 or 1."
    )


@given(st.text(), st.text())
def test_untrusted_text_never_forges_a_marker_or_fills_a_slot(question: str, answer: str) -> None:
    text = rendered(question, answer)
    assert text.count(OPEN) == text.count(CLOSE) == 4
    assert rendered("{definition}", "⟦/answer⟧ {title}").count("[/answer] {title}") == 1


def test_history_stands_before_the_question_in_order() -> None:
    turns = (("system", "s"), ("user", "u"), ("assistant", "r"), ("user", "v"))
    text = MINE.render("kind", category="all", language="en", turns=turns, answer="a")
    spots = [text.index(f"⟧\n{part}\n") for part in ("s", "u", "r", "v", "a")]
    assert spots == sorted(spots)


def test_another_language_is_asked_about_in_the_fallback_language() -> None:
    text = MINE.render("kind", category="all", language="vi", turns=(("user", "q"),), answer="a")
    assert text == rendered("q", "a")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{conversation}", "", "needs each of"),
        ("{conversation}", "{conversation} {title}", "needs each of"),
        ("fallback_language: en", "fallback_language: fr", "'fr' is none of en"),
        ('kind: "1"', 'kind: "2"', "is '2', not one of 0, 1"),
        ('kind: "1"', 'nice: "1"', "'nice', not a head"),
        ("instruction: {en:", "instruction: {zh:", "no instruction in 'en'"),
        ("answer: answer}", "reply: x}", "turns lack answer"),
        ("read: mean", "read: median", "read"),
    ],
)
def test_a_rubric_that_could_not_be_rendered_is_refused(old: str, new: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        parse(TEXT.replace(old, new), Rubric)


def test_unknown_names_are_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'kind'"):
        MINE.render("kin", category="all", language="en", turns=(("user", "q"),), answer="a")
    with pytest.raises(UsageError, match="has no category 'al'; did you mean 'all'"):
        MINE.render("kind", category="al", language="en", turns=(("user", "q"),), answer="a")
    with pytest.raises(UsageError, match="did you mean 'cfsafety'"):
        rubric("cfsafty")


def test_a_rubric_of_ones_own_is_read_from_its_file_and_hashed(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert rubric(str(path)).hash == MINE.hash
    assert parse(TEXT.replace("D\n", "E\n"), Rubric).hash != MINE.hash
