"""The functions need neither `evaluate` nor `datasets`, and nor does a whole run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[1] / "shared"

BLOCKED = """
import json, sys
from pathlib import Path

blocked = {"evaluate": None, "datasets": None}
sys.modules.update(blocked)
from normscope import metrics
metrics.refusal_rates([0, 1, 2, 3])
from finished_runs import finished_run
from undrawn import no_charts
from normscope.records.run import Run
with no_charts():
    run = finished_run(Path(sys.argv[1]))
scores = {name: len(rows) for name, rows in Run.open(run).json("scores.json").items()}
still = blocked.items() <= sys.modules.items()
print(json.dumps({"scores": scores, "blocked": still}))
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process found in which neither can be imported."""
    run = str(tmp_path_factory.mktemp("blocked") / "run")
    path = os.pathsep.join([str(SHARED), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run(
        [sys.executable, "-c", BLOCKED, run],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr + ended.stdout
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    assert found["blocked"]
    return found


def test_a_whole_run_is_scored(done: dict[str, Any]) -> None:
    assert set(done["scores"]) == {"ci-vignettes:coppa", "safety-gradient"}
    assert min(done["scores"].values()) > 5
