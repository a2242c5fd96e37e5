"""The command line under real launchers: the bytes of one process, and one voice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from crash_points import units_of

from normscope.records.integrity import JOURNAL, RESPONSES
from normscope.records.processes import LAUNCH

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

BIN = Path(sys.executable).parent
LAUNCHERS = {
    "accelerate": (BIN / "accelerate", "launch", "--multi_gpu", "--num_processes", "2"),
    "torchrun": (BIN / "torchrun", "--nproc_per_node", "2"),
}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[4]
    environment = os.environ | {"PYTHONPATH": str(root), "ACCELERATE_USE_CPU": "true"}
    return subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.parametrize(("launcher", "limit"), [("accelerate", 455), ("torchrun", 19)])
def test_two_processes_of_a_launcher_make_what_one_makes_and_the_first_alone_speaks(
    launcher: str, limit: int, tiny_model: Path, tmp_path: Path
) -> None:
    # 11 prompts of each vignette, every one a unit: 5,005 of them
    command = ("-m", "normscope", "respond", "--model", tiny_model, "-b", "ci-vignettes:coppa")
    settings = ("--limit", str(limit), "--set", "unit_items=1")
    one = run(sys.executable, *command, *settings, "--out", "one", cwd=tmp_path)
    two = run(*LAUNCHERS[launcher], *command, *settings, "--out", "two", cwd=tmp_path)
    assert [one.returncode, two.returncode] == [0, 0], two.stderr
    assert two.stdout == one.stdout.replace("one", "two")
    assert two.stderr.count(f" 0/{11 * limit} ") == 1
    for name in (RESPONSES, "config.yaml", "items.parquet"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert units_of(tmp_path / "two" / JOURNAL) == units_of(tmp_path / "one" / JOURNAL)
    assert not (tmp_path / "two" / LAUNCH).exists()
