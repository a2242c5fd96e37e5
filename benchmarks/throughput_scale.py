"""What `judge_throughput.py --scale` measures: planning, memory and cost at a benchmark's size.

Each figure comes from a process of its own, which judges as a run does: the whole benchmark is
planned, and units are rendered, tokenised and asked one after the other.
"""

import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from throughput_cases import CRITERIA, Row, answered, asked, row_key, units_of

from normscope.judges.engines import load
from normscope.judges.judge import LoadedJudge, Questions, sort_key
from normscope.judges.prefix_tree import plan
from normscope.judges.rubric import rubric
from normscope.records.model_spec import ModelSpec
from normscope.records.response import Response

WHOLE, SIZES, UNITS = 25_000, (500, 5_000), 4
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Judged:
    """So many items judged of so many planned: seconds, and memory in MiB at its highest."""

    planned: int
    judged: int
    planning_seconds: float
    seconds_per_item: float
    peak_mib: float
    model_mib: float

    @property
    def beside_the_model_mib(self) -> float:
        """What the process took beside the model's weights."""
        return self.peak_mib - self.model_mib


@dataclass(frozen=True, slots=True)
class Planned:
    """Seconds in which so many prompts became packs of the prefix tree."""

    prompts: int
    ordering_seconds: float
    rendering_seconds: float
    tokenising_seconds: float
    packing_seconds: float

    @property
    def seconds(self) -> float:
        """All of it."""
        planning = self.ordering_seconds + self.packing_seconds
        return planning + self.rendering_seconds + self.tokenising_seconds


def scale(
    model: Path,
    source: Path,
    *,
    threads: int | None,
    whole: int = WHOLE,
    sizes: tuple[int, ...] = SIZES,
) -> dict[str, Any]:
    """Prints and returns the figures of CFSafety's prompts with three criteria."""
    rows: list[Any] = [(planned := apart(plan_prompts, model, source, whole, threads))]
    print(
        f"\n{planned.prompts} prompts planned in {planned.seconds:.1f} s: ordered in "
        f"{planned.ordering_seconds:.1f}, rendered in {planned.rendering_seconds:.1f}, "
        f"tokenised in {planned.tokenising_seconds:.1f}, "
        f"laid out in packs in {planned.packing_seconds:.1f}",
        flush=True,
    )
    print("  planned   judged   planning   ms/item   peak memory   beside the model", flush=True)
    for count, units in ((whole, UNITS), *((size, None) for size in sizes)):
        found = apart(judge_part, model, source, count, units, threads)
        rows.append(found)
        print(
            f"  {found.planned:7} {found.judged:8} {found.planning_seconds:8.1f} s "
            f"{1e3 * found.seconds_per_item:9.1f} {found.peak_mib:9.0f} MiB "
            f"{found.beside_the_model_mib:14.0f} MiB",
            flush=True,
        )
    return {"planning": asdict(rows[0]), "judging": [asdict(row) for row in rows[1:]]}


def apart(measure: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns in a fresh process, whose memory is its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def plan_prompts(model: Path, source: Path, count: int, threads: int | None) -> Planned:
    """The moral criterion's prompt about each of so many items, through tokens to packs."""
    if threads:
        torch.set_num_threads(threads)
    engine: Any = load(ModelSpec(model=str(model)))
    rows = _drawn(source, count)
    seconds = dict.fromkeys(("rendering", "tokenising", "packing"), 0.0)
    begun = time.perf_counter()
    units = units_of([row_key(item, answer) for item, answer in rows])
    ordering, prompts = time.perf_counter() - begun, 0
    for unit in units:
        times = [time.perf_counter()]
        requests = asked("cfsafety", [rows[i] for i in unit], ("moral",))
        times.append(time.perf_counter())
        sequences = engine._reader.plan(requests).sequences
        times.append(time.perf_counter())
        for _ in plan(sequences, pack_tokens=engine.identity["pack_tokens"]):
            pass
        times.append(time.perf_counter())
        for name, (start, end) in zip(seconds, pairwise(times), strict=True):
            seconds[name] += end - start
        prompts += len(requests)
    return Planned(prompts, ordering, *seconds.values())


def judge_part(
    model: Path, source: Path, count: int, units: int | None, threads: int | None
) -> Judged:
    """So many items planned whole, and so many units of them judged (all, if null)."""
    if threads:
        torch.set_num_threads(threads)
    engine: Any = load(ModelSpec(model=str(model)))
    questions = Questions.of(rubric("cfsafety"), CRITERIA["cfsafety"])
    judge = LoadedJudge(engine, {"cfsafety": questions}, 0.0)
    pairs = [(item, Response.to(item, answer, model="-")) for item, answer in _drawn(source, count)]
    judge.judge(pairs[:2])
    begun = time.perf_counter()
    planned = units_of([sort_key(*pair) for pair in pairs])
    seconds = time.perf_counter() - begun
    step = 1 if units is None else max(1, len(planned) // units)
    part = planned[step // 2 :: step]
    begun = time.perf_counter()
    rows = [judge.judge([pairs[i] for i in unit]) for unit in part]
    taken = time.perf_counter() - begun
    done = sum(map(len, rows))
    weights = sum(p.numel() * p.element_size() for p in engine._model.parameters())
    return Judged(len(pairs), done, seconds, taken / done, _peak_mib(), weights / _MIB)


def _drawn(source: Path, count: int) -> list[Row]:
    rows = answered(source)
    return [rows[number * len(rows) // count] for number in range(min(count, len(rows)))]


def _peak_mib() -> float:
    """The most memory that this process held; `ru_maxrss` would count its parent's as well."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(found[1]) / 1024 if found else float("nan")
