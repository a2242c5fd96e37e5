"""How many prompts a second are judged: the engine's way against the usual ones, on one machine.

    python benchmarks/judge_throughput.py [--source DIR] [--quick] [--families] [--json out.json]

Same random model, prompts, labels and dtype for all. The engine's way (a prefix tree, or carried
states where a model cannot read one) is timed on whole units of a run's
plan, the others on prompts drawn evenly from these units, each at the best of its batch sizes.
Repeats alternate between the methods; tokenising and planning are part of every figure. In float32
the label probabilities are compared first, and nothing is timed if they differ.

"Share of the limit" is the time that the tree's linear layers would take at the speed of the
fastest matrix product of the same run, over the time that was taken; attention counts as nothing.
It is left out where layers hold more than linear ones (experts, states).
"""

import argparse
import json
import logging
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from machine import machine
from throughput_cases import FAMILIES, SHAPES, Case, cases, random_model
from throughput_methods import (
    BATCHED,
    HARNESS,
    METHODS,
    OURS,
    PER_LABEL,
    ROWS,
    has_experts,
    in_double,
    missing,
    use_linear,
)

from normscope.judges.engine import LabelRequest
from normscope.judges.engines import load
from normscope.judges.engines.local.prefix_tree import build_tree
from normscope.records.model_spec import ModelSpec

NEAR, EXACT = 1e-4, 1e-6
CLOCK: Callable[[], float] = time.perf_counter
BATCH_SIZES = (1, 2, 4, 8, 16)
_IN_A_ROW, MATRIX = 2, 2
CELLS = "A:float32,A:bfloat16:2,B:bfloat16:1"


@dataclass(frozen=True, slots=True)
class Line:
    """One method on one case: seconds per prompt over the repeats, and what they come to."""

    shape: str
    dtype: str
    case: str
    method: str
    linear: str
    batch_size: int | None
    prompts: int
    seconds_per_prompt: float
    fastest: float
    slowest: float
    times_slower_than_ours: float
    share_of_limit: float | None


@dataclass(frozen=True, slots=True)
class Work:
    """A case in tokens, and the linear layers' floating-point operations for its tree."""

    full_tokens: int
    unique_tokens: int
    reads: int
    flop: float | None


def main() -> None:
    asked = _arguments()
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    if asked.one_thread_cpu_time:
        global CLOCK
        CLOCK, asked.threads = time.process_time, 1
    if asked.threads:
        torch.set_num_threads(asked.threads)
    report: dict[str, Any] = {
        "arguments": " ".join(sys.argv[1:]),
        "machine": machine(),
        "cases": [],
        "lines": [],
    }
    print(json.dumps(report["machine"]))
    made = [
        case
        for case in cases(asked.source, units=asked.units, items=asked.items)
        if asked.only.lower() in case.name.lower()
    ]
    texts = [request.conversation[-1][1] for case in made for request in case.requests]
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.models or Path(scratch)
        folder.mkdir(exist_ok=True)
        for cell in asked.cells.split(","):
            shape, dtype, *only = cell.split(":")
            path = random_model(shape, folder, texts[:1000], dtype)
            engine = load(ModelSpec(model=str(path), dtype=dtype))
            for case in made[: int(only[0]) if only else None]:
                _measure(engine, case, shape=shape, dtype=dtype, asked=asked, report=report)
                _keep(report, asked.json)


def _keep(report: dict[str, Any], path: Path | None) -> None:
    if path:
        path.write_text(json.dumps(report, indent=1), encoding="utf-8")


