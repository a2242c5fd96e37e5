"""How rows of different lengths are put together to be computed at once."""

from collections.abc import Iterator, Sequence


def row_batches(
    widths: Sequence[int], *, batch_size: int | None = None, batch_tokens: int | None = None
) -> Iterator[tuple[int, int]]:
    """Where to cut rows, whose widths grow, so that no batch is too large when padded.

    A row that is too wide for `batch_tokens` goes alone.

    >>> list(row_batches([2, 2, 4, 9], batch_size=8, batch_tokens=8))
    [(0, 2), (2, 3), (3, 4)]
    """
    start = 0
    for end, width in enumerate(widths):
        rows = end - start
        wide = batch_tokens is not None and (rows + 1) * width > batch_tokens
        if rows and (rows == batch_size or wide):
            yield start, end
            start = end
    if widths:
        yield start, len(widths)
