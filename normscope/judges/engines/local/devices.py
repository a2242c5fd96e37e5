"""Where a model's weights stand: on one device, or spread over all that there are (`auto-map`).

A model that is spread has hooks of accelerate's: they move each layer's inputs to the layer's
device, and bring weights that wait in memory or on the disk only while the layer is computed.
"""

import logging
import os
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
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
MAX_MEMORY = "NORMSCOPE_MAX_MEMORY"
"""The variable that bounds what `auto-map` takes: `0=20GiB,1=20GiB,cpu=60GiB`."""

_WAITING = ("cpu", "disk")


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


def placed(load: Callable[..., Any], name: str, *, quantised: bool) -> Any:
    """The model that `load` returns when it is told where to put the weights, all in their place.

    Of a model that is spread, what waits on the disk stays in the checkpoint's own files where
    these can be read as they are, else in a temporary folder that goes with the model.
    """
    if name != AUTO_MAP:
        device = device_of(name)
        # quantised weights are put where they belong while they are read, not moved after
        model = load(device_map={"": device} if quantised else None)
        return model if quantised else model.to(device)
    bounds = _check_spread()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="normscope-weights-"))
        model = load(device_map="auto", max_memory=bounds, offload_folder=folder)
        weakref.finalize(model, stack.pop_all().close)
    if waiting := _places(model)[1]:
        logging.getLogger("normscope").warning(
            "the model does not fit: some weights are brought from %s at every pass, which is slow "
            "(a larger --pack-tokens makes fewer passes)",
            " and ".join(waiting),
        )
    return model


def main_device(model: Any) -> torch.device:
    """The device that takes the model's inputs and gives its logits."""
    return _places(model)[0][0]


def is_spread(model: Any) -> bool:
    """Whether the weights stand in more than one place, or wait on the disk."""
    return hasattr(model, "hf_device_map")


def device_map(model: Any) -> str:
    """On how many devices the model is computed, and where other weights wait.

    `2 cuda + cpu + disk`: the same in a process that finds a little less memory.
    """
    computing, waiting = _places(model)
    return " + ".join((f"{len(computing)} {computing[0].type}", *waiting))


def rows_to_read(model: Any, rows: Rows) -> Any:
    """The positions whose logits a model is to give (`logits_to_keep`).

    A hook would move a tensor to the first device, and the last layer may be on another: an array
    is left alone, and indexes tensors of every device.
    """
    return rows if is_spread(model) else sent(rows, model.device)


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


def _check_spread() -> dict[int | str, int] | None:
    """The most bytes for each place, null where all may be taken; refuses what cannot be spread."""
    require("accelerate", extra="judge")
    processes = launched().local_count
    if processes > 1 and device_of(AUTO_MAP).type != "cpu":
        raise ConfigError(
            f"--device {AUTO_MAP} takes all GPUs of a machine for one process, and {processes} "
            "were started here: start one process for each machine"
        )
    given = os.environ.get(MAX_MEMORY)
    return _bounds(given) if given else None


def _bounds(given: str) -> dict[int | str, int]:
    """The most bytes for each place of `0=20GiB,cpu=60GiB`; what is not named is not used."""
    from accelerate.utils import convert_file_size_to_int

    known = [*map(str, range(torch.cuda.device_count())), "cpu"]
    bounds: dict[int | str, int] = {}
    for entry in given.split(","):
        place, _, size = (part.strip() for part in entry.partition("="))
        try:
            if place not in known:
                raise ValueError
            bounds[place if place == "cpu" else int(place)] = convert_file_size_to_int(size)
        except ValueError:
            example = "cpu=60GiB" if len(known) == 1 else "0=20GiB,cpu=60GiB"
            raise ConfigError(
                f"{MAX_MEMORY} has {entry!r}: write {example}, with the places {', '.join(known)}"
            ) from None
    return bounds


def _places(model: Any) -> tuple[list[torch.device], list[str]]:
    """The devices that compute, and where other weights wait; without a GPU the CPU computes."""
    if not is_spread(model):
        return [model.device], []
    places = set(model.hf_device_map.values())
    devices = (torch.device(place) for place in places if place not in _WAITING)
    computing = sorted(devices, key=lambda device: device.index or 0)
    waiting = [place for place in _WAITING if place in places]
    return (computing, waiting) if computing else ([torch.device("cpu")], waiting[-1:])


def sent(values: npt.NDArray[Any] | torch.Tensor, device: torch.device) -> torch.Tensor:
    """The values on the device. To a GPU they go without a wait, and may be changed after.

    On a CPU an array of numpy is not copied: what changes it changes the tensor.
    """
    tensor = values if isinstance(values, torch.Tensor) else torch.from_numpy(values)
    if device.type == "cuda" and tensor.device.type == "cpu":
        # its allocator keeps the pinned copy until the device has read it
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def sent_together(
    arrays: Sequence[npt.NDArray[np.int64]], device: torch.device
) -> list[torch.Tensor]:
    """Index arrays of any shape on the device, in one transfer.

    >>> first, second = sent_together([np.arange(2), np.ones((1, 2), int)], torch.device("cpu"))
    >>> first.tolist(), second.tolist()
    ([0, 1], [[1, 1]])
    """
    if not arrays:
        return []
    whole = sent(np.concatenate([array.reshape(-1) for array in arrays]), device)
    cuts = np.cumsum([0, *(array.size for array in arrays)]).tolist()
    return [
        whole[start:end].view(array.shape)
        for (start, end), array in zip(pairwise(cuts), arrays, strict=True)
    ]


def fetched(tensors: Sequence[torch.Tensor]) -> Callable[[], list[torch.Tensor]]:
    """Begins to bring the tensors, of one device, to the processor.

    What is returned gives them there, and waits until they are: for what was to be computed before
    now, not for what comes after.
    """
    if not tensors or tensors[0].device.type != "cuda":
        here = [tensor.cpu() for tensor in tensors]
        return lambda: here
    # torch itself takes pinned memory for such a copy
    arriving = [tensor.to("cpu", non_blocking=True) for tensor in tensors]
    # blocking: the thread sleeps instead of asking again and again, which another can use
    arrived: Any = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
    arrived.record(torch.cuda.current_stream(tensors[0].device))

    def wait() -> list[torch.Tensor]:
        arrived.synchronize()
        return arriving

    return wait
