"""Linear layers through oneDNN on a CPU, with weights that are laid out once for all products.

On a CPU torch sends float32 products to MKL, the slower of the two on some processors, and lays out
a layer's weights anew for every product. The operators that do otherwise are private to torch, so
a pass of the model is tried with them. They are not chosen by the clock: a resumed run must do as
the interrupted one did.

A packed weight stands in the place of the plain one, with its shape, dtype and number of values.
Only oneDNN's operators compute with it; `to_dense` gives the plain one back.
"""

from typing import Any

import torch

from .devices import is_spread
from .rows import are_close

MOST_BYTES = 4 << 30
"""Weights of larger models stay plain: packed ones are memory of the process, never the file's."""

# rows; 16 or more give one layout, which serves any number of them
_PACKED_FOR = 256

_FAILURES = (AttributeError, RuntimeError, TypeError, ValueError, IndexError, KeyError)


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
