"""Trials of what computes in a module's place: rows to try it on, and whether it gives the same."""

import torch


def trial_rows(count: int, width: int, *, dtype: torch.dtype) -> torch.Tensor:
    """Rows of a batch of one, with values of either sign.

    They come without a generator, whose state would move.
    """
    rows = torch.sin(torch.arange(count * width, dtype=torch.float32))
    return rows.view(1, count, width).to(dtype)


def is_near(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Whether ours is theirs but for rounding, measured by their largest value.

    >>> is_near(torch.tensor([1.00001, 0.0]), torch.tensor([1.0, 0.0]))
    True
    """
    # half precision has 8 to 11 significant bits
    near = 1e-4 if theirs.dtype == torch.float32 else 3e-2
    return torch.allclose(ours, theirs, rtol=near, atol=near * float(theirs.abs().max()))
