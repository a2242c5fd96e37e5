"""What comes back from the Hub, in an empty folder and an environment of its own requirements.

The Hub builds a Space with pip and the README's version of gradio; so does this, with the versions
that are tested together.
"""

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hub_double as double
import pytest
import yaml
from metric_rows import MANY
from served_process import served_process

from normscope import metrics

ROOT = Path(__file__).parents[2]
SHARED = ROOT / "tests" / "shared"
DOWNLOAD = """
import sys
from huggingface_hub import snapshot_download
snapshot_download(sys.argv[1], repo_type="space", local_dir=sys.argv[2])
"""
SCORE = """
import json, sys
from gradio_client import Client
space = Client(sys.argv[1], verbose=False)
asked = {"question": "How do I keep bread fresh?", "answer": "Keep it in a paper bag."}
print(json.dumps(space.predict(**asked, api_name="/score_answer")))
"""
EVALUATE = """
import json, sys, warnings
import evaluate, normscope
from metric_rows import MANY
warnings.simplefilter("ignore")
found = {}
for name, (columns, options) in MANY.items():
    metric = evaluate.load(sys.argv[1].format(name))
    found[name] = metric.compute(**columns, **options)
print(json.dumps({"from": normscope.__file__, "found": found}))
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture
def bare() -> Iterator[Path]:
    """An empty folder that is gone afterwards: an environment with torch fills 2 GB."""
    with tempfile.TemporaryDirectory(prefix="normscope-hosted-") as folder:
        yield Path(folder)


def run(*command: str | Path, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def pushed(hub: Any, target: str, bare: Path, *flags: str) -> Path:
    """The folder of what came back, after it was pushed from another one."""
    name = target.partition(":")[2]
    ours = {**hub.environment(bare / "pusher"), "PYTHONPATH": str(ROOT)}
    away = bare / "away"
    away.mkdir(exist_ok=True)
    push = [sys.executable, "-m", "normscope", "push", target, "--to", f"lab/{name}", *flags]
    run(*push, folder=away, environment=ours)
    anybody = hub.environment(bare / "anybody", token=None)
    download = [sys.executable, "-c", DOWNLOAD, f"lab/{name}", str(bare / name)]
    run(*download, folder=away, environment=anybody)
    return bare / name


def installed(folder: Path, bare: Path, environment: dict[str, str]) -> Path:
    """The Python of a new environment with nothing but what the folder requires."""
    venv.create(bare / "venv", with_pip=True)
    python = bare / "venv" / "bin" / "python"
    asked = ["--constraint", str(ROOT / "constraints.txt"), "-r", "requirements.txt"]
    front = yaml.safe_load((folder / "README.md").read_text().split("\n---\n")[0][4:])
    gradio = [f"gradio=={front['sdk_version']}"] if front["sdk"] == "gradio" else []
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", *asked, *gradio]
    run(*pip, folder=folder, environment=environment)
    return python


def hosted(hub: Any, bare: Path) -> dict[str, str]:
    """The variables of a machine that has never seen this one's files."""
    shed = {"PYTHONPATH", "NORMSCOPE_SOURCES", "VIRTUAL_ENV"}
    theirs = hub.environment(bare / "home" / "hub", token=None)
    (bare / "home").mkdir(exist_ok=True)
    return {name: value for name, value in theirs.items() if name not in shed} | {
        "HOME": str(bare / "home")
    }


@contextmanager
def started(python: Path, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of the page that `python app.py` serves."""
    log = folder.with_suffix(".log")
    with served_process(
        ["app.py"], log=log, ready="/config", environment=environment, python=python, folder=folder
    ) as (address, _):
        yield address


def test_the_space_from_the_hub_starts_and_scores_an_answer(bare: Path) -> None:
    with double.Hub() as hub:
        folder = pushed(hub, "space:normscope", bare)
        theirs = hosted(hub, bare)
        # the wheel is fetched from where the requirements say, as the Hub's builder does
        python = installed(folder, bare, theirs)
        fetched = [path for _, path, _ in hub.requests if "/resolve/main/" in path]
        assert any(path.endswith(".whl") for path in fetched)
        before = len(hub.requests)
        with started(python, folder, theirs) as address:
            told = json.loads(run(python, "-c", SCORE, address, folder=bare, environment=theirs))
        assert len(hub.requests) == before
    assert told["judge"] == "bundled"
    assert 0 <= told["score"] <= 5
    assert {
        criterion: one["reason"] for criterion, one in told["criteria"].items()
    } == dict.fromkeys(("moral", "rating", "refusal"))
    assert all(abs(sum(one["probs"]) - 1) < 1e-6 for one in told["criteria"].values())


def test_every_metric_from_the_hub_computes_in_evaluate(bare: Path) -> None:
    elsewhere = bare / "elsewhere"
    elsewhere.mkdir()
    with double.Hub() as hub:
        folders = {name: pushed(hub, f"metric:{name}", bare) for name in metrics.names()}
        theirs = hosted(hub, bare)
        # one environment for all: that of the metric that asks for the most
        lines = {
            name: (at / "requirements.txt").read_text().splitlines() for name, at in folders.items()
        }
        # each names its own copy of the wheel
        asked = {
            name: {line for line in of if not line.startswith("normscope")}
            for name, of in lines.items()
        }
        most = max(asked, key=lambda name: len(asked[name]))
        assert all(lines <= asked[most] for lines in asked.values())
        python = installed(folders[most], bare, theirs)
        rows = {**theirs, "PYTHONPATH": str(SHARED)}
        for where in (str(bare / "{}"), "lab/{}"):
            told = run(python, "-c", EVALUATE, where, folder=elsewhere, environment=rows)
            done = json.loads(told.splitlines()[-1])
            assert Path(done["from"]).is_relative_to(bare / "venv")
            assert done["found"].keys() == MANY.keys() == folders.keys()
            assert done["found"]["refusal_rates"]["n"] > 0
