"""Linear layers through oneDNN on a CPU, with weights that are laid out once for all products.

On a CPU torch sends bfloat16 products to oneDNN and float32 ones to MKL, which is the slower of the
two on some processors, and either lays out a layer's weights anew for every product. The operators
that do otherwise are private to torch, so they are tried on every shape of layer first. None is
chosen by the clock: a resumed run must do as the interrupted one did.

A packed weight stands in the place of the plain one, with its shape, dtype and number of values.
Only oneDNN's operators compute with it; `to_dense` gives the plain one back.
"""

import math
import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation

from ....launch import launched
from .devices import is_spread

# with fewer rows, as when a text is written token by token, plain weights gain nothing
_FEW = 16

# values; in float32 the call costs more than packing gains a single row of a smaller layer
_WORTH_PACKING = 1 << 18

# rows; 16 or more give one layout, which serves any number of them
_PACKED_FOR = 256

_DTYPES = (torch.float32, torch.bfloat16)

_CONTAINER = Path("/sys/fs/cgroup/memory.max")

_FAILURES = (AttributeError, RuntimeError, TypeError, ValueError, IndexError, KeyError)


class Activation(NamedTuple):
    """What oneDNN calls an activation that it computes within a product."""

    name: str
    algorithm: str = ""


_NONE = Activation("none")
_ACTIVATIONS: dict[Activation, Callable[[torch.Tensor], torch.Tensor]] = {
    Activation("swish"): F.silu,
    Activation("gelu", "tanh"): lambda rows: F.gelu(rows, approximate="tanh"),
    Activation("gelu", "none"): F.gelu,
}


class OneDnnLinear(torch.nn.Linear):
    """A linear layer whose products are oneDNN's; with plain weights those of many rows only."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - torch's own name
        """The input times the transposed weight, plus the bias."""
        few = input.numel() < _FEW * self.in_features
        if input.requires_grad or (few and not self.weight.is_mkldnn):
            return F.linear(input, self.weight.to_dense(), self.bias)
        return _product(input, self.weight, self.bias)


class OneDnnGated(torch.nn.Module):
    """A gated feed-forward part whose activation and gating are computed within its products."""

    activation: Activation
    gate_proj: Any
    up_proj: Any
    down_proj: Any
    act_fn: Any

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """`down_proj(act_fn(gate_proj(rows)) * up_proj(rows))`."""
        parts = self.gate_proj, self.up_proj, self.act_fn
        result: torch.Tensor
        if rows.requires_grad or any(p._forward_hooks or p._forward_pre_hooks for p in parts):
            result = super().forward(rows)
        else:
            result = self.down_proj(_gated_product(self, rows, self.activation))
        return result


@torch.no_grad()
def use_onednn(model: Any) -> str:
    """Sends a model's linear layers through oneDNN where that gains something.

    What is used: "onednn packed", "onednn" (plain weights) or "torch".
    """
    # a hook has taken the place of the forward pass of a module that is spread
    if is_spread(model) or model.device.type != "cpu":
        return "torch"
    plain = [
        module
        for module in model.modules()
        if type(module) is torch.nn.Linear and module.weight.dtype in _DTYPES
    ]
    if not _are_right(plain, lambda weight: weight):
        return "torch"
    packed = _to_pack(model, plain)
    if not _are_right(packed, _packed):
        packed = []
    for module in packed:
        module.__class__ = OneDnnLinear
        module.weight = _parameter(_packed(module.weight))
    # a model may compute with the weight of a layer itself
    if packed and not _runs(model):
        use_torch(model)
        packed = []
    for module in plain:
        # plain weights in bfloat16 are torch's to send to oneDNN
        if module.weight.dtype == torch.float32:
            # the weights and hooks stay where they are
            module.__class__ = OneDnnLinear
    for module in model.modules():
        if activation := _activation_of(module):
            kind: Any = type(module)
            module.activation = activation
            module.__class__ = _gated(kind)
    if packed:
        return "onednn packed"
    return "onednn" if any(type(module) is OneDnnLinear for module in plain) else "torch"


@torch.no_grad()
def use_torch(model: Any) -> None:
    """Makes linear layers torch's own again, with plain weights."""
    for module in model.modules():
        if isinstance(module, OneDnnLinear) and module.weight.is_mkldnn:
            module.weight = _parameter(module.weight.to_dense())
        if isinstance(module, OneDnnLinear | OneDnnGated):
            module.__class__ = type(module).__bases__[-1]


