"""Linear layers through oneDNN: the same answers, and what is left as it is."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import transformers

from normscope.judges.engines.local import devices
from normscope.judges.engines.local.devices import PackedLinear, use_onednn, use_torch

# where it is there, it has to be used
pytestmark = pytest.mark.skipif(
    not torch._C._has_mkldnn, reason="this torch was built without oneDNN"
)

SIZES: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "intermediate_size": 130,
}
TOKENS = torch.arange(40)[None]
BFLOAT16 = pytest.mark.skipif(
    not torch.ops.mkldnn._is_mkldnn_bf16_supported(),
    reason="oneDNN has no products of bfloat16 on this processor (avx512bw, avx512vl, avx512dq)",
)
CONFIGS: dict[str, Callable[[], Any]] = {
    "biases, tied head": lambda: transformers.Qwen2Config(tie_word_embeddings=True, **SIZES),
    "no biases": lambda: transformers.LlamaConfig(**SIZES),
    "no gate": lambda: transformers.GPTNeoXConfig(**SIZES),
}


def random_model(name: str = "no biases", dtype: str = "float32") -> Any:
    torch.manual_seed(5)
    config = CONFIGS[name]()
    made = transformers.AutoModelForCausalLM.from_config(config, dtype=getattr(torch, dtype))
    return made.eval()


@torch.inference_mode()
def logits(model: Any, rows: int = 40) -> torch.Tensor:
    result: torch.Tensor = model(TOKENS[:, :rows], use_cache=False).logits
    return result


@pytest.mark.parametrize("dtype", ["float32", pytest.param("bfloat16", marks=BFLOAT16)])
@pytest.mark.parametrize("name", CONFIGS)
def test_layers_give_what_torch_gives_for_any_number_of_rows(name: str, dtype: str) -> None:
    model = random_model(name, dtype)
    before = {rows: logits(model, rows) for rows in (1, 7, 40)}
    size = sum(weight.numel() for weight in model.parameters())
    assert use_onednn(model) == "onednn packed"
    near = 1e-5 if dtype == "float32" else 2e-2
    for rows, theirs in before.items():
        torch.testing.assert_close(
            logits(model, rows), theirs, rtol=near, atol=near * float(theirs.abs().max())
        )
    assert sum(weight.numel() for weight in model.parameters()) == size
    assert str(model.dtype) == f"torch.{dtype}"
    use_torch(model)
    assert torch.equal(logits(model), before[40])
    assert not any(isinstance(module, PackedLinear) for module in model.modules())


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, pytest.param(torch.bfloat16, marks=BFLOAT16)])
@pytest.mark.parametrize(("inner", "outer"), [(1, 7), (100, 50), (512, 513), (1536, 512)])
@torch.no_grad()
def test_a_packed_product_of_any_rows_is_the_plain_one(
    inner: int, outer: int, dtype: torch.dtype, bias: bool
) -> None:
    torch.manual_seed(0)
    module = torch.nn.Linear(inner, outer, bias=bias, dtype=dtype)
    packed = PackedLinear(inner, outer, bias=bias, dtype=dtype)
    packed.load_state_dict(module.state_dict())
    packed.weight = torch.nn.Parameter(devices._packed(module.weight), requires_grad=False)
    assert torch.equal(packed.weight.to_dense(), module.weight)
    near = 1e-5 if dtype == torch.float32 else 1e-2
    for shape in ((0,), (1,), (1, 3), (2, 31), (1, 300)):
        rows = torch.randn(*shape, inner, dtype=dtype)
        torch.testing.assert_close(packed(rows), module(rows), rtol=near, atol=near)


def test_the_head_that_may_be_the_embedding_stays_plain() -> None:
    model = random_model("biases, tied head")
    use_onednn(model)
    assert model.lm_head.weight is model.get_input_embeddings().weight
    assert not model.lm_head.weight.is_mkldnn


def test_large_models_keep_the_weights_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "MOST_BYTES", 1000)
    model = random_model()
    assert use_onednn(model) == "torch"
    assert not any(weight.is_mkldnn for weight in model.parameters())


def test_a_model_that_computes_with_a_layers_weight_keeps_plain_weights() -> None:
    model = random_model()
    query = model.model.layers[0].self_attn.q_proj
    attention = type(model.model.layers[0].self_attn)

    class Direct(attention):  # type: ignore[misc,valid-type]
        def forward(self, hidden_states: torch.Tensor, **settings: Any) -> Any:
            torch.nn.functional.linear(hidden_states, query.weight)
            return super().forward(hidden_states, **settings)

    model.model.layers[0].self_attn.__class__ = Direct
    before = logits(model)
    assert use_onednn(model) == "torch"
    assert not any(weight.is_mkldnn for weight in model.parameters())
    assert torch.equal(logits(model), before)


def test_a_layer_that_does_more_stays_as_it_is() -> None:
    class Adapted(torch.nn.Linear):
        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return super().forward(rows) + rows.mean()

    model = random_model()
    layer = model.model.layers[0].mlp.up_proj
    layer.__class__ = Adapted
    before = logits(model)
    use_onednn(model)
    assert type(layer) is Adapted
    torch.testing.assert_close(logits(model), before, rtol=1e-5, atol=1e-5)


def _lacking(*_: Any) -> torch.Tensor:
    raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute")


def _other(rows: torch.Tensor, weight: torch.Tensor, bias: Any) -> torch.Tensor:
    return torch.nn.functional.linear(rows, weight.to_dense(), bias) * 1.5


@pytest.mark.parametrize("product", [_lacking, _other])
def test_without_an_operator_that_gives_the_same_everything_is_torchs(
    product: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "_product", product)
    model = random_model()
    assert use_onednn(model) == "torch"
    assert not any(isinstance(module, PackedLinear) for module in model.modules())
