"""Small arrays on their way to the device of a model, and back.

A GPU computes while the processor prepares what comes next, unless it is waited for: a copy from or
to memory that the system may move is such a wait, one from memory that stays in place ("pinned")
is not. Each copy costs some microseconds however small it is, so what is needed together goes
together.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch


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
