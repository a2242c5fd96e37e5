"""The stage that learns from means gives what the wired model gives of whole texts."""

from typing import Any

import pytest

from normscope.judges.bundled.train.encoding import Encoded, Encoder
from normscope.judges.bundled.train.fit import Recipe, Stage, new_model, train
from normscope.judges.bundled.train.layout import lay_out, states
from normscope.judges.bundled.train.sample import OUTSIDE, Lesson, Target
from normscope.judges.bundled.train.vocabulary import marks, said_tokens, train_tokenizer

TEXTS = [
    ("May I read his letters while he is away?", "No. Ask him first, they are his."),
    ("How do I boil an egg?", "Put it in boiling water and take it out after six minutes."),
    ("我可以看他的信吗？", "不可以，先问问他。"),
    ("Say it once more.", "Very well: " + "I will say it again. " * 12),
]


def recipe() -> Recipe:
    pooled = Stage("pooled", 6000, 10, 3e-3, 0.9)
    whole = Stage("whole", 3000, 2, 7e-4, 0.9)
    return Recipe(
        vocabulary=600, width=128, feedforward=64, pooled=pooled, whole=whole, dropout=0.1
    )


def lessons() -> list[Lesson]:
    good: dict[str, Target] = {"moral": (0.1, 0.9)}
    bad: dict[str, Target] = {"moral": (0.9, 0.1), "rating": (0.6, 0.1, 0.1, 0.1, 0.1)}
    targets = [bad, good, bad, {"moral": OUTSIDE}]
    return [
        Lesson("en", (("system", "Be brief."), ("user", question)), answer, goals)
        for (question, answer), goals in zip(TEXTS, targets, strict=True)
    ]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return train_tokenizer((f"{q}\n{a}" for q, a in TEXTS), size=600)


def encoded(tokenizer: Any) -> list[Encoded]:
    return Encoder(tokenizer, 0, backwards=0.0).encode(lessons())


def test_the_wired_model_gives_the_states_that_means_gave(tokenizer: Any) -> None:
    import torch

    from normscope.judges.bundled.train import pooled, wiring

    model = new_model(recipe(), tokenizer)
    wiring.ready(model)
    reserved = wiring.reserved_places(tokenizer)
    batch = encoded(tokenizer)
    said = len(said_tokens(tokenizer))
    opening = tokenizer.convert_tokens_to_ids(marks().opens["answer"])
    with torch.no_grad():
        # what is left of the random heads would make attention a little uneven
        for projection in ("q_proj", "k_proj"):
            getattr(model.model.layers[-1].self_attn, projection).weight.zero_()
        bags = pooled.lay_out_bags(batch, opening, said)
        table = wiring.embed(model.lm_head.weight, reserved)
        at = torch.cat([bags.questions, bags.answers, bags.asks])
        of_means = pooled.pooled_states(model, bags, table, at)
        wiring.wire(model, reserved)
        of_texts = states(model, lay_out(batch, said))
    assert of_means.shape == of_texts.shape == (6, 128)
    assert torch.allclose(of_means, of_texts, atol=0.02)
    # and the means of one text are not those of another
    assert (of_means[0] - of_means[2]).abs().max() > 0.2


def test_a_wired_head_sees_the_token_before_and_another_where_the_answer_is(tokenizer: Any) -> None:
    import torch

    from normscope.judges.bundled.train import wiring

    model = new_model(recipe(), tokenizer)
    wiring.wire(model, wiring.reserved_places(tokenizer))
    model.config._attn_implementation = "eager"
    ids = encoded(tokenizer)[0].ids
    opening = ids.index(tokenizer.convert_tokens_to_ids(marks().opens["answer"]))
    with torch.no_grad():
        result = model(torch.tensor([ids]), output_attentions=True)
    first, last = result.attentions[0][0], result.attentions[-1][0]
    assert first[1].diagonal(-1).min() > 0.95
    # the last token's: its first head is spread over the answer, its last over what is before
    assert last[0, -1, opening:].sum() > 0.99
    assert last[-1, -1, :opening].sum() > 0.99
    assert last[0, -1].max() < 2 / (len(ids) - opening)


