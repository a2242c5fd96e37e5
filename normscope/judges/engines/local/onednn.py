"""Linear layers through oneDNN on a CPU, with weights that are laid out once for all products.

On a CPU torch sends float32 products to MKL, the slower of the two on some processors, and lays out
a layer's weights anew for every product. The operators that do otherwise are private to torch, so
they are tried on every shape of layer first. They are not chosen by the clock: a resumed run must
do as the interrupted one did.

A packed weight stands in the place of the plain one, with its shape, dtype and number of values.
Only oneDNN's operators compute with it; `to_dense` gives the plain one back.
"""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation

from .devices import is_spread

MOST_BYTES = 4 << 30
"""Weights of larger models stay plain: packed ones are memory of the process, never the file's."""

# rows; 16 or more give one layout, which serves any number of them
_PACKED_FOR = 256

_FAILURES = (AttributeError, RuntimeError, TypeError, ValueError, IndexError, KeyError)


class PackedLinear(torch.nn.Linear):
    """A linear layer with a packed weight."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - torch's own name
        """The input times the transposed weight, plus the bias."""
        if input.requires_grad:
            return F.linear(input, self.weight.to_dense(), self.bias)
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
    large = sum(module.weight.nbytes for module in layers) > MOST_BYTES
    if large or not _are_right(layers):
        return "torch"
    for module in layers:
        module.__class__ = PackedLinear
        module.weight = torch.nn.Parameter(_packed(module.weight), requires_grad=False)
    try:
        # a model may compute with the weight of a layer itself
        model(input_ids=torch.zeros((1, 2), dtype=torch.long), use_cache=False)
    except _FAILURES:
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


def _are_right(layers: list[torch.nn.Linear]) -> bool:
    """Whether packed products are torch's but for rounding, for each shape that there is."""
    shapes = {
        (layer.weight.shape, layer.weight.dtype, layer.bias is None): layer for layer in layers
    }
    for layer in shapes.values():
        # values of either sign without a generator, whose state would move
        rows = torch.sin(torch.arange(16 * layer.in_features)).view(1, 16, -1)
        rows = rows.to(layer.weight.dtype)
        theirs = F.linear(rows, layer.weight, layer.bias)
        try:
            ours = _product(rows, _packed(layer.weight), layer.bias)
        except _FAILURES:
            return False
        # half precision has 8 significant bits
        near = 1e-4 if theirs.dtype == torch.float32 else 3e-2
        if not torch.allclose(ours, theirs, rtol=near, atol=near * float(theirs.abs().max())):
            return False
    return True


def _packed(weight: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _PACKED_FOR)
    return result


def _product(rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return result
