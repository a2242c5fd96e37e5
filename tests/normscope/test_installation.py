"""What `pyproject.toml` allows is what runs: the lowest versions, and the newest of today."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = """
import sys
from pathlib import Path
sys.path.append(sys.argv.pop())
from tiny_model import make_tiny_model
make_tiny_model(Path("tiny"), ["strongly unacceptable, neutral, strongly acceptable"])
from normscope.cli import main
asked = "ci-vignettes:coppa,safety-gradient"
sys.argv = ["normscope", "run", "--model", "tiny", "--judge", "bundled", "-b", asked]
sys.argv += ["--limit", "4", "--set", "max_unscored=1", "--out", "run"]
main()
"""
READ = """
import evaluate
import normscope.space
from datasets import load_dataset
from normscope import metrics
assert len(load_dataset("data/safety-gradient", split="test")) == 1000
found = evaluate.load(metrics.path("refusal_rates")).compute(predictions=[3, 2, 0, 1, None, 3])
assert found["rr1"] == 0.6
"""


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
def test_an_installation_without_constraints_resolves_and_runs(
    tmp_path: Path, resolution: str
) -> None:
    # of torch the tested build: any other is gigabytes, and its versions are for its own tests
    (torch,) = (
        line for line in (ROOT / "constraints.txt").read_text().splitlines() if "torch==" in line
    )
    (tmp_path / "override.txt").write_text(torch)
    run(sys.executable, "-m", "venv", "tools", cwd=tmp_path)
    run(tmp_path / "tools/bin/pip", "install", "--quiet", "uv", cwd=tmp_path)
    uv, python = tmp_path / "tools/bin/uv", tmp_path / "fresh/bin/python"
    run(uv, "venv", "--quiet", "--python", sys.executable, "fresh", cwd=tmp_path)
    links = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.find-links"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    wheel = tmp_path / "wheel"
    build = ("-m", "build", "--wheel", "--no-isolation", "--outdir", wheel)
    run(sys.executable, *build, ROOT, cwd=tmp_path)
    (made,) = wheel.glob("*.whl")
    wanted: list[str | Path] = ["--resolution", resolution, "--override", "override.txt"]
    wanted += [word for link in links for word in ("--find-links", link)]
    install: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", python]
    run(*install, *wanted, f"{made}[judge,figures,space]", cwd=tmp_path)
    run(python, "-c", RUN, ROOT / "tests/shared", cwd=tmp_path)
    run(tmp_path / "fresh/bin/normscope", "build", "safety-gradient", cwd=tmp_path)
    run(python, "-c", READ, cwd=tmp_path)
