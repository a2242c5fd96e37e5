"""The last layer's feed-forward part at the places that are read, and nowhere else.

Nothing comes after the last layer but the output head, so what it adds at other places is not
looked at. Its attention still needs all of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from .devices import main_device
from .onednn import is_near, trial_rows


class NarrowTail:
    """A hook around the last feed-forward module of a model."""

    def __init__(self, module: Any) -> None:
        """`module` must map each row for itself, as `tail_of` makes sure."""
        self._rows: torch.Tensor | None = None
        self._size = 0
        module.register_forward_pre_hook(self._take)
        module.register_forward_hook(self._put_back)

    @contextmanager
    def reading(self, rows: torch.Tensor) -> Iterator[None]:
        """Inside, only these rows are computed, and the others come out as zeros.

        Where there are none, the first is: not every module can do with no row at all.
        """
        self._rows = rows if len(rows) else rows.new_zeros(1)
        try:
            yield
        finally:
            self._rows = None

    def _take(self, _: Any, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        if self._rows is None:
            return inputs
        self._size = inputs[0].shape[1]
        return (inputs[0].index_select(1, self._rows.to(inputs[0].device)), *inputs[1:])

    def _put_back(self, _: Any, __: Any, output: torch.Tensor) -> torch.Tensor:
        if self._rows is None:
            return output
        whole = output.new_zeros(output.shape[0], self._size, *output.shape[2:])
        return whole.index_copy_(1, self._rows.to(output.device), output)


@torch.inference_mode()
def narrow_tail(model: Any) -> NarrowTail | None:
    """The hook around the last layer's feed-forward part, or None where it is not told apart."""
    # a model of several parts need not say how many layers it has
    count = getattr(model.config.get_text_config(), "num_hidden_layers", None)
    layers = [
        module
        for module in model.modules()
        if isinstance(module, torch.nn.ModuleList) and len(module) == count
    ]
    last = getattr(layers[0][-1], "mlp", None) if len(layers) == 1 else None
    # a mixture of experts may route rows by their neighbours: tried, not assumed
    if last is None or not _goes_row_by_row(last, model):
        return None
    return NarrowTail(last)


def _goes_row_by_row(module: Any, model: Any) -> bool:
    width = model.get_input_embeddings().embedding_dim
    rows = trial_rows(3, width, dtype=model.dtype).to(main_device(model))
    try:
        whole, picked = module(rows), module(rows[:, [2, 0]])
    except (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError):
        # it wants more than its rows, as experts that are chosen by the tokens do
        return False
    if not isinstance(whole, torch.Tensor) or whole.shape != rows.shape:
        return False
    return is_near(picked, whole[:, [2, 0]])
