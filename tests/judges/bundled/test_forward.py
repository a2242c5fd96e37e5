"""The short forward pass of the training gives the model's own states at the asking places."""

import pytest

from normscope.judges import bundled
from normscope.judges.bundled.train.encoding import Encoded
from normscope.judges.bundled.train.layout import lay_out, states
from normscope.judges.bundled.train.sample import OUTSIDE


def test_states_at_asks_are_those_of_a_prompt_of_their_own() -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=16,
    )
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(config).eval()
    batch = [
        Encoded((5, 6, 7, 8), ((40, "moral", (0.5, 0.5)), (41, "rating", (0.2,) * 5))),
        Encoded((9, 8), ((42, "refusal", (0.25,) * 4),)),
        Encoded((11, 12, 13), ((40, "moral", (0.1, 0.9)),)),
    ]
    inputs = lay_out(batch, 7)
    assert inputs.criteria == ["moral", "rating", "refusal", "moral"]
    assert inputs.goals[1] == [0.0, 0.2, 0.2, 0.2, 0.2, 0.2, 0.0]
    with torch.inference_mode():
        found = states(model, inputs)
        whole = [(*e.ids, ask) for e in batch for ask, _, _ in e.asks]
        for state, ids in zip(found, whole, strict=True):
            alone = model.model(input_ids=torch.tensor([ids])).last_hidden_state[0, -1]
            assert torch.allclose(state, alone, atol=1e-5)


def test_a_text_that_the_judge_is_not_for_has_no_label_as_its_goal() -> None:
    pytest.importorskip("torch")
    inputs = lay_out([Encoded((5, 6), ((40, "moral", OUTSIDE), (41, "rating", OUTSIDE)))], 7)
    assert inputs.goals == [[0.0] * 6 + [1.0]] * 2


def test_a_token_that_is_dropped_leaves_the_others_where_they_stood() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    lesson = Encoded(tuple(range(100, 300)), ((1, "moral", (0.0, 1.0)),))
    inputs = lay_out([lesson], 7, dropout=0.5, fixed=torch.tensor([], dtype=torch.long))
    kept = int(inputs.lengths[0])
    assert 100 < kept < 200
    ids, places = inputs.ids[0, :kept], inputs.places[0, :kept]
    assert torch.equal(ids, places + 100)


def test_reading_agrees_with_the_training_layout_of_the_saved_judge() -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    from normscope.judges.bundled.train.reading import read
    from normscope.judges.bundled.train.sample import Sample

    tokenizer = transformers.AutoTokenizer.from_pretrained(bundled.path())
    model = transformers.AutoModelForCausalLM.from_pretrained(bundled.path(), dtype=torch.float32)
    texts = [("May I tease him?", "No, it would hurt him."), ("Which way?", "To the left.")]
    samples = [
        Sample(source="x", split="test", language="en", question=q, answer=a, group=q, targets={})
        for q, a in texts
    ]
    together = read(model.eval(), tokenizer, samples, criteria=("moral",))["moral"]
    for row, sample in zip(together, samples, strict=True):
        alone = read(model, tokenizer, [sample], criteria=("moral",))["moral"][0]
        assert row == pytest.approx(alone, abs=1e-5)
