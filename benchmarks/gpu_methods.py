"""The ways of reading labels that benchmarks/gpu.py compares, on one loaded model.

Each takes prompts and scales, and a size that it is to be tried at, and gives, per prompt, the
probabilities of the scale's labels among themselves.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
from flex_packs import CompiledPass, FlexPass
from throughput_methods import Readings, Requests, _normalised, sorted_rows

from normscope.judges.engines.local import passes
from normscope.judges.engines.local.devices import main_device
from normscope.judges.engines.local.prefix_tree import Ids, plan_packs
from normscope.judges.engines.local.transformers import Way
from normscope.judges.engines.local.tree_attention import PackPass, Rule

TREE, FLEX = "prefix tree, gathered keys (SDPA)", "prefix tree, flex attention"
CARRIED, ROWS = "carried states", "plain sorted forward"

Method = Callable[[Any, Requests, int], Readings]


def tree(engine: Any, requests: Requests, size: int) -> Readings:
    """Packs of at most so many tokens."""
    engine.way, engine._pack_tokens = Way.TREE, size
    return _normalised(engine.labels(requests))


def flex(engine: Any, requests: Requests, size: int) -> Readings:
    """The same by torch's flex attention; compiled where there is a GPU."""
    kind = FlexPass if main_device(engine._model).type == "cpu" else CompiledPass
    with patch.object(passes, "PackPass", kind):
        return tree(engine, requests, size)


def carried(engine: Any, requests: Requests, size: int) -> Readings:
    """Passes of at most eight times so many tokens."""
    engine.way, engine._pack_tokens = Way.CARRIED, size
    return _normalised(engine.labels(requests))


def rows(engine: Any, requests: Requests, size: int) -> Readings:
    """So many prompts with their label branches in a batch, however long."""
    return sorted_rows(engine, requests, size)


METHODS: dict[str, Method] = {TREE: tree, FLEX: flex, CARRIED: carried, ROWS: rows}


@dataclass(frozen=True, slots=True)
class Attention:
    """Either attention for the packs of a unit in all layers: seconds, and how far they differ."""

    gathered: float
    flex: float
    difference: float


def synchronise(device: torch.device) -> None:
    """Waits for a GPU; a processor is never ahead."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def seconds(device: torch.device, do: Callable[[], object]) -> float:
    """How long it takes, until the device has done it."""
    synchronise(device)
    begun = time.perf_counter()
    do()
    synchronise(device)
    return time.perf_counter() - begun


@torch.inference_mode()
def attentions(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int, device: torch.device
) -> Attention:
    """Random queries, keys and values of the model's shape through all packs, in each way twice.

    The first time compiles; planning of masks and gathers counts in the second as in a run.
    """
    config = model.config.get_text_config()
    heads, layers = config.num_attention_heads, config.num_hidden_layers
    key_heads = getattr(config, "num_key_value_heads", heads)
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    several = list(plan_packs(sequences, pack_tokens=pack_tokens))
    flex_kind = FlexPass if device.type == "cpu" else CompiledPass

    def tensors(at: int, nodes: int, count: int) -> torch.Tensor:
        drawn = torch.Generator("cpu").manual_seed(at)
        return torch.randn((count, nodes, width), generator=drawn).to(device, model.dtype)

    inputs = [
        tuple(
            tensors(3 * at + part, len(pack.tokens), count)
            for part, count in enumerate((heads, key_heads, key_heads))
        )
        for at, pack in enumerate(several)
    ]

    def through(kind: Any) -> tuple[float, list[torch.Tensor]]:
        synchronise(device)
        begun, before, outs = time.perf_counter(), None, []
        for pack, each in zip(several, inputs, strict=True):
            step = kind(pack, before, device=device, dtype=model.dtype)
            row = torch.from_numpy(step.rows).to(device)
            query, key, value = (tensor[:, row] for tensor in each)
            for layer in range(layers):
                out = step.attend(layer, query, key, value, Rule())
            step.close()
            before = step
            outs.append(torch.empty_like(out).index_copy_(0, row, out))
        synchronise(device)
        return time.perf_counter() - begun, outs

    _, plain = through(PackPass)
    _, other = through(flex_kind)
    difference = max(
        float((a.float() - b.float()).abs().max()) for a, b in zip(plain, other, strict=True)
    )
    return Attention(through(PackPass)[0], through(flex_kind)[0], difference)
