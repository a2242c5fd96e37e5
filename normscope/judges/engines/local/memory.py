"""Running out of memory, explained."""

from collections.abc import Iterator
from contextlib import contextmanager

from ....errors import ModelError

# of CUDA, of MPS and of the processor's allocator
_MARKS = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the error says that memory has run out, on whatever device.

    >>> is_out_of_memory(RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"))
    True
    """
    return isinstance(error, RuntimeError) and any(mark in str(error) for mark in _MARKS)


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
            f"--pack-tokens {max(1, pack_tokens // 2)}, a smaller or a quantised model, dtype "
            "bfloat16 or another device; finished units are kept"
        ) from error
