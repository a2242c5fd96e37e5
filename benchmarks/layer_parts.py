"""What the parts of a model's layer take over packs of prompts: as torch runs them, and as we do.

    python benchmarks/layer_parts.py [--shape B --dtype bfloat16] [--threads 1 --cpu-time]

The same random weights twice, one with torch's own layers, both with attention over packs; what
they read must agree before anything is timed. Repeats alternate; a figure is the median over the
repeats of the mean over layers and packs, every layer at all places of a pack.
"""

import argparse
import json
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
from machine import machine
from throughput_cases import SHAPES, cases, random_model

from normscope.judges.engines import load
from normscope.judges.engines.passes import tree_passes
from normscope.judges.tree_attention import PackPass
from normscope.records.model_spec import ModelSpec

NEAR = {"float32": 1e-3, "bfloat16": 0.2}  # of log-probabilities
PARTS = ("feed-forward", "projections", "attention", "rotary positions", "norms")
Clock, Times = Callable[[], float], dict[str, float]


def main() -> None:
    asked = _arguments()
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(asked.threads or torch.get_num_threads())
    clock = time.process_time if asked.cpu_time else time.perf_counter
    case = next(cases(None, units=1, items=64))
    texts = [request.conversation[-1][1] for request in case.requests]
    with tempfile.TemporaryDirectory() as scratch:
        folder = random_model(asked.shape, Path(scratch), texts, asked.dtype)
        engine: Any = load(ModelSpec(model=str(folder), dtype=asked.dtype))
        plain = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=asked.dtype).eval()
    models = {"torch": plain, "ours": engine._model}
    sequences = engine._reader.plan(case.requests).sequences
    passed = [list(_passes(model, sequences, asked.packs)) for model in models.values()]
    packs = [pack for pack, _, _ in passed[0]]
    read = [torch.cat([logits for _, _, logits in each]).float().log_softmax(-1) for each in passed]
    if (apart := float((read[0] - read[1]).abs().max())) > NEAR[asked.dtype]:
        raise SystemExit(f"log-probabilities differ by {apart}: nothing is timed")
    repeats: dict[str, list[Times]] = {name: [] for name in models}
    for _ in range(asked.repeats):
        for name, model in models.items():
            repeats[name].append(_repeat(model, sequences, len(packs), clock))
    tokens = sum(len(pack.tokens) for pack in packs) / len(packs)
    print(json.dumps(machine() | {"clock": clock.__name__}))
    print(f"{case.name}: {asked.shape}, {asked.dtype}, {len(packs)} packs of {tokens:.0f} tokens")
    print(f"linear layers: {engine.identity['linear']}; log-probabilities differ by {apart:.1e}")
    medians: dict[str, Times] = {}
    for name, some in repeats.items():
        medians[name] = {part: statistics.median(each[part] for each in some) for part in some[0]}
    print("  part                torch ms   ours ms   times   of ours")
    for part in (*PARTS, "rest", "layer"):
        theirs, ours = medians["torch"][part], medians["ours"][part] or float("nan")
        share = ours / medians["ours"]["layer"]
        print(f"  {part:18}{1e3 * theirs:10.2f}{1e3 * ours:10.2f}{theirs / ours:8.2f}{share:9.0%}")
    layer = plain.get_decoder().layers[0]
    weights = sum(m.weight.numel() for m in layer.modules() if isinstance(m, torch.nn.Linear))
    for name, model in models.items():
        peak = _peak(model, clock)
        share = 2 * tokens * weights / peak / medians[name]["layer"]
        print(f"  {name}: fastest product {peak / 1e9:.0f} GFLOP/s, a layer at {share:.0%} of it")


def _repeat(model: Any, sequences: Any, packs: int, clock: Clock) -> Times:
    taken: Times = defaultdict(float)
    with _timed(model, clock, taken):
        list(_passes(model, sequences, packs))
    count = packs * len(model.get_decoder().layers)
    means = {part: taken[part] / count for part in (*PARTS, "layer")}
    return means | {"rest": means["layer"] - sum(means[part] for part in PARTS)}


@contextmanager
def _timed(model: Any, clock: Clock, taken: Times) -> Iterator[None]:
    layers = model.get_decoder().layers
    family = sys.modules[type(layers[0].self_attn).__module__]
    with ExitStack() as stack:

        def time_part(part: str, owner: Any, name: str = "forward") -> None:
            plain = getattr(owner, name)

            def timed(*inputs: Any, **settings: Any) -> Any:
                start = clock()
                result = plain(*inputs, **settings)
                taken[part] += clock() - start
                return result

            stack.enter_context(patch.object(owner, name, timed))

        time_part("attention", PackPass, "attend")
        time_part("rotary positions", family, "apply_rotary_pos_emb")
        for layer in layers:
            time_part("layer", layer)
            time_part("feed-forward", layer.mlp)
            for module in set(layer.modules()) - set(layer.mlp.modules()):
                if isinstance(module, torch.nn.Linear):
                    time_part("projections", module)
                elif [weight.dim() for weight in module.parameters()] == [1]:
                    time_part("norms", module)
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
    parser.add_argument("--shape", default="A", choices=SHAPES)
    parser.add_argument("--dtype", default="float32", choices=NEAR)
    parser.add_argument("--packs", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, help="of torch [all cores]")
    parser.add_argument("--cpu-time", action="store_true", help="processor time of all threads")
    return parser.parse_args()


if __name__ == "__main__":
    main()