def _measure(
    engine: Any, case: Case, *, shape: str, dtype: str, asked: argparse.Namespace, report: Any
) -> None:
    work, requests = _work(engine, case), case.requests
    shown = {OURS: f"{engine.identity['batching']} (ours)"}
    few = _draw(requests, asked.baseline_prompts)
    names = [name for name in METHODS if name != PER_LABEL or "labels" in case.name]
    for name in names:
        if why := missing(name):
            print(f"  {name}: not measured, {why}")
    names = [name for name in names if not missing(name)]
    print(
        f"\n{case.name}: shape {shape}, {dtype}, {case.items} items, {len(requests)} prompts, "
        f"{work.full_tokens} tokens in full with label branches, {work.unique_tokens} unique "
        f"({work.full_tokens / work.unique_tokens:.2f}x)"
    )
    difference = None
    if dtype == "float32":
        difference = _difference(engine, few[: asked.checked])
        print(f"  largest difference of a label's probability: {difference:.1e}")
        if difference > NEAR and has_experts(engine):
            # where two experts are as good, rounding chooses (logits are float32 here, too)
            with in_double(engine):
                exact = _difference(engine, few[: asked.checked])
            print(f"  an expert was chosen by rounding: in float64 it is {exact:.1e}")
            difference = exact if exact < EXACT else difference
        if difference > NEAR:
            raise SystemExit(f"methods differ by {difference} > {NEAR}: nothing is timed")
    plain = "mkl" if dtype == "float32" else "torch"
    kinds = [plain] if engine.identity["linear"] == "torch" else ["onednn", plain]
    variants = [
        (name, kind)
        for name in names
        for kind in kinds
        if name in {OURS, ROWS} or kind == kinds[-1]
    ]
    peaks = dict.fromkeys(kinds, 0.0)
    best = {
        variant: _best_batch(engine, requests, *variant, asked)
        for variant in variants
        if variant[0] in BATCHED
    }
    times: dict[tuple[str, str], list[float]] = {variant: [] for variant in variants}
    for _ in range(asked.repeats):
        for variant in variants:
            name, kind = variant
            peaks[kind] = max(peaks[kind], _peak(engine, kind))
            units: Sequence[Sequence[LabelRequest]] = case.units if name == OURS else [few]
            seconds = sum(_seconds(engine, unit, name, kind, best.get(variant)) for unit in units)
            times[variant].append(seconds / sum(map(len, units)))
    report["cases"].append(
        {"shape": shape, "dtype": dtype, "case": case.name, "items": case.items}
        | {"prompts": len(requests), "difference": difference, "peak_gflops": peaks}
        | asdict(work)
    )
    print(f"  fastest products: {', '.join(f'{k} {v:.0f} GFLOP/s' for k, v in peaks.items())}")
    print("  method                    linear   batch  ms/prompt     spread    ours is  of limit")
    for (name, kind), seconds in times.items():
        median = statistics.median(seconds)
        least = statistics.median(times[OURS, kind])
        line = Line(
            shape=shape,
            dtype=dtype,
            case=case.name,
            method=shown.get(name, name),
            linear=kind,
            batch_size=best.get((name, kind)),
            prompts=len(requests) if name == OURS else len(few),
            seconds_per_prompt=median,
            fastest=min(seconds),
            slowest=max(seconds),
            times_slower_than_ours=median / least,
            share_of_limit=work.flop and work.flop / (peaks[kind] * 1e9) / len(requests) / median,
        )
        report["lines"].append(asdict(line))
        share = "–" if line.share_of_limit is None else f"{line.share_of_limit:.0%}"
        print(
            f"  {line.method:25} {kind:8} {line.batch_size or '-':>5} {1e3 * median:10.1f} "
            f"{1e3 * line.fastest:5.0f}-{1e3 * line.slowest:<5.0f}"
            f"{line.times_slower_than_ours:8.2f}x {share:>8}",
            flush=True,
        )


def _seconds(engine: Any, few: Sequence[LabelRequest], name: str, kind: str, batch: Any) -> float:
    use_linear(engine, onednn=kind == "onednn")
    start = CLOCK()
    METHODS[name](engine, few, batch or 1)
    return CLOCK() - start


def _best_batch(
    engine: Any,
    requests: Sequence[LabelRequest],
    name: str,
    kind: str,
    asked: argparse.Namespace,
) -> int:
    """The fastest of the batch sizes, which are tried until some in a row gain nothing."""
    best, least, slower = asked.batch_sizes[0], float("inf"), 0
    for size in sorted(asked.batch_sizes):
        few = _draw(requests, max(size, asked.swept))
        seconds = _seconds(engine, few, name, kind, size) / len(few)
        slower = 0 if seconds < least else slower + 1
        if seconds < least:
            best, least = size, seconds
        if slower == _IN_A_ROW:
            break
    return best


def _draw(requests: Sequence[LabelRequest], count: int) -> list[LabelRequest]:
    """A fixed draw, since a fixed stride would meet one criterion only."""
    draw = random.Random(0)  # noqa: S311 - a sample, not a secret
    return draw.sample(requests, min(len(requests), count))


