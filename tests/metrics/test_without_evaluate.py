"""The functions need neither `evaluate` nor `datasets`, and nor does a whole run."""

import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from normscope import metrics

FOLDER = Path(metrics.__file__).parent
SHARED = Path(__file__).parents[1] / "shared"
# the base of the modules that are loaded with evaluate
OF_EVALUATE = {"module"}
MODULES = sorted({path.stem for path in FOLDER.glob("*.py")} - {"__init__"} - OF_EVALUATE)

BLOCKED = """
import doctest, importlib, json, sys
from pathlib import Path

blocked = {"evaluate": None, "datasets": None}
sys.modules.update(blocked)
from normscope import metrics
offered = {name: str(getattr(metrics, name).__module__) for name in metrics._MODULES}
flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
tried = {}
for name in sys.argv[2:]:
    module = importlib.import_module(f"normscope.metrics.{name}")
    result = doctest.testmod(module, optionflags=flags)
    tried[name] = [result.attempted, result.failed]
from finished_runs import finished_run
from undrawn import no_charts
from normscope.records.folder import read_only
with no_charts():
    run = finished_run(Path(sys.argv[1]))
scores = {name: len(rows) for name, rows in read_only(run).scores().items()}
still = blocked.items() <= sys.modules.items()
print(json.dumps({"offered": offered, "tried": tried, "scores": scores, "blocked": still}))
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process found in which neither can be imported."""
    run = str(tmp_path_factory.mktemp("blocked") / "run")
    path = os.pathsep.join([str(SHARED), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run(
        [sys.executable, "-c", BLOCKED, run, *MODULES],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr + ended.stdout
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    assert found["blocked"]
    return found


def test_every_function_of_the_package_is_that_of_its_module(done: dict[str, Any]) -> None:
    assert done["offered"] == {
        name: f"normscope.metrics.{module}" for name, module in metrics._MODULES.items()
    }
    assert set(dir(metrics)) >= set(metrics.__all__)


def test_no_name_that_is_offered_is_hidden_by_a_module() -> None:
    assert not set(metrics._MODULES) & set(MODULES)


@pytest.mark.parametrize("name", metrics.names())
def test_the_folder_of_a_module_of_evaluate_takes_no_functions_name(name: str) -> None:
    folder = importlib.import_module(f"normscope.metrics.{name}")
    assert folder.__file__ is not None
    assert inspect.isfunction(getattr(metrics, name))


def test_the_examples_of_every_module_come_out(done: dict[str, Any]) -> None:
    assert set(done["tried"]) == set(MODULES)
    assert {name: failed for name, (_, failed) in done["tried"].items() if failed} == {}
    assert sum(attempted for attempted, _ in done["tried"].values()) > 200


def test_a_whole_run_is_scored(done: dict[str, Any]) -> None:
    assert set(done["scores"]) == {"ci-vignettes:coppa", "safety-gradient"}
    assert min(done["scores"].values()) > 5


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(metrics, "refusal_rate")
