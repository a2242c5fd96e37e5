"""Linear layers through oneDNN: the same answers, and what is left as it is."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from transformers.activations import ACT2FN

from normscope import launch
from normscope.judges.engines.local import onednn
from normscope.judges.engines.local.onednn import OneDnnGated, OneDnnLinear, use_onednn, use_torch

# where it is there, it has to be used
pytestmark = pytest.mark.skipif(
    not torch._C._has_mkldnn, reason="this torch was built without oneDNN"
)

SIZES: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 520,
}
TOKENS = torch.arange(40)[None]


BFLOAT16 = pytest.mark.skipif(
    not torch.ops.mkldnn._is_mkldnn_bf16_supported(),
    reason="oneDNN has no products of bfloat16 on this processor (avx512bw, avx512vl, avx512dq)",
)


def random_model(config: Any, dtype: str = "float32") -> Any:
    torch.manual_seed(5)
    made = transformers.AutoModelForCausalLM.from_config(config, dtype=getattr(torch, dtype))
    return made.eval()


def llama(dtype: str = "float32", **settings: Any) -> Any:
    return random_model(transformers.LlamaConfig(**SIZES | settings), dtype)


@torch.inference_mode()
def logits(model: Any, rows: int = 40) -> torch.Tensor:
    result: torch.Tensor = model(TOKENS[:, :rows], use_cache=False).logits
    return result


CONFIGS: dict[str, Callable[[], Any]] = {
    "biases, tied head": lambda: transformers.Qwen2Config(tie_word_embeddings=True, **SIZES),
    "silu": lambda: transformers.LlamaConfig(mlp_bias=True, **SIZES),
    "gelu by tanh": lambda: transformers.Gemma2Config(head_dim=128, **SIZES),
    "gelu": lambda: transformers.LlamaConfig(hidden_act="gelu", **SIZES),
    "no gate": lambda: transformers.GPTNeoXConfig(**SIZES),
}


@pytest.mark.parametrize("dtype", ["float32", pytest.param("bfloat16", marks=BFLOAT16)])
@pytest.mark.parametrize("name", CONFIGS)
def test_packed_layers_give_what_torch_gives(name: str, dtype: str) -> None:
    model = random_model(CONFIGS[name](), dtype)
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
    gated = [module for module in model.modules() if isinstance(module, OneDnnGated)]
    assert len(gated) == (2 if dtype == "float32" and name != "no gate" else 0)
    use_torch(model)
    assert torch.equal(logits(model), before[40])
    assert not any(isinstance(m, OneDnnLinear | OneDnnGated) for m in model.modules())


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, pytest.param(torch.bfloat16, marks=BFLOAT16)])
@pytest.mark.parametrize(("inner", "outer"), [(1, 7), (100, 50), (512, 513), (1536, 512)])
@torch.no_grad()
def test_a_packed_product_of_any_rows_is_the_plain_one(
    inner: int, outer: int, dtype: torch.dtype, bias: bool
) -> None:
    torch.manual_seed(0)
    module = torch.nn.Linear(inner, outer, bias=bias, dtype=dtype)
    packed = OneDnnLinear(inner, outer, bias=bias, dtype=dtype)
    packed.load_state_dict(module.state_dict())
    packed.weight = torch.nn.Parameter(onednn._packed(module.weight), requires_grad=False)
    assert torch.equal(packed.weight.to_dense(), module.weight)
    near = 1e-5 if dtype == torch.float32 else 1e-2
    for shape in ((0,), (1,), (1, 3), (2, 31), (1, 300)):
        rows = torch.randn(*shape, inner, dtype=dtype)
        torch.testing.assert_close(packed(rows), module(rows), rtol=near, atol=near)


def test_few_rows_and_small_layers_keep_plain_weights() -> None:
    small = llama(hidden_size=64, intermediate_size=128, num_attention_heads=2)
    before = logits(small)
    assert use_onednn(small) == "onednn"
    assert not any(weight.is_mkldnn for weight in small.parameters())
    torch.testing.assert_close(logits(small), before, rtol=1e-5, atol=1e-5)
    assert use_onednn(llama("bfloat16", hidden_size=64, intermediate_size=128)) == "torch"


def test_a_weight_that_is_tied_stays_plain_and_stands_once() -> None:
    model = llama(vocab_size=600, tie_word_embeddings=True)
    assert use_onednn(model) == "onednn packed"
    assert model.lm_head.weight is model.get_input_embeddings().weight
    assert not model.lm_head.weight.is_mkldnn
    apart = llama(vocab_size=600, tie_word_embeddings=False)
    use_onednn(apart)
    assert apart.lm_head.weight.is_mkldnn


def test_gradients_still_reach_the_inputs() -> None:
    model = llama()
    rows = torch.randn(1, 20, 512, requires_grad=True)
    plain = model.model.layers[0].mlp
    theirs = torch.autograd.grad(plain(rows).sum(), rows)[0]
    use_onednn(model)
    ours = torch.autograd.grad(model.model.layers[0].mlp(rows).sum(), rows)[0]
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_hooks_inside_a_feed_forward_part_are_called() -> None:
    model = llama()
    use_onednn(model)
    before, seen = logits(model), []
    for name in ("gate_proj", "act_fn", "up_proj", "down_proj"):
        module = getattr(model.model.layers[0].mlp, name)
        module.register_forward_hook(lambda *_, name=name: seen.append(name))
    torch.testing.assert_close(logits(model), before, rtol=1e-5, atol=1e-5)
    assert seen == ["gate_proj", "act_fn", "up_proj", "down_proj"]


def _other_activation(model: Any) -> None:
    model.model.layers[0].mlp.act_fn = ACT2FN["quick_gelu"]


def _more_than_gating(model: Any) -> None:
    kind = type(model.model.layers[0].mlp)
    model.model.layers[0].mlp.__class__ = type(
        "Halved", (kind,), {"forward": lambda self, rows: kind.forward(self, rows) / 2}
    )


def _low_rank(model: Any) -> None:
    class Adapted(torch.nn.Linear):
        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return super().forward(rows) + rows.mean()

    model.model.layers[0].mlp.up_proj.__class__ = Adapted


@pytest.mark.parametrize("change", [_other_activation, _more_than_gating, _low_rank])
def test_a_feed_forward_part_that_is_another_stays_as_it_is(change: Callable[[Any], None]) -> None:
    model = llama()
    change(model)
    before = logits(model)
    use_onednn(model)
    assert not isinstance(model.model.layers[0].mlp, OneDnnGated)
    assert isinstance(model.model.layers[1].mlp, OneDnnGated)
    torch.testing.assert_close(logits(model), before, rtol=1e-5, atol=1e-5)


def test_a_model_that_computes_with_a_layers_weight_keeps_plain_weights() -> None:
    model = llama()
    query = model.model.layers[0].self_attn.q_proj
    attention = type(model.model.layers[0].self_attn)

    class Direct(attention):  # type: ignore[misc,valid-type]
        def forward(self, hidden_states: torch.Tensor, **settings: Any) -> Any:
            torch.nn.functional.linear(hidden_states, query.weight)
            return super().forward(hidden_states, **settings)

    model.model.layers[0].self_attn.__class__ = Direct
    before = logits(model)
    assert use_onednn(model) == "onednn"
    assert not any(weight.is_mkldnn for weight in model.parameters())
    torch.testing.assert_close(logits(model), before, rtol=1e-5, atol=1e-5)


def test_without_the_operators_everything_is_torchs(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_: Any) -> None:
        raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute")

    monkeypatch.setattr(onednn, "_packed", lacking)
    assert use_onednn(llama()) == "onednn"
    monkeypatch.setattr(onednn, "_product", lacking)
    model = llama()
    assert use_onednn(model) == "torch"
    assert not any(isinstance(module, OneDnnLinear) for module in model.modules())


@pytest.mark.parametrize(("limit", "known"), [("4096\n", 4096), ("max\n", None)])
def test_the_memory_is_that_of_the_container_where_it_has_a_limit(
    limit: str, known: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = onednn._memory()
    (tmp_path / "memory.max").write_text(limit, encoding="ascii")
    monkeypatch.setattr(onednn, "_CONTAINER", tmp_path / "memory.max")
    assert onednn._memory() == known if known else onednn._memory() >= whole


def test_weights_of_half_the_memory_are_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = llama()
    size = sum(weight.nbytes for weight in model.parameters())
    memory = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 4 * size}
    monkeypatch.setattr(os, "sysconf", memory.__getitem__)
    assert use_onednn(model) == "onednn packed"
    # three processes of a machine have three copies
    monkeypatch.setattr(onednn, "launched", lambda: launch.Launch(0, 3, 0, 3))
    assert use_onednn(llama()) == "onednn"
