"""Prints what `normscope plan` says of runs beside what the runs then take on this machine.

A tiny model of random weights answers IoT's vignettes; the bundled judge judges the graded set, and
its own answers to a slice of CFSafety where its files are (--source). Each verb is a
process of its own, as a user starts it; scores and report, which `plan` does not count, are not
made. Times are wall clock, or, with --one-thread-cpu-time, those of the processor: wall clock says
nothing on a machine that others use as well.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "shared"))
from tiny_model import make_tiny_model

TEXTS = [
    "Rate how acceptable this is, from strongly unacceptable to strongly acceptable.",
    "给花浇水。",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", help="Folder with the benchmarks' own files.")
    parser.add_argument("--calibrate", default="10s")
    parser.add_argument("--one-thread-cpu-time", action="store_true")
    parser.add_argument("--only", help="The cases of this name alone.")
    parser.add_argument("--iot", type=int, help="So many of IoT's vignettes.")
    parser.add_argument("--slice", type=int, default=200, help="So many prompts of CFSafety.")
    given = parser.parse_args()
    if given.one_thread_cpu_time:
        os.environ["OMP_NUM_THREADS"] = "1"
    seconds = cpu_seconds if given.one_thread_cpu_time else time.perf_counter
    with TemporaryDirectory() as folder:
        model = str(make_tiny_model(Path(folder) / "model", TEXTS))
        iot = [] if given.iot is None else ["--limit", str(given.iot)]
        cases = {
            "graded set": ["-b", "safety-gradient", "--judge", "bundled"],
            "iot": ["-b", "ci-vignettes:iot", "--model", model, *iot],
        }
        if given.source:
            cases["cfsafety"] = [
                *("-b", "cfsafety", "--source", given.source, "--limit", str(given.slice)),
                # a tiny model of random weights writes nothing that could be judged
                *("--model", "bundled", "--judge", "bundled", "--max-new-tokens", "64"),
            ]
        for name, flags in cases.items():
            if given.only in {None, name}:
                out = Path(folder) / name.replace(" ", "-")
                measure(name, flags, out, given.calibrate, seconds)


def measure(
    name: str, flags: list[str], out: Path, calibrate: str, seconds: Callable[[], float]
) -> None:
    """Prints the plan's seconds and the run's, and how they compare."""
    begun = seconds()
    planned = ["plan", *flags, "--calibrate", calibrate, "--format", "json"]
    clock = "process_time" if seconds is cpu_seconds else "perf_counter"
    told = json.loads(python(_VERBS, clock, json.dumps([planned])))
    planning = seconds() - begun
    judge = flags.index("--judge") if "--judge" in flags else len(flags)
    respond = ["respond", *flags[:judge], *flags[judge + 2 :], "--out", str(out)]
    stages = [respond, ["judge", str(out), *flags[judge : judge + 2]]][: 1 + (judge < len(flags))]
    begun = seconds()
    python(_VERBS, clock, json.dumps(stages))
    took = seconds() - begun
    disk = sum(
        path.stat().st_size for path in out.glob("*") if path.suffix in {".jsonl", ".parquet"}
    )
    value, low, high = told["seconds"]
    print(
        f"{name}: planned {value:.1f} s [{low or 0:.1f}, {high or 0:.1f}], took {took:.1f} s, "
        f"factor {took / value:.2f}; disk {told['bytes'] / 1e6:.1f} MB planned, "
        f"{disk / 1e6:.1f} MB taken; the plan itself {planning:.1f} s",
        flush=True,
    )
    for stage in told["stages"]:
        print(f"  {stage['stage']}: {stage['rows']:,} prompts, seconds {shown(stage['seconds'])}")


def shown(value: Any) -> str:
    return "–" if value is None else ", ".join(f"{each:.1f}" for each in value if each is not None)


_VERBS = """
import json, sys, time
from types import SimpleNamespace
from normscope.cli import cli
from normscope.pipeline.planning import calibration, planner
clock = getattr(time, sys.argv[1])
for module in (calibration, planner):
    module.time = SimpleNamespace(perf_counter=clock, monotonic=clock)
for arguments in json.loads(sys.argv[2]):
    cli.main(arguments, standalone_mode=False)
"""


def python(*arguments: str) -> str:
    """What verbs print in a process of their own."""
    command = [sys.executable, "-c", *arguments]
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def cpu_seconds() -> float:
    """The processor time of all processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
