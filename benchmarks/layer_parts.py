"""What the parts of a model's layer take over packs of prompts: as torch runs them, and as we do.

    python benchmarks/layer_parts.py [--shape B --dtype bfloat16] [--threads 1 --cpu-time]

The same random weights twice, one with torch's own layers, both with attention over packs; their
label probabilities must agree before anything is timed. Repeats alternate. Each figure is the
median over the repeats of the mean over layers and packs, every layer at all places of a pack.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import transformers
from throughput_cases import SHAPES, cases, random_model

from normscope.judges.engines import load
from normscope.judges.engines.passes import tree_passes
from normscope.judges.tree_attention import PackPass
from normscope.records.model_spec import ModelSpec

# of logarithms of probabilities; bfloat16 has 8 significant bits
NEAR = {"float32": 1e-3, "bfloat16": 0.2}
PARTS = ("feed-forward", "projections", "attention", "rotary positions", "norms")
Clock = Callable[[], float]
Times = dict[str, float]


def main() -> None:
    asked = _arguments()
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(asked.threads or torch.get_num_threads())
    clock = time.process_time if asked.cpu_time else time.perf_counter
    case = next(cases(asked.source, units=1, items=64))
    texts = [request.conversation[-1][1] for request in case.requests]
    with tempfile.TemporaryDirectory() as scratch:
        folder = random_model(asked.shape, Path(scratch), texts, asked.dtype)
        engine: Any = load(ModelSpec(model=str(folder), dtype=asked.dtype))
        plain = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=asked.dtype).eval()
    models = {"torch": plain, "ours": engine._model}
    sequences = engine._reader.plan(case.requests).sequences
    packs, read = [], []
    for model in models.values():
        passed = list(_passes(model, sequences, asked.packs))
        packs = [pack for pack, _, _ in passed]
        read.append(torch.cat([logits.float().log_softmax(-1) for _, _, logits in passed]))
    apart = float((read[0] - read[1]).abs().max())
    if apart > NEAR[asked.dtype]:
        raise SystemExit(f"logarithms of probabilities differ by {apart}: nothing is timed")
    repeats: dict[str, list[Times]] = {name: [] for name in models}
    for _ in range(asked.repeats):
        for name, model in models.items():
            repeats[name].append(_repeat(model, sequences, len(packs), clock))
    tokens = sum(len(pack.tokens) for pack in packs) / len(packs)
    machine = {"cores": os.cpu_count(), "threads": torch.get_num_threads()}
    machine |= {"clock": clock.__name__, "load_average": os.getloadavg()[0]}
    print(json.dumps(machine | {"torch": torch.__version__}))
    print(f"{case.name}: shape {asked.shape}, {asked.dtype}, {len(packs)} packs of {tokens:.0f} ")
    print(f"tokens on average; linear layers: {engine.identity['linear']}; logarithms of ")
    print(f"probabilities differ by {apart:.1e}")
    medians = {
        name: {part: statistics.median(times[part] for times in some) for part in some[0]}
        for name, some in repeats.items()
    }
    print("  part                torch ms   ours ms   times   of ours")
    for part in (*PARTS, "rest", "layer"):
        theirs, ours = medians["torch"][part], medians["ours"][part]
        share = ours / medians["ours"]["layer"]
        print(f"  {part:18}{1e3 * theirs:10.2f}{1e3 * ours:10.2f}{theirs / ours:8.2f}{share:9.0%}")
    layer = plain.get_decoder().layers[0]
    weights = sum(m.weight.numel() for m in layer.modules() if isinstance(m, torch.nn.Linear))
    for name, model in models.items():
        peak = _peak(model, clock)
        limit = 2 * tokens * weights / peak / medians[name]["layer"]
        print(f"  {name}: fastest product {peak / 1e9:.0f} GFLOP/s, a layer at {limit:.0%} of it")


def _repeat(model: Any, sequences: Any, packs: int, clock: Clock) -> Times:
    """Mean seconds per layer and pack by part."""
    taken: Times = defaultdict(float)
    with _timed(model, clock, taken):
        list(_passes(model, sequences, packs))
    means = {part: taken[part] / packs / len(model.get_decoder().layers) for part in taken}
    means |= {part: means.get(part, 0.0) for part in PARTS}
    return means | {"rest": means["layer"] - sum(means[part] for part in PARTS)}


@contextmanager
def _timed(model: Any, clock: Clock, taken: Times) -> Iterator[None]:
    """Inside, the parts of layers add what they take."""
    began: list[float] = []
    layers = model.get_decoder().layers
    family = sys.modules[type(layers[0].self_attn).__module__]

    def hook(stack: ExitStack, part: str, module: Any) -> None:
        def end(*_: Any) -> None:
            taken[part] += clock() - began.pop()

        stack.callback(module.register_forward_pre_hook(lambda *_: began.append(clock())).remove)
        stack.callback(module.register_forward_hook(end).remove)

    def around(stack: ExitStack, part: str, owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def timed(*inputs: Any, **settings: Any) -> Any:
            start = clock()
            result = plain(*inputs, **settings)
            taken[part] += clock() - start
            return result

        stack.enter_context(patch.object(owner, name, timed))

    with ExitStack() as stack:
        for layer in layers:
            hook(stack, "layer", layer)
            hook(stack, "feed-forward", layer.mlp)
            for module in set(layer.modules()) - set(layer.mlp.modules()):
                if isinstance(module, torch.nn.Linear):
                    hook(stack, "projections", module)
                elif [weight.dim() for weight in module.parameters()] == [1]:
                    hook(stack, "norms", module)
        around(stack, "attention", PackPass, "attend")
        around(stack, "rotary positions", family, "apply_rotary_pos_emb")
        yield


def _passes(model: Any, sequences: Any, packs: int) -> Iterator[Any]:
    return islice(tree_passes(model, sequences, pack_tokens=1024), packs)


@torch.inference_mode()
def _peak(model: Any, clock: Clock) -> float:
    """The fastest of some products of the model's own size, in operations a second."""
    module, fastest = model.get_decoder().layers[0].mlp.up_proj, 0.0
    rows = torch.ones((1, 1024, module.in_features), dtype=model.dtype)
    for _ in range(8):
        start = clock()
        module(rows)
        fastest = max(fastest, 2 * 1024 * module.weight.numel() / (clock() - start))
    return fastest


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, help="folder with CFSafety's files")
    parser.add_argument("--shape", default="A", choices=SHAPES)
    parser.add_argument("--dtype", default="float32", choices=NEAR)
    parser.add_argument("--packs", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, help="of torch [all cores]")
    parser.add_argument("--cpu-time", action="store_true", help="processor time of all threads")
    return parser.parse_args()


if __name__ == "__main__":
    main()
