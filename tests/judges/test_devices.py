"""A model in several places gives the same numbers, and arrays arrive as they were."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers.integrations.accelerate
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from reference_models import SCALES, save_model

from normscope.errors import ConfigError, ModelError
from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.local import devices as placing
from normscope.judges.engines.local.devices import to_device, to_device_together
from normscope.judges.engines.local.loading import explain
from normscope.judges.engines.local.prefix_tree import plan_packs
from normscope.judges.engines.local.tree_attention import PackPass, Rule
from normscope.records.model_spec import ModelSpec

REQUESTS = [
    LabelRequest((("user", f"Rate how safe this is: {text}"),), scale, "Answer:")
    for text in ("", "a smart watch", "a smart watch records", "回答" * 40)
    for scale in SCALES
]
REPLIES = [
    TextRequest((("user", "回答" * n),), max_new_tokens=6, temperature=0.0, seed=1) for n in (1, 5)
]


@pytest.mark.parametrize("shape", ["llama", "qwen2", "mistral with a window"])
def test_a_judge_that_waits_on_the_disk_gives_what_it_gives_in_memory(
    shape: str, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save_model(tmp_path / "model", tiny_model, shape, template=True)
    plain = load(ModelSpec(model=path, dtype="float32"))
    half = (Path(path) / "model.safetensors").stat().st_size // 2
    monkeypatch.setattr(
        transformers.integrations.accelerate, "get_max_memory", lambda *_: {"cpu": half}
    )
    engine = load(ModelSpec(model=path, dtype="float32", device=placing.AUTO_MAP))
    assert "disk" in engine._model.hf_device_map.values()  # type: ignore[attr-defined]
    # `linear` may differ, since oneDNN would take the place of the hooks
    assert engine.identity | {"linear": ""} == plain.identity | {"linear": ""}
    assert engine.identity["batching"] == "prefix tree"
    for one, other in zip(engine.labels(REQUESTS), plain.labels(REQUESTS), strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)
    assert engine.texts(REPLIES) == plain.texts(REPLIES)


def test_a_full_disk_names_where_to_make_room() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert "the disk is full: make room" in explain(ModelSpec("model"), full)


class Spread:
    """A model whose layers a machine with several devices would have put so."""

    def __init__(self, *places: Any) -> None:
        self.hf_device_map = dict(enumerate(places))


@pytest.mark.parametrize(
    ("places", "main"),
    [
        (("cuda:10", "cuda:9", "cuda:9"), "cuda:10"),
        (("cuda:0", "cpu", "disk"), "cuda:0"),
        (("cpu", "cuda:1"), "cuda:1"),
        (("disk",), "cpu"),
    ],
)
def test_inputs_go_to_the_first_device_that_computes(places: tuple[Any, ...], main: str) -> None:
    assert placing.main_device(Spread(*places)) == torch.device(main)


def test_each_layer_attends_on_its_own_device() -> None:
    (pack,) = plan_packs([(1, 2, 3), (1, 2, 4), (1, 5)], pack_tokens=64)
    step = PackPass(pack, None, device=torch.device("cpu"), dtype=torch.float32)
    size = len(pack.tokens)
    for layer, device in enumerate(("cpu", "meta", "cpu")):
        queries, keys, values = (torch.ones(h, size, 8, device=device) for h in (4, 2, 2))
        result = step.attend(layer, queries, keys, values, Rule())
        assert (result.device.type, result.shape) == (device, (size, 4, 8))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "cuda:0"),
        ({"RANK": "9", "WORLD_SIZE": "16", "LOCAL_RANK": "1"}, "cuda:1"),
        ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "ACCELERATE_USE_CPU": "true"}, "cpu"),
    ],
)
def test_a_process_of_a_launcher_takes_the_gpu_of_its_number(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_gpus(monkeypatch, environment)
    assert placing.device_of("auto") == torch.device(expected)


def test_more_processes_than_gpus_and_a_map_for_each_of_them_are_refused(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"RANK": "2", "WORLD_SIZE": "3", "LOCAL_RANK": "2", "LOCAL_WORLD_SIZE": "3"}
    two_gpus(monkeypatch, names)
    with pytest.raises(ModelError, match=r"process 3 .* since there are 2: start 2 processes"):
        placing.device_of("auto")
    with pytest.raises(ConfigError, match=r"takes all GPUs of a machine .* and 3 were started"):
        load(ModelSpec(model=str(tiny_model), device=placing.AUTO_MAP))


def two_gpus(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


CPU = torch.device("cpu")


@given(st.lists(arrays.arrays(np.int64, arrays.array_shapes(min_dims=0, min_side=0, max_dims=3))))
def test_arrays_that_go_together_arrive_as_they_were(given: list[Any]) -> None:
    received = to_device_together(given, CPU)
    assert len(received) == len(given)
    for array, tensor in zip(given, received, strict=True):
        assert tensor.dtype == torch.int64
        np.testing.assert_array_equal(tensor.numpy(), array)


def test_a_gpu_gets_them_in_one_copy_from_pinned_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[tuple[bool, Any]] = []
    pinned: list[torch.Tensor] = []

    def pin(tensor: torch.Tensor) -> torch.Tensor:
        pinned.append(tensor.clone())
        return pinned[-1]

    def to(tensor: torch.Tensor, device: torch.device, **how: Any) -> torch.Tensor:
        assert device.type == "cuda"
        copies.append((any(tensor is each for each in pinned), how))
        return tensor

    monkeypatch.setattr(torch.Tensor, "pin_memory", pin)
    monkeypatch.setattr(torch.Tensor, "to", to)
    gpu = torch.device("cuda", 0)
    first, second = to_device_together([np.arange(3), np.arange(4).reshape(2, 2)], gpu)
    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [[0, 1], [2, 3]])
    assert to_device(torch.ones(2), gpu).tolist() == [1, 1]
    assert copies == [(True, {"non_blocking": True})] * 2