def _difference(engine: Any, few: Sequence[LabelRequest]) -> float:
    """Between every two methods that give probabilities, with either linear backend."""
    readings = []
    for onednn in {engine.identity["linear"] != "torch", False}:
        use_linear(engine, onednn=onednn)
        for name in (OURS, ROWS, HARNESS, PER_LABEL):
            if not missing(name):
                read = METHODS[name](engine, few, 4)
                probs = [prob for row in read or () for prob in row]
                readings.append(torch.tensor(probs, dtype=torch.float64))
    table = torch.stack(readings)
    return float((table.amax(0) - table.amin(0)).max())


def _work(engine: Any, case: Case) -> Work:
    """Counts the tree of each unit as the engine grows it: prompts with their label branches."""
    full = unique = reads = 0
    for unit in case.units:
        sequences = engine._reader.plan(unit).sequences
        full += sum(map(len, sequences))
        unique += len(build_tree(sequences).tokens)
        reads += len(set(sequences))
    layers = engine._model.get_decoder().layers
    size = sum(m.weight.numel() for m in layers.modules() if isinstance(m, torch.nn.Linear))
    head = engine._model.get_output_embeddings().weight.numel()
    flop = 2.0 * (unique * size + reads * head)
    return Work(full, unique, reads, flop if _is_linear(layers) else None)


def _is_linear(layers: torch.nn.ModuleList) -> bool:
    """Whether every matrix of the layers is that of a linear one."""
    return all(
        parameter.dim() < MATRIX or isinstance(module, torch.nn.Linear)
        for module in layers.modules()
        for parameter in module.parameters(recurse=False)
    )


def _peak(engine: Any, kind: str) -> float:
    """The fastest of some products of the model's own size, in GFLOP/s."""
    use_linear(engine, onednn=kind == "onednn")
    modules = engine._model.get_decoder().layers.modules()
    linear = {(m.in_features, m.out_features): m for m in modules if isinstance(m, torch.nn.Linear)}
    fastest = 0.0
    with torch.inference_mode():
        for module in sorted(linear.values(), key=lambda m: m.weight.numel())[-2:]:
            rows = torch.ones((1, 1024, module.in_features), dtype=module.weight.dtype)
            for _ in range(4):
                start = CLOCK()
                module(rows)
                seconds = CLOCK() - start
                fastest = max(fastest, 2e-9 * 1024 * module.weight.numel() / seconds)
    return fastest


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, help="folder with CFSafety and CHiSafetyBench")
    parser.add_argument(
        "--cells",
        default=CELLS,
        help=f"SHAPE:DTYPE, or SHAPE:DTYPE:N for the first N cases; shapes {', '.join(SHAPES)} "
        f"[{CELLS}]",
    )
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--units", type=int, default=1, help="units of each case [1]")
    parser.add_argument("--items", type=int, default=64, help="at most so many of a unit [64]")
    parser.add_argument("--baseline-prompts", type=int, default=5, help="for the others [5]")
    parser.add_argument(
        "--swept", type=int, default=4, help="prompts per batch size tried, at least [4]"
    )
    parser.add_argument("--checked", type=int, default=4, help="prompts compared first [4]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--batch-sizes", default=BATCH_SIZES, type=_numbers, help="[1,2,4,8,16]")
    parser.add_argument("--threads", type=int, help="of torch [all cores]")
    parser.add_argument(
        "--one-thread-cpu-time",
        action="store_true",
        help="one thread, and its own time instead of the wall's: for a machine that others use",
    )
    parser.add_argument("--models", type=Path, help="folder to keep the random models in")
    parser.add_argument("--quick", action="store_true", help="small, and shape A in float32 only")
    parser.add_argument(
        "--families",
        action="store_true",
        help=f"the first case in float32 with the shapes {', '.join(FAMILIES)}",
    )
    parser.add_argument("--json", type=Path, help="file for every figure")
    asked = parser.parse_args()
    if asked.families:
        asked.cells = ",".join(f"{shape}:float32:1" for shape in FAMILIES)
    if asked.quick:
        asked.cells = "A:float32" if asked.cells == CELLS else asked.cells
        asked.batch_sizes = (1, 4)
        asked.items, asked.baseline_prompts, asked.swept, asked.checked = 12, 2, 2, 2
    return asked


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
