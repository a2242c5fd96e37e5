"""kill -9 in the middle, the same command again: the same bytes as without."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from normscope.datasets_builders.ci_vignettes.published_answers import published_models
from normscope.records.integrity import is_whole

SAME = ("items.parquet", "responses.parquet", "judgements.parquet", "scores.json")


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "normscope", *map(str, arguments)]


def start(*arguments: str | Path, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command(*arguments), stdout=quiet, stderr=quiet, cwd=cwd)


def finish(*arguments: str | Path, cwd: Path | None = None) -> None:
    done = subprocess.run(command(*arguments), cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 3}, done.stderr[-3000:]


def assert_same(one: Path, other: Path) -> None:
    assert is_whole(one)
    assert is_whole(other)
    for name in SAME:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def journal_lines(run: Path) -> int:
    journal = run / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


@pytest.mark.slow
def test_a_run_killed_between_units_ends_with_the_same_bytes(
    tmp_path: Path, tiny_model: Path
) -> None:
    asked: tuple[str | Path, ...] = ("run", "--model", tiny_model, "--judge", tiny_model)
    asked += ("-b", "ci-vignettes:coppa,safety-gradient", "--limit", "6", "--unit-items", "4")
    finish(*asked, "--out", tmp_path / "whole")
    units = journal_lines(tmp_path / "whole")
    for stop_after in (units // 4, 3 * units // 4):
        process = start(*asked, "--out", tmp_path / "killed")
        while journal_lines(tmp_path / "killed") < stop_after and process.poll() is None:
            time.sleep(0.005)
        process.kill()
        assert process.wait() == -9, "it was not killed in the middle"
        assert not is_whole(tmp_path / "killed")
    finish(*asked, "--out", tmp_path / "killed")
    assert journal_lines(tmp_path / "killed") == units
    assert_same(tmp_path / "whole", tmp_path / "killed")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_demo_killed_at_five_random_moments_ends_with_the_same_bytes(tmp_path: Path) -> None:
    asked = ("demo", "--out", "demo", "--limit", "400")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    began = time.monotonic()
    finish(*asked, cwd=whole)
    seconds = time.monotonic() - began
    draw = random.Random(20)
    for _ in range(5):
        process = start(*asked, cwd=killed)
        time.sleep(draw.uniform(0.1, 0.6) * seconds)
        process.kill()
        process.wait()
    finish(*asked, cwd=killed)
    for run in (*published_models(), "graded-answers"):
        assert_same(whole / "demo" / run, killed / "demo" / run)
    files = [p.relative_to(whole) for p in (whole / "demo" / "compare").rglob("*") if p.is_file()]
    assert len(files) > 10
    for name in (Path("demo", "report.html"), *files):
        assert (whole / name).read_bytes() == (killed / name).read_bytes(), name
