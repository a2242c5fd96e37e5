"""Linear layers in float32 through oneDNN, where torch was built with it.

On a CPU torch sends bfloat16 products to oneDNN and float32 ones to MKL, which is the slower of the
two on some processors. The operator that sends both to oneDNN is private to torch, so it is tried
on every shape of layer first. It is never chosen by the clock: a resumed run must do as the
interrupted one did.
"""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation

from .placing import is_spread

# with fewer rows, as when a text is written token by token, there is nothing to gain
_FEW = 16


class OneDnnLinear(torch.nn.Linear):
    """A linear layer whose products with many rows are oneDNN's."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - torch's own name
        """The input times the transposed weight, plus the bias."""
        if input.requires_grad or input.numel() < _FEW * self.in_features:
            return super().forward(input)
        return _product(input, self.weight, self.bias)


@torch.inference_mode()
def use_onednn(model: Any) -> bool:
    """Whether the model's float32 linear layers now run through oneDNN."""
    # a hook has taken the place of the forward pass of a module that is spread
    if is_spread(model) or model.device.type != "cpu" or model.dtype != torch.float32:
        return False
    plain = [module for module in model.modules() if type(module) is torch.nn.Linear]
    shapes = {(module.weight.shape, module.bias is None): module for module in plain}
    if not plain or not all(_is_right(module) for module in shapes.values()):
        return False
    for module in plain:
        # the weights and hooks stay where they are
        module.__class__ = OneDnnLinear
    return True


def _is_right(module: torch.nn.Linear) -> bool:
    rows = torch.sin(torch.arange(_FEW * module.in_features, dtype=torch.float32))
    rows = rows.view(1, _FEW, module.in_features)
    try:
        ours = _product(rows, module.weight, module.bias)
    except (AttributeError, RuntimeError, NotImplementedError, TypeError):
        return False
    theirs = F.linear(rows, module.weight, module.bias)
    return torch.allclose(ours, theirs, rtol=1e-4, atol=1e-4 * float(theirs.abs().max()))


def _product(rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return result
