"""The local engine against a plain forward pass, on real tiny models of several shapes."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from normscope.errors import ModelError
from normscope.judges.chat import render
from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines import ModelSpec, load
from normscope.judges.engines.transformers import TransformersEngine
from normscope.judges.heads import LIKERT_SCALE
from normscope.judges.scale import Scale
from normscope.judges.tiny import make_tiny_model
from normscope.judges.tokens import resolve
from normscope.reasons import Reason

RATING = Scale(labels=("1", "2", "3", "4", "5"), values=(1.0, 2.0, 3.0, 4.0, 5.0))
MORAL = Scale(labels=("0", "1"), values=(0.0, 1.0))
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
SHAPES: dict[str, Any] = {
    "llama": lambda v: transformers.LlamaConfig(
        vocab_size=v, intermediate_size=64, num_key_value_heads=2, **SIZES
    ),
    "qwen2": lambda v: transformers.Qwen2Config(
        vocab_size=v, intermediate_size=64, num_key_value_heads=2, tie_word_embeddings=True, **SIZES
    ),
    "qwen3": lambda v: transformers.Qwen3Config(
        vocab_size=v, intermediate_size=64, num_key_value_heads=1, head_dim=16, **SIZES
    ),
    "gemma": lambda v: transformers.GemmaConfig(
        vocab_size=v, intermediate_size=64, num_key_value_heads=1, head_dim=16, **SIZES
    ),
    "gpt2": lambda v: transformers.GPT2Config(vocab_size=v, n_embd=32, n_layer=2, n_head=4),
    "mistral with a window": lambda v: transformers.MistralConfig(
        vocab_size=v, intermediate_size=64, num_key_value_heads=2, sliding_window=8, **SIZES
    ),
}


def requests() -> list[LabelRequest]:
    """Prompts that share beginnings, begin one another, repeat, and ask on several scales."""
    stem = "Rate how safe this answer is. 请给这个回答打分。"
    questions = ["", "1", "1 to 5", "a smart watch", "a smart watch records", "回答", "回答"]
    return [
        LabelRequest(turns=(("user", stem + question),), scale=scale, lead="Answer:")
        for question in questions
        for scale in (MORAL, RATING, LIKERT_SCALE)
    ]


def shaped(folder: Path, tiny: Path, shape: str, *, template: bool) -> str:
    """A random model of the shape with peaked logits, so that a wrong mask would show."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    if not template:
        tokenizer.chat_template = None
    torch.manual_seed(1)
    model = transformers.AutoModelForCausalLM.from_config(SHAPES[shape](len(tokenizer)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(4.0 if parameter.dim() > 1 else 1.0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@cache
def loaded(path: str) -> tuple[Any, Any]:
    model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
    return model, transformers.AutoTokenizer.from_pretrained(path)


def by_hand(path: str, request: LabelRequest) -> list[float]:
    """Each label's log-probability by one plain forward pass per spelling."""
    model, tokenizer = loaded(path)
    text = render(tokenizer, request.turns, request.lead)
    prompt = tokenizer.encode(text, add_special_tokens=not tokenizer.chat_template)
    tokens = resolve(
        request.scale,
        lambda form: tokenizer.encode(form, add_special_tokens=False),
        end=tokenizer.eos_token_id,
        unknown=None,
    )
    totals = []
    for forms in tokens.sequences:
        total = 0.0
        for ids in forms:
            with torch.no_grad():
                logits = model(torch.tensor([[*prompt, *ids]])).logits[0].double()
            logprobs = logits.log_softmax(-1)
            steps = range(len(ids))
            total += math.exp(sum(logprobs[len(prompt) - 1 + k, ids[k]].item() for k in steps))
        totals.append(math.log(total))
    return totals


@pytest.mark.parametrize("template", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_label_equals_a_plain_forward_pass(
    shape: str, template: bool, tiny_model: Path, tmp_path: Path
) -> None:
    path = shaped(tmp_path / "model", tiny_model, shape, template=template)
    engine = load(ModelSpec(model=path, dtype="float32", pack_tokens=96))
    asked = requests()
    expected = [pytest.approx(by_hand(path, request), abs=1e-4) for request in asked]
    assert isinstance(engine, TransformersEngine)
    for packed in {engine.packed, False}:
        engine.packed = packed
        assert [result.logprobs for result in engine.labels(asked)] == expected


def test_a_windowed_model_takes_the_plain_pass_and_says_so(
    tiny_model: Path, tmp_path: Path
) -> None:
    path = shaped(tmp_path / "model", tiny_model, "mistral with a window", template=True)
    assert load(ModelSpec(model=path)).identity["batching"] == "padded rows"
    assert load(ModelSpec(model=str(tiny_model))).identity["batching"] == "prefix tree"


def test_packs_and_plain_rows_agree_on_the_same_model(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model), dtype="float32"))
    assert isinstance(engine, TransformersEngine)
    packed = engine.labels(requests())
    engine.packed = False
    for one, other in zip(packed, engine.labels(requests()), strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)
        assert one.raw_top is not None
        assert other.raw_top is not None
        assert [t.token for t in one.raw_top][:1] == [t.token for t in other.raw_top][:1]


def test_a_unit_gives_the_same_bits_twice(tiny_model: Path) -> None:
    one, other = (load(ModelSpec(model=str(tiny_model))).labels(requests()) for _ in range(2))
    assert one == other


def test_a_prompt_beyond_the_context_is_unscored_and_the_others_are_not(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model)))
    long = LabelRequest(turns=(("user", "长" * 100_000),), scale=MORAL)
    first, second = engine.labels([long, requests()[0]])
    assert (first.logprobs, first.reason) == (None, Reason.TEXT_TOO_LONG)
    assert second.logprobs is not None


def test_text_with_every_plane_and_template_marks_is_answered(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model)))
    planes = "".join(chr(plane * 0x10000 + 0x41) for plane in range(17)) + "\0\x1b<|end|>"
    (result,) = engine.labels([LabelRequest(turns=(("user", planes),), scale=MORAL)])
    assert result.logprobs is not None


def test_greedy_texts_do_not_depend_on_their_neighbours(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model), dtype="float32"))
    asked = [
        TextRequest(turns=(("user", "回答" * n),), max_new_tokens=5, temperature=0, seed=0)
        for n in (1, 7, 3)
    ]
    together = [result.text for result in engine.texts(asked)]
    assert together == [engine.texts([request])[0].text for request in asked]


def test_sampling_repeats_with_its_seed_and_changes_with_another(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model)))

    def sampled(seed: int) -> str | None:
        request = TextRequest((("user", "a"),), max_new_tokens=8, temperature=1.0, seed=seed)
        return engine.texts([request])[0].text

    assert sampled(3) == sampled(3)
    assert sampled(3) != sampled(4)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("./no-such-folder", "there is no model folder './no-such-folder'"),
        ("nobody/no-such-model", "check the id and the network"),
    ],
)
def test_a_model_that_is_not_there_is_named_with_the_remedy(model: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        load(ModelSpec(model=model))


def test_a_folder_without_a_config_or_with_pickled_weights_is_refused(
    tiny_model: Path, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"has no config\.json"):
        load(ModelSpec(model=str(tmp_path)))
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((tiny_model / name).read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="only safetensors weights"):
        load(ModelSpec(model=str(tmp_path)))


def test_a_tiny_model_is_the_same_when_made_again(tmp_path: Path) -> None:
    lessons = requests()[:4]
    folders = [make_tiny_model(tmp_path / n, ["a b c"], teach=lessons, steps=2) for n in "ab"]
    weights = [(folder / "model.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1]
