"""Where a model's weights stand, and how index arrays get there.

A model that is spread (`auto-map`) is accelerate's affair: its hooks move each layer's inputs to
the layer's device, and bring weights that wait in memory or on the disk while it is computed.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ....errors import ConfigError, ModelError
from ....extras import require
from ....launch import is_on_cpu, launched
from .prefix_tree import Rows

AUTO_MAP = "auto-map"


def device_of(name: str) -> torch.device:
    """The device of this name, which can be used here; a `ModelError` where it cannot.

    `auto` is a GPU where there is one: in a process that a launcher (accelerate, torchrun) has
    started, the GPU with the process' number on its machine. Of `auto-map` it is the first one.
    """
    if name in {"auto", AUTO_MAP}:
        return _automatic(0 if name == AUTO_MAP else launched().local_rank)
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelError(f"device {name!r} cannot be used here; try --device cpu") from error
    return device


def load_placed(load: Callable[..., Any], name: str, *, quantised: bool) -> Any:
    """The model that `load` returns when it is told where its weights go, in their place."""
    device = device_of(name)
    if name == AUTO_MAP:
        require("accelerate", extra="judge")
        if launched().local_count > 1 and device.type != "cpu":
            raise ConfigError(
                f"--device {AUTO_MAP} takes all GPUs of a machine for one process, and "
                f"{launched().local_count} were started here: start one process for each machine"
            )
        return load(device_map="auto")
    # quantised weights are put where they belong while they are read, not moved after
    model = load(device_map={"": device} if quantised else None)
    return model if quantised else model.to(device)


def main_device(model: Any) -> torch.device:
    """The device that takes the model's inputs and gives its logits."""
    if not is_spread(model):
        device: torch.device = model.device
        return device
    computing = [place for place in model.hf_device_map.values() if place not in {"cpu", "disk"}]
    return torch.device(computing[0] if computing else "cpu")


def is_spread(model: Any) -> bool:
    """Whether the weights stand in more than one place, or wait on the disk."""
    return hasattr(model, "hf_device_map")


def rows_to_read(model: Any, rows: Rows) -> Any:
    """The positions whose logits a model is to give (`logits_to_keep`).

    A hook would move a tensor to the first device, and the last layer may be on another: an array
    is left alone, and indexes tensors of every device.
    """
    return rows if is_spread(model) else to_device(rows, model.device)


def _automatic(number: int) -> torch.device:
    if is_on_cpu() or not torch.cuda.is_available():
        return torch.device("cpu")
    count = torch.cuda.device_count()
    if number >= count:
        raise ModelError(
            f"process {number + 1} of this machine has no GPU of its own, since there are "
            f"{count}: start {count} processes, or name a --device"
        )
    return torch.device("cuda", number)


def to_device(values: npt.NDArray[Any] | torch.Tensor, device: torch.device) -> torch.Tensor:
    """The values on the device. To a GPU they go without a wait, and may be changed after.

    On a CPU an array of numpy is not copied: what changes it changes the tensor.
    """
    tensor = values if isinstance(values, torch.Tensor) else torch.from_numpy(values)
    if device.type == "cuda" and tensor.device.type == "cpu":
        # its allocator keeps the pinned copy until the device has read it
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def to_device_together(
    arrays: Sequence[npt.NDArray[np.int64]], device: torch.device
) -> list[torch.Tensor]:
    """Index arrays of any shape on the device, in one transfer.

    >>> arrays = [np.arange(2), np.ones((1, 2), int)]
    >>> [tensor.tolist() for tensor in to_device_together(arrays, torch.device("cpu"))]
    [[0, 1], [[1, 1]]]
    """
    if not arrays:
        return []
    whole = to_device(np.concatenate([array.reshape(-1) for array in arrays]), device)
    cuts = np.cumsum([0, *(array.size for array in arrays)]).tolist()
    return [
        whole[start:end].view(array.shape)
        for (start, end), array in zip(pairwise(cuts), arrays, strict=True)
    ]
