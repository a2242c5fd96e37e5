"""Running out of memory: found out before a run begins, explained if it happens later."""

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from ....errors import ModelError

SMALLEST_PLAN = 64
"""Tokens in one pass below which there is no point in trying."""

# of CUDA, of MPS and of the processor's allocator
_MARKS = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the error says that memory has run out, on whatever device.

    >>> is_out_of_memory(RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"))
    True
    """
    return isinstance(error, RuntimeError) and any(mark in str(error) for mark in _MARKS)


def fitted(plan: int, trial: Callable[[int], object]) -> int:
    """The first of plan, plan/2, plan/4 … with which the trial does not run out of memory.

    Every cut is logged; a `ModelError` where even `SMALLEST_PLAN` does not fit.
    """
    while not _fits(plan, trial):
        if plan <= SMALLEST_PLAN:
            raise ModelError(
                f"the model is loaded, but {plan} tokens in one pass do not fit beside it: use a "
                "smaller or a quantised model, dtype bfloat16, or another device"
            )
        # halved and not measured: the same machine comes to the same plan
        smaller = max(plan // 2, SMALLEST_PLAN)
        logging.getLogger("normscope").warning(
            "%d tokens in one pass run out of memory, now trying %d", plan, smaller
        )
        plan = smaller
    return plan


@contextmanager
def explaining(plan: int) -> Iterator[None]:
    """Inside, running out of memory is a `ModelError` that says with which plan to go on."""
    try:
        yield
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        remedy = (
            f"run the same again with --pack-tokens {max(plan // 2, SMALLEST_PLAN)}"
            if plan > SMALLEST_PLAN
            else "give it more memory, or a smaller model"
        )
        raise ModelError(
            f"out of memory, though {plan} tokens in one pass fitted when the model was loaded: "
            f"{remedy}; finished units are kept"
        ) from error


def _fits(plan: int, trial: Callable[[int], object]) -> bool:
    try:
        trial(plan)
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
    else:
        return True
    # out here the error no longer holds on to the frames, and with them the tensors, that were left
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return False
