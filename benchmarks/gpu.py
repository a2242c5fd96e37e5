"""How fast prompts are judged on a GPU: the engine's ways, and vLLM.

    python benchmarks/gpu.py [--source DIR] [--cells A:bfloat16,B:bfloat16] [--vllm-python PYTHON]

Same random model, prompts and labels for all, each way at the best of its sizes. What differs from
the plain forward pass is not timed. Times are of whole units, tokenised and planned anew each time,
the GPU waited for; repeats alternate between the ways. Without a GPU no table is printed: exit
code 2. vLLM runs in a process of its own (benchmarks/gpu_vllm.py), when our model is gone.
"""

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
import transformers
from gpu_vllm import Asked, Measured, measured_by
from throughput_cases import SHAPES, Case, cases, random_model
from throughput_methods import Readings, Requests, _normalised, sorted_rows

from normscope.errors import ModelError
from normscope.judges.engines import load
from normscope.judges.engines.local.devices import is_out_of_memory, main_device
from normscope.judges.engines.local.transformers import Way
from normscope.progress import hidden
from normscope.records.model_spec import ModelSpec

NEAR = {"float32": 1e-4, "bfloat16": 0.05}
"""How far a label's probability may be from that of the plain forward pass."""

PACKS = (1024, 4096, 16384)
BATCHES = (8, 16, 32, 64)
TREE, CARRIED, ROWS = "prefix tree", "carried states", "plain sorted forward"
VLLM, ECHO = "vLLM, prefix caching", "vLLM, prompt_logprobs"


def in_packs(way: Way) -> Callable[[Any, Requests, int], Readings]:
    """The engine's own way, in passes that `pack_tokens` of this size bound."""

    def read(engine: Any, requests: Requests, size: int) -> Readings:
        engine.way, engine._spec = way, replace(engine._spec, pack_tokens=size)
        return _normalised(engine.labels(requests))

    return read