def _are_right(modules: list[Any], laid_out: Callable[[torch.Tensor], torch.Tensor]) -> bool:
    """Whether products with weights laid out so are torch's, for each shape that there is."""
    shapes = {(m.weight.shape, m.weight.dtype, m.bias is None): m for m in modules}
    try:
        return all(
            is_near(
                _product(_rows(module), laid_out(module.weight), module.bias),
                F.linear(_rows(module), module.weight, module.bias),
            )
            for module in shapes.values()
        )
    except _FAILURES:
        return False


def _rows(module: torch.nn.Linear) -> torch.Tensor:
    return trial_rows(_FEW, module.in_features, dtype=module.weight.dtype)


def _to_pack(model: Any, plain: list[Any]) -> list[Any]:
    """The layers to pack: large ones whose weights nothing else has, as embeddings may."""
    # packed weights are memory of this process, where plain ones may be the file's, as of others
    size = sum(weight.nbytes for weight in model.parameters()) * launched().local_count
    if size > _memory() / 2:
        return []
    uses = Counter(
        id(weight)
        for module in model.modules()
        for weight in module._parameters.values()
        if weight is not None
    )
    return [
        module
        for module in plain
        if module.weight.numel() >= _WORTH_PACKING and uses[id(module.weight)] == 1
    ]


def _memory() -> float:
    """The memory in bytes of the machine, or of the container, where the system tells it."""
    limits = [math.inf]
    with suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    # "max" where a container has no limit
    with suppress(ValueError, OSError):
        limits.append(int(_CONTAINER.read_text(encoding="ascii")))
    return min(limits)


def _runs(model: Any) -> bool:
    try:
        model(input_ids=torch.zeros((1, 2), dtype=torch.long), use_cache=False)
    except _FAILURES:
        return False
    return True


def _activation_of(module: Any) -> Activation | None:
    """The activation of a gated feed-forward part in float32 of which oneDNN gives the same."""
    parts = [getattr(module, name, None) for name in ("gate_proj", "up_proj", "down_proj")]
    act = getattr(module, "act_fn", None)
    if (
        any(type(part) is not OneDnnLinear or not part.weight.is_mkldnn for part in parts)
        or not isinstance(act, torch.nn.Module)
        or module.gate_proj.weight.dtype != torch.float32
        or "forward" in vars(module)
    ):
        return None
    values = torch.linspace(-8, 8, 129)
    rows = _rows(module.gate_proj)
    try:
        for activation, function in _ACTIVATIONS.items():
            if torch.allclose(act(values), function(values), rtol=1e-6, atol=1e-6):
                ours = module.down_proj(_gated_product(module, rows, activation))
                return activation if is_near(ours, module(rows)) else None
    except _FAILURES:
        pass
    return None


@cache
def _gated(kind: Any) -> Any:
    return type(kind.__name__, (OneDnnGated, kind), {})


def _parameter(weight: torch.Tensor) -> torch.nn.Parameter:
    return torch.nn.Parameter(weight, requires_grad=False)


def _packed(weight: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _PACKED_FOR)
    return result


def _product(
    rows: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    activation: Activation = _NONE,
) -> torch.Tensor:
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
        rows, weight, bias, activation.name, [], activation.algorithm
    )
    return result


def _gated_product(module: Any, rows: torch.Tensor, activation: Activation) -> torch.Tensor:
    """Gate and rows upwards in two products, of which the second multiplies by the first."""
    gate, up = module.gate_proj, module.up_proj
    by = _product(rows, gate.weight, gate.bias, activation)
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise.binary(
        rows, by, up.weight, up.bias, "mul"
    )
    return result


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
