"""Prints what `normscope plan` says of runs beside what the runs then take on this machine.

Tiny models of random weights, made on the spot, answer; the bundled judge judges. The cases are the
graded set, IoT's vignettes, and a slice of CFSafety where its files are (--source). Each verb is a
process of its own, as a user starts it; scores and report, which `plan` does not count, are not
made.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
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
    parser.add_argument("--only", help="The cases of this name alone.")
    parser.add_argument("--iot", type=int, help="So many of IoT's vignettes.")
    parser.add_argument("--slice", type=int, default=200, help="So many prompts of CFSafety.")
    given = parser.parse_args()
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
                *("--model", model, "--judge", "bundled", "--max-new-tokens", "64"),
            ]
        for name, flags in cases.items():
            if given.only in {None, name}:
                measure(name, flags, Path(folder) / name.replace(" ", "-"), given.calibrate)


def measure(name: str, flags: list[str], out: Path, calibrate: str) -> None:
    """Prints the plan's seconds and the run's, and how they compare."""
    begun = perf_counter()
    told = json.loads(
        python("-m", "normscope", "plan", *flags, "--calibrate", calibrate, "--format", "json")
    )
    planning = perf_counter() - begun
    judge = flags.index("--judge") if "--judge" in flags else len(flags)
    respond = ["respond", *flags[:judge], *flags[judge + 2 :], "--out", str(out)]
    stages = [respond, ["judge", str(out), *flags[judge : judge + 2]]][: 1 + (judge < len(flags))]
    begun = perf_counter()
    python("-c", _STAGES, json.dumps(stages))
    took = perf_counter() - begun
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


_STAGES = """
import json, sys
from normscope.cli import cli
for arguments in json.loads(sys.argv[1]):
    cli.main(arguments, standalone_mode=False)
"""


def python(*arguments: str) -> str:
    """What a process of its own prints."""
    return subprocess.run(
        [sys.executable, *arguments],
        check=True,
        text=True,
        capture_output=True,
    ).stdout


if __name__ == "__main__":
    main()
