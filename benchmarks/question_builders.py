"""Seconds from the sources of CFSafety and CHiSafetyBench to Parquet and card.

    python benchmarks/question_builders.py --source DIR

The goal is under 10 seconds each on two cores; nothing is asserted here.
"""

import argparse
import os
import platform
import tempfile
import time
from pathlib import Path

from normscope.datasets_builders.registry import builder
from normscope.datasets_builders.write import write_dataset

SLUGS = ("cfsafety", "chisafetybench")
GOAL_SECONDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, required=True, help="folder with the source files")
    parser.add_argument("--repeats", type=int, default=3, help="builds of each dataset [3]")
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; goal {GOAL_SECONDS} s each")
    for slug in SLUGS:
        # the first build also imports the libraries and loads the language model
        seconds = [build_once(slug, asked.source) for _ in range(asked.repeats)]
        rest = f", then {min(seconds[1:]):.2f} s at best" if seconds[1:] else ""
        print(f"{slug}: {seconds[0]:.2f} s at first{rest}")


def build_once(slug: str, source: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        made = builder(slug)
        write_dataset(made, Path(folder) / slug, made.tables(source))
        return time.perf_counter() - start


if __name__ == "__main__":
    main()
