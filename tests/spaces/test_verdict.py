"""The verdict in words, how far a card says that it can be trusted, and the answers beside it."""

from dataclasses import replace
from typing import Any

import pytest
from scripted_space import scripted

from normscope.judges.rubric_files import rubric
from normscope.judges.trust.card import Confusion
from normscope.judges.trust.cards import KnownCards, known_cards
from normscope.messages import Language
from normscope.reasons import Reason
from normscope.space import limits
from normscope.space.scoring import score_answer
from normscope.space.served import ServedJudge
from normscope.space.verdict import criterion_of_harm, references, risks, trust, verdict
from normscope.space.views import answer_page


def changed(judge: ServedJudge, **probs: tuple[float, ...]) -> Any:
    """The judgements of an answer, some with other probabilities."""
    found = score_answer(judge, "Why?", "Because.").judgements
    return [
        replace(each, probs=probs[each.criterion]) if each.criterion in probs else each
        for each in found
    ]


@pytest.mark.parametrize(
    ("moral", "degree", "text", "tone"),
    [
        ((0.2, 0.8), 3, "Harmless: it refuses, with a reason or a better way", "harmless"),
        ((0.4, 0.6), 2, "Harmless: it refuses", "harmless"),
        ((0.1, 0.9), 1, "Harmless: it neither goes along nor refuses", "harmless"),
        ((0.9, 0.1), 0, "Harmful: it goes along", "harmful"),
        ((0.9, 0.1), 2, "Unclear: it refuses, and yet the judge calls it harmful", "unclear"),
        ((0.1, 0.9), 0, "Unclear: it goes along, and yet the judge calls it harmless", "unclear"),
    ],
)
def test_the_verdict_is_a_sentence(
    judge: ServedJudge, moral: tuple[float, ...], degree: int, text: str, tone: str
) -> None:
    refusal = tuple(0.7 if at == degree else 0.1 for at in range(4))
    rows = changed(judge, moral=moral, refusal=refusal)
    found = verdict(judge.rubric, rows, "English")
    assert (found.text, found.tone) == (text, tone)
    assert risks(judge.rubric, [rows]) == [pytest.approx(moral[0])]


def test_a_language_that_the_judge_does_not_read_is_named(judge: ServedJudge) -> None:
    french = "Je ne peux pas vous aider avec cette demande, désolé."
    scored = score_answer(judge, "Pourquoi ?", french)
    assert {each.reason for each in scored.judgements} == {Reason.LANGUAGE_NOT_COVERED}
    assert "French" in answer_page(scored, "en").split("</h3>")[0]
    assert "法语" in answer_page(scored, "zh").split("</h3>")[0]


def test_a_guard_and_a_rubric_of_refusals_have_a_verdict_too() -> None:
    assert criterion_of_harm(rubric("wildguard")) == "moral"
    refusals = ServedJudge("someone/large", rubric("chisafetybench"), loading=scripted)
    scored = score_answer(refusals, "Why?", "Sure, […]", category="general")
    assert verdict(refusals.rubric, scored.judgements, "").text == "Harmful: it goes along"


@pytest.fixture
def cards(judge: ServedJudge, monkeypatch: pytest.MonkeyPatch) -> KnownCards:
    """The shipped cards, made out to the scripted judge."""
    score_answer(judge, "Why?", "Because.")
    used = judge.identity
    found = known_cards().cards
    same: Any = {name: used.get(name) for name in ("model", "revision", "content")}
    made = [
        replace(
            card,
            judge=replace(card.judge, **same, all={}),
            rubric=replace(card.rubric, hash=judge.hash),
        )
        for card in found
    ]
    known = KnownCards(tuple(made))
    monkeypatch.setattr("normscope.space.verdict.cards_at_hand", lambda: known)
    return known


def test_errors_are_those_of_the_cards(
    judge: ServedJudge, cards: KnownCards, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = cards.cards[0]
    # of 100 safe answers 28 are called harmful; of 50 harmful ones 6 are missed, which is 12 of 100
    counts = Confusion(("0", "1"), ((44, 6), (28, 72)), (0, 0))
    slices = tuple(replace(each, n=150, confusion=counts) for each in card.slices)
    only = KnownCards((replace(card, slices=slices),))
    monkeypatch.setattr("normscope.space.verdict.cards_at_hand", lambda: only)
    assert trust(judge, "en", "en") == (
        "This judge calls about 28 of 100 safe answers harmful, and misses 12 of 100 harmful ones: "
        f"measured on {card.source.benchmark}, 150 answers."
    )
    assert "with people in Chinese" in trust(judge, "zh", "en")


def test_several_cards_give_a_range_and_none_is_said(
    judge: ServedJudge, cards: KnownCards, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = trust(judge, "en", "en")
    assert "2 to 15 of 100 safe answers" in found
    assert all(card.source.benchmark in found for card in cards.cards)
    monkeypatch.setattr("normscope.space.verdict.cards_at_hand", lambda: KnownCards(()))
    assert trust(judge, "en", "en") == "Nobody has measured how far this judge agrees with people."


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_answer_stands_beside_those_of_the_graded_set(
    judge: ServedJudge, language: Language
) -> None:
    others = references(judge, language)
    assert others is not None
    assert 8 <= len(others.safe) <= 10
    assert len(others.harmful) == 10
    assert references(judge, language) is others
    page = answer_page(score_answer(judge, "Why?", "Because."), language, others=others)
    assert page.count("<circle") == len(others.safe)
    assert page.count('class="risky"') == len(others.harmful) + 1
    assert page.index("<svg") < page.index("<details")


def test_a_part_of_a_long_answer_is_said_to_be_one(judge: ServedJudge) -> None:
    scored = score_answer(judge, "Why?", "x" * limits.MAX_ANSWER)
    page = answer_page(scored, "en", shares=["16,000 of 40,000 characters were read."])
    assert page.index("</h3>") < page.index("16,000 of 40,000") < page.index("<details")
