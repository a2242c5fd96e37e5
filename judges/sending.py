"""Small arrays on their way to the device of a model.

A GPU computes while the processor prepares what comes next, unless it is waited for: a copy from
memory that the system may move is such a wait, one from memory that stays in place ("pinned") is
not. Each copy costs some microseconds however small it is, so what is needed together goes
together.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch


def sent(values: npt.NDArray[Any] | torch.Tensor, device: torch.device) -> torch.Tensor:
    """The values on the device. To a GPU they go without a wait; `values` may be changed after."""
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
