"""Index arrays arrive as they were, and go to a GPU in one copy that nobody waits for."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from normscope.judges.engines.local.devices import to_device, to_device_together

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
