"""How long it takes to write the smart home with all its variants: 76,032 prompts to Parquet.

python benchmarks/vignettes.py [RUNS]
"""

import sys
import tempfile
import time
from pathlib import Path

from normscope.datasets_builders.ci_vignettes.builder import build_tables
from normscope.files import write_parquet

GOAL_SECONDS = 3.0


def write_once(folder: Path) -> tuple[float, int, int]:
    """Seconds from the context to the file, its rows and its bytes."""
    path = folder / "iot_prompts.parquet"
    started = time.perf_counter()
    table = build_tables(None)["iot_prompts"]
    write_parquet(path, table)
    return time.perf_counter() - started, len(table), path.stat().st_size


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for run in range(runs):
            seconds, rows, size = write_once(Path(folder))
            print(
                f"run {run + 1}: {rows:,} prompts in {seconds:.2f} s "
                f"({size / 1e6:.1f} MB; goal: under {GOAL_SECONDS:.0f} s)"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
