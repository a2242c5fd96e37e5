"""The two channels of a model's own answers: which one counts, and how they disagree."""

from collections.abc import Callable
from typing import Any

import pytest
from judged_rows import judgements_of

from normscope.judges.respondent import LIKERT_SCALE
from normscope.metrics.estimate import Statistic
from normscope.pipeline.channels import (
    breakdowns,
    channel_disagreement,
    most_frequent_label,
    unanswered,
    unanswered_vignettes,
)
from normscope.records.item import Item, Turn

MakeItem = Callable[..., Item]
SOURCES = {"labels": "model_logits", "text": "text_rule"}


def row(channel: str, said: str, **other: Any) -> dict[str, Any]:
    """A judgement of an option: the letter that was chosen, or the reason for none."""
    chosen = said in {"A", "B"}
    return {
        "criterion": "option",
        "source": SOURCES[channel],
        "labels": ["A", "B"],
        "probs": [0.7, 0.3] if said == "A" else [0.0, 1.0] if said == "B" else None,
        "value": float(said == "A") if chosen else None,
        "reason": None if chosen else said,
        "temperature": None if channel == "labels" else 0.0,
        "sample": 0,
        **other,
    }


def table(statistics: list[Statistic]) -> dict[str, Any]:
    return {s.member or s.name: s.estimate for s in statistics}


@pytest.fixture
def both(item: MakeItem) -> Callable[..., list[tuple[Item, dict[str, Any]]]]:
    """Items with what was said in labels and in text."""

    def make(*said: tuple[str, str]) -> list[tuple[Item, dict[str, Any]]]:
        return [
            (item(number), row(channel, word))
            for number, pair in enumerate(said)
            for channel, word in zip(SOURCES, pair, strict=True)
        ]

    return make


def test_disagreement_is_counted_where_both_gave_a_class(both: Any) -> None:
    answered = [("A", "A"), ("A", "B"), ("B", "B")]
    not_twice = [("A", "refused_to_choose"), ("off_scale", "B"), ("off_scale", "no_answer")]
    found = table(channel_disagreement(judgements_of(both(*answered, *not_twice))))
    # both gave a class in three; in one of them another
    assert found["channel_disagreement"].value == pytest.approx(1 / 3)
    assert found["channel_disagreement"].n == 3
    # one of six only in labels, one only in text
    assert found["answered_in_labels_only"].value == pytest.approx(1 / 6)
    assert found["answered_in_text_only"].value == pytest.approx(1 / 6)
    assert found["answered_in_text_only"].n == 6
    assert found["channel_disagreement"].low < 1 / 3 < found["channel_disagreement"].high


def test_what_failed_on_our_side_is_unscored_and_widens_the_bounds(both: Any) -> None:
    pairs = both(("A", "A"), ("A", "B"), ("call_failed", "B"))
    found = table(channel_disagreement(judgements_of(pairs)))
    disagreement = found["channel_disagreement"]
    assert (disagreement.n, disagreement.unscored) == (2, 1)
    assert (disagreement.lowest, disagreement.highest) == (
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    )
    assert found["answered_in_text_only"].unscored == 1


def test_channels_and_temperatures_are_told_apart(both: Any, item: MakeItem) -> None:
    pairs = both(("A", "B"))
    assert [
        (group, member, len(rows)) for group, member, rows in breakdowns(judgements_of(pairs))
    ] == [
        ("channel", "labels", 1),
        ("channel", "text", 1),
    ]
    warm = [(item(), row("text", "A", temperature=0.7, sample=k)) for k in (1, 2)]
    told = [
        (group, member, len(rows))
        for group, member, rows in breakdowns(judgements_of([*pairs, *warm]))
    ]
    assert told[2:] == [("temperature", "0", 1), ("temperature", "0.7", 2)]


def test_every_reason_of_the_respondent_has_its_share(both: Any) -> None:
    pairs = both(
        ("A", "refused_to_choose"),
        ("A", "refused_to_choose"),
        ("A", "ambiguous"),
        ("off_scale", "A"),
        ("A", "call_failed"),
    )
    found = {(s.group, s.member): s.estimate for s in unanswered(judgements_of(pairs))}
    assert set(found) == {
        ("reason in labels", "off_scale"),
        ("reason in text", "refused_to_choose"),
        ("reason in text", "ambiguous"),
    }
    # two of the four texts that we got; of five had the failed one been the same, or not
    share = found["reason in text", "refused_to_choose"]
    assert share.value == pytest.approx(2 / 4)
    assert (share.n, share.unscored) == (4, 1)
    assert share.lowest == pytest.approx(2 / 5)
    assert share.highest == pytest.approx(3 / 5)
    assert found["reason in labels", "off_scale"].value == pytest.approx(1 / 5)


def test_shares_of_vignettes_are_over_variants() -> None:
    def pair(variant: str, reason: str | None) -> tuple[Item, dict[str, Any]]:
        item = Item("ci", "v", (Turn("user", "?"),), "en", variant_id=variant)
        return item, {
            "criterion": "acceptability",
            "source": "text_rule",
            "labels": list(LIKERT_SCALE.labels),
            "probs": None if reason else [0, 0, 0, 0, 1.0],
            "value": None if reason else 2.0,
            "reason": reason,
            "temperature": 0.0,
        }

    pairs = [pair("one", "asks_for_context"), pair("one", None), pair("two", None)]
    (found,) = unanswered(judgements_of(pairs))
    (overall,) = unanswered_vignettes(judgements_of(pairs))
    assert (overall.name, overall.group) == ("unanswered", "")
    assert overall.estimate == found.estimate
    # two reasons are one share; what we failed to get is in neither
    more = [*pairs, pair("two", "off_scale"), pair("two", "call_failed")]
    (overall,) = unanswered_vignettes(judgements_of(more))
    assert overall.estimate.value == pytest.approx(1 / 2)
    assert overall.estimate.lowest == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert overall.estimate.highest == pytest.approx((1 / 2 + 2 / 3) / 2)
    (none,) = unanswered_vignettes(judgements_of(pairs[1:]))
    assert none.estimate.value == 0
    # half of the first variant's answers, none of the second's: (1/2 + 0)/2
    assert (found.group, found.member) == ("reason", "asks_for_context")
    assert found.estimate.value == pytest.approx(1 / 4)
    assert (found.estimate.target, found.estimate.n) == ("new prompt variants", 2)
    assert "2 prompt variants (3 answers)" in found.estimate.method


def test_the_share_of_the_most_frequent_label_is_over_the_answers_that_have_one(
    item: MakeItem,
) -> None:
    said = ["B"] * 3 + ["A"] + ["off_scale"]
    (found,) = most_frequent_label(
        judgements_of([(item(n), row("labels", one)) for n, one in enumerate(said)])
    )
    assert (found.name, found.group, found.member) == ("most_frequent_label", "label", "B")
    assert (found.estimate.value, found.estimate.n) == (0.75, 4)