# plain rows in batches of so many prompts with their label branches, however long
METHODS: dict[str, Callable[[Any, Requests, int], Readings]] = {
    TREE: in_packs(Way.TREE),
    CARRIED: in_packs(Way.CARRIED),
    ROWS: sorted_rows,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is measured, and on which device."""

    device: str = "cuda"
    repeats: int = 5
    checked: int = 8
    packs: tuple[int, ...] = PACKS
    batches: tuple[int, ...] = BATCHES
    vllm_python: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A way on a case: seconds for all units over the repeats; `why` it was not timed, if so."""

    method: str
    size: int | None = None
    difference: float | None = None
    seconds: tuple[float, ...] = ()
    peak_mib: float | None = None
    why: str = ""

    @property
    def median(self) -> float:
        """Seconds for all units of the case."""
        return statistics.median(self.seconds)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A case on a model; `tokens` are those of all sequences in full, with label beginnings."""

    name: str
    prompts: int
    tokens: int
    lines: tuple[Line, ...]
    vllm: str | None


def compare(model: Path, case: Case, *, dtype: str, settings: Settings) -> Comparison:
    """Every way on the case: agreement first, times after."""
    # the engine would say which way it goes, and here it goes all of them
    with hidden():
        bench = Bench(model, case, dtype, settings)
        lines, tokens = bench.lines(), bench.tokens
    few, reference = bench.few, bench.reference
    # the GPU is vLLM's from here on
    del bench
    _free()
    measured, unmeasured = _of_vllm(model, case, dtype, settings)
    lines += unmeasured
    if measured is not None:
        for name, part in ((VLLM, measured.cached), (ECHO, measured.echoed)):
            line = _compared(name, part.readings[: len(few)], reference, dtype)
            lines.append(line if line.why else replace(line, seconds=part.seconds))
    versions = measured.vllm if measured else None
    return Comparison(case.name, len(case.requests), tokens, tuple(lines), versions)


class Bench:
    """A case with the model loaded: which ways agree, at which size each is fastest, and times."""

    def __init__(self, model: Path, case: Case, dtype: str, settings: Settings) -> None:
        """Loads the model and reads the first prompts by the plain forward pass, one by one."""
        self._engine: Any = load(ModelSpec(model=str(model), dtype=dtype, device=settings.device))
        self._case, self._dtype, self._settings = case, dtype, settings
        self._way, self._why = self._engine.way, self._engine.why
        self._sizes: dict[str, int] = {}
        self.few = case.units[0][: settings.checked]
        self.reference = METHODS[ROWS](self._engine, self.few, 1)
        plans = [self._engine._reader.plan(unit) for unit in case.units]
        self.tokens = sum(len(each) for planned in plans for each in planned.sequences)

    def lines(self) -> list[Line]:
        """A line for each way of the engine; repeats alternate between the ways."""
        lines = {name: self._checked(name) for name in METHODS}
        self._sizes = {name: line.size for name, line in lines.items() if line.size is not None}
        times: dict[str, list[float]] = {name: [] for name in self._sizes}
        on_gpu, peaks = main_device(self._engine._model).type == "cuda", dict[str, float]()
        for _ in range(self._settings.repeats):
            for name, size in self._sizes.items():
                if on_gpu:
                    torch.cuda.reset_peak_memory_stats()
                times[name].append(self._seconds(name, size, self._case.units))
                if on_gpu:
                    peaks[name] = torch.cuda.max_memory_allocated() / 2**20
        return [
            replace(line, seconds=tuple(times.get(name, ())), peak_mib=peaks.get(name))
            for name, line in lines.items()
        ]

    def _checked(self, name: str) -> Line:
        """How far the way is from the reference, and the size at which it is fastest on a unit."""
        if name == TREE and self._way is not Way.TREE:
            return Line(name, why=f"the engine takes {self._way} ({self._why})")
        sizes = self._settings.batches if name == ROWS else self._settings.packs
        try:
            readings = METHODS[name](self._engine, self.few, sizes[0])
        except ValueError as error:
            return Line(name, why=str(error))
        line = _compared(name, readings, self.reference, self._dtype)
        if line.why:
            return line
        best, least = None, float("inf")
        for size in sizes:
            try:
                # once beforehand: kernels are chosen or compiled when they are first used
                self._seconds(name, size, self._case.units[:1])
                taken = self._seconds(name, size, self._case.units[:1])
            except (RuntimeError, ModelError) as error:
                if not is_out_of_memory(error.__cause__ or error):
                    raise
                _free()
                break
            if taken < least:
                best, least = size, taken
        why = "" if best is not None else "it does not fit into memory"
        return replace(line, size=best, why=why)

    def _seconds(self, name: str, size: int, units: Sequence[Requests]) -> float:
        def all_units() -> None:
            for unit in units:
                METHODS[name](self._engine, unit, size)

        return seconds(main_device(self._engine._model), all_units)


def seconds(device: torch.device, do: Callable[[], object]) -> float:
    """How long it takes, until the device has done it; a processor is never ahead."""
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda _: None
    wait(device)
    begun = time.perf_counter()
    do()
    wait(device)
    return time.perf_counter() - begun


def _compared(name: str, readings: Any, reference: Readings, dtype: str) -> Line:
    """How far the readings are from the reference; the line says so where that is too far."""
    pairs = zip(readings, reference or (), strict=True)
    apart = max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True))
    far = f"a label's probability is {apart:.1e} from the plain forward pass: not timed"
    return Line(name, difference=apart, why=far if apart > NEAR[dtype] else "")


def _of_vllm(
    model: Path, case: Case, dtype: str, settings: Settings
) -> tuple[Measured | None, list[Line]]:
    python = settings.vllm_python or (sys.executable if _version("vllm") else None)
    if python is None:
        why = "vllm is not installed here: name the Python of its environment with --vllm-python"
        return None, [Line(VLLM, why=why), Line(ECHO, why=why)]
    try:
        return measured_by(python, Asked(str(model), dtype, settings.repeats, case.units)), []
    except subprocess.CalledProcessError as error:
        why = "vLLM failed: " + "".join((error.stderr or "").strip().splitlines()[-1:])
        return None, [Line(VLLM, why=why), Line(ECHO, why=why)]


def _free() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def table(compared: Comparison) -> Iterator[str]:
    """The lines of the table of a case."""
    timed = [line for line in compared.lines if line.seconds]
    tree_line = next((line for line in timed if line.method == TREE), None)
    yield (
        f"{'':36} {'size':>6} {'differs':>8} {'prompts/s':>10} {'tokens/s':>10} "
        f"{'ms/prompt':>10} {'spread':>13} {'tree is':>8} {'peak MiB':>9}"
    )
    for line in compared.lines:
        if not line.seconds:
            yield f"{line.method:36} {line.why}"
            continue
        low, high = (1e3 * end(line.seconds) / compared.prompts for end in (min, max))
        times = f"{line.median / tree_line.median:.2f}x" if tree_line else "-"
        peak = "-" if line.peak_mib is None else f"{line.peak_mib:.0f}"
        yield (
            f"{line.method:36} {line.size or '-':>6} {line.difference or 0:>8.0e} "
            f"{compared.prompts / line.median:>10.1f} {compared.tokens / line.median:>10.0f} "
            f"{1e3 * line.median / compared.prompts:>10.2f} {f'{low:.2f}-{high:.2f}':>13} "
            f"{times:>8} {peak:>9}"
        )


def machine() -> dict[str, str | None]:
    """The GPU, its driver, and the versions of what computes."""
    asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        driver = done.stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        driver = None
    return {
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "driver": driver,
        "cuda": torch.version.cuda,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "vllm": _version("vllm"),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; the exit code."""
    asked = _arguments(arguments)
    if not torch.cuda.is_available():
        print(
            f"benchmarks/gpu.py measures a GPU, and torch {torch.__version__} sees none here: "
            "nothing is measured and no table printed",
            file=sys.stderr,
        )
        return 2
    settings = Settings(repeats=asked.repeats, vllm_python=asked.vllm_python)
    report: dict[str, Any] = {"machine": machine(), "cases": []}
    print(json.dumps(report["machine"]))
    made = list(cases(asked.source, units=asked.units, items=asked.items))
    texts = [request.conversation[-1][1] for case in made for request in case.requests]
    with tempfile.TemporaryDirectory() as folder:
        for shape, dtype in (cell.split(":") for cell in asked.cells.split(",")):
            model = random_model(shape, Path(folder), texts[:1000], dtype)
            for case in made:
                compared = compare(model, case, dtype=dtype, settings=settings)
                versions = f", vLLM {compared.vllm}" if compared.vllm else ""
                print(
                    f"\n{case.name}: shape {shape}, {dtype}, {compared.prompts} prompts, "
                    f"{compared.tokens} tokens{versions}"
                )
                print("\n".join(table(compared)), flush=True)
                report["cases"].append({"shape": shape, "dtype": dtype} | asdict(compared))
                if asked.json:
                    asked.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--source", type=Path, help="folder with CFSafety and CHiSafetyBench")
    parser.add_argument(
        "--cells",
        default="A:float32,A:bfloat16,B:bfloat16",
        help=f"SHAPE:DTYPE,…; shapes {', '.join(SHAPES)}, dtypes {', '.join(NEAR)}",
    )
    parser.add_argument("--units", type=int, default=2, help="units of each case [2]")
    parser.add_argument("--items", type=int, default=64, help="at most so many of a unit [64]")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--vllm-python", help="Python of an environment with normscope[vllm]")
    parser.add_argument("--json", type=Path, help="file for every figure")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