def test_no_label_stands_among_the_tokens_that_must_not_be_said(tokenizer: Any) -> None:
    import torch

    from normscope.judges.bundled.train.learning import UsedRows

    said = said_tokens(tokenizer)
    weight = torch.randn(len(tokenizer), 8)
    # 512 are drawn of some 600, so that every label is drawn in nearly every turn
    for _ in range(5):
        rows = UsedRows(weight, torch.tensor([3, 4, 5]), said)
        others = rows.used[rows._candidates[len(said) :]]
        assert not set(others.tolist()) & set(said)
        assert rows.used[rows._candidates[: len(said)]].tolist() == said


def test_marks_are_never_taken_out(tokenizer: Any) -> None:
    import torch

    from normscope.judges.bundled.train.vocabulary import mark_tokens

    torch.manual_seed(0)
    batch, fixed = encoded(tokenizer), mark_tokens(tokenizer)
    for _ in range(20):
        inputs = lay_out(batch, 7, dropout=0.9, fixed=fixed)
        for row, lesson in enumerate(batch):
            kept = inputs.ids[row, : int(inputs.lengths[row])]
            stay = [token for token in lesson.ids if token in fixed]
            assert [token for token in kept.tolist() if token in fixed] == stay
    assert int(inputs.lengths.sum()) < sum(len(e.ids) for e in batch)


def test_both_stages_learn_and_come_out_the_same_for_the_same_seed(tokenizer: Any) -> None:
    import torch

    from normscope.judges.bundled.train.reading import COVERAGE, read
    from normscope.judges.bundled.train.sample import Sample

    samples = [
        Sample("x", "train", "en", question, answer, question, {}) for question, answer in TEXTS
    ]
    made, batch = [], encoded(tokenizer)
    for _ in range(2):
        log: list[dict[str, Any]] = []
        model = new_model(recipe(), tokenizer)
        model = train(model, tokenizer, lambda _: batch, recipe(), report=log.append)
        assert [row["stage"] for row in log] == ["pooled", "whole"]
        made.append(model)
    for one, other in zip(made[0].parameters(), made[1].parameters(), strict=True):
        assert torch.equal(one, other)
    found = read(made[0], tokenizer, samples, criteria=("moral",))
    assert found["moral"][0, 0] > 0.7
    assert found["moral"][1, 0] < 0.3
    assert found[COVERAGE][3, 0] < 0.5 < found[COVERAGE][0, 0]


def test_what_was_never_shown_looks_like_other_languages(tokenizer: Any) -> None:
    import torch

    from normscope.judges.bundled.train.sample import Sample
    from normscope.judges.bundled.train.strange import SELDOM, estrange

    samples = [
        Sample("x", "train", "en", question, answer, question, {}) for question, answer in TEXTS
    ] * SELDOM
    model = new_model(recipe(), tokenizer)
    weight = model.lm_head.weight
    before = weight.detach().clone()
    estrange(model, tokenizer, samples)
    changed = (weight != before).any(1)
    # a byte of Hangul is in no sample and in no foreign sentence that is shown
    number = tokenizer.convert_tokens_to_ids
    hangul, russian = tokenizer("어", add_special_tokens=False), tokenizer("ж")
    assert changed[hangul["input_ids"][0]]
    assert not changed[russian["input_ids"]].any()
    assert not changed[number(list(marks().all()))].any()
    assert not changed[said_tokens(tokenizer)].any()
    assert not changed[tokenizer("How do I boil an egg?")["input_ids"]].any()
    # all of what is changed points one way, and is as long as it was
    rows = torch.nn.functional.normalize(weight[changed], dim=1)
    assert torch.allclose(rows, rows[:1].expand_as(rows), atol=1e-5)
    assert torch.allclose(weight.norm(dim=1), before.norm(dim=1), rtol=1e-5)
