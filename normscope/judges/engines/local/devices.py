"""The device a model is computed on: its weights there, its memory, and index arrays on their way.

A model that is spread (`auto-map`) is accelerate's affair: its hooks move each layer's inputs to
the layer's device, and bring weights that wait in memory or on the disk while it is computed.

On a CPU torch sends float32 products to MKL, the slower of the two on some processors, and lays out
a layer's weights anew for every product. With oneDNN they are laid out once for all products. The
operators for that are private to torch, so a pass of the model is tried with them. They are not
chosen by the clock: a resumed run must do as the interrupted one did. A packed weight stands in the
place of the plain one, with its shape, dtype and number of values. Only oneDNN's operators compute
with it; `to_dense` gives the plain one back.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ....errors import ConfigError, ModelError
from ....extras import require
from ....launch import is_on_cpu, launched

AUTO_MAP = "auto-map"

# of CUDA, of MPS and of the processor's allocator
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")

MOST_BYTES = 4 << 30
"""Weights of larger models stay plain: packed ones are memory of the process, never the file's."""

# rows; 16 or more give one layout, which serves any number of them
_PACKED_FOR = 256

_FAILURES = (AttributeError, RuntimeError, TypeError, ValueError, IndexError, KeyError)


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
        raise ModelError(f"device {name!r} cannot be used here; try --device=cpu") from error
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


def rows_to_read(model: Any, rows: npt.NDArray[np.int64]) -> Any:
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


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the error says that memory has run out, on whatever device.

    >>> is_out_of_memory(RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"))
    True
    """
    return isinstance(error, RuntimeError) and any(mark in str(error) for mark in _OUT_OF_MEMORY)


@contextmanager
def out_of_memory_explained(pack_tokens: int) -> Iterator[None]:
    """Inside, running out of memory is a `ModelError` that says with which plan to go on."""
    try:
        yield
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        raise ModelError(
            f"out of memory with {pack_tokens} tokens in one pass: run the same again with "
            f"--set pack_tokens={max(1, pack_tokens // 2)}, a smaller or a quantised model, dtype "
            "bfloat16 or another device; finished units are kept"
        ) from error


def are_close(tried: torch.Tensor, plain: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether these logits of a model of this dtype give the probabilities of the plain ones."""
    # between two orders of summation bfloat16 itself differs by about a hundredth
    near = 1e-3 if dtype == torch.float32 else 0.1
    ours, theirs = (logits.float().softmax(-1) for logits in (tried, plain))
    return torch.allclose(ours, theirs, rtol=near, atol=near / 10)


class PackedLinear(torch.nn.Linear):
    """A linear layer with a packed weight."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - torch's own name
        """The input times the transposed weight, plus the bias."""
        return _product(input, self.weight, self.bias)


@torch.no_grad()
def use_onednn(model: Any) -> str:
    """Packs the weights of a model's linear layers where that gives what torch gives.

    What computes the products from now on: "onednn packed" or "torch".
    """
    head = model.get_output_embeddings()
    layers = [
        module
        for module in model.modules()
        # the head may be the embedding, too, and has few rows
        if type(module) is torch.nn.Linear
        and module is not head
        and module.weight.dtype in {torch.float32, torch.bfloat16}
    ]
    # a hook has taken the place of the forward pass of a module that is spread
    if not layers or is_spread(model) or model.device.type != "cpu":
        return "torch"
    if sum(module.weight.nbytes for module in layers) > MOST_BYTES:
        return "torch"
    theirs = _logits(model)
    try:
        for module in layers:
            module.weight = torch.nn.Parameter(_packed(module.weight), requires_grad=False)
            module.__class__ = PackedLinear
        # fails where a model computes with the weight of a layer itself
        ours = _logits(model)
    except _FAILURES:
        ours = None
    if ours is None or not are_close(ours, theirs, model.dtype):
        use_torch(model)
        return "torch"
    return "onednn packed"


@torch.no_grad()
def use_torch(model: Any) -> None:
    """Makes linear layers torch's own again, with plain weights."""
    packed: list[Any] = [m for m in model.modules() if isinstance(m, PackedLinear)]
    for module in packed:
        module.__class__ = torch.nn.Linear
        module.weight = torch.nn.Parameter(module.weight.to_dense(), requires_grad=False)


def _logits(model: Any) -> torch.Tensor:
    """Those after each of a few tokens."""
    size = model.get_input_embeddings().num_embeddings
    tokens = torch.arange(7, 23)[None] * 7919 % size
    logits: torch.Tensor = model(input_ids=tokens, use_cache=False).logits
    return logits


def _packed(weight: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _PACKED_FOR)
    return result


def _product(rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return result
