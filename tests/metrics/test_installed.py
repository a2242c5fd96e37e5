"""Every metric for a user who has the installed wheel, or a Space on the Hub, and `evaluate`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import hub_double as double
import pytest
from metric_rows import MANY

from normscope import metrics
from normscope.spaces.publish import metric_files

ROOT = Path(metrics.__file__).parents[2]
SHARED = Path(__file__).parents[1] / "shared"

COMPUTE = """
import json, sys, warnings
import evaluate
import normscope, normscope.metrics
from metric_rows import MANY

warnings.simplefilter("ignore")
where = sys.argv[1] or None
found = {}
for name, (columns, options) in MANY.items():
    metric = evaluate.load(where.format(name) if where else normscope.metrics.path(name))
    found[name] = metric.compute(**columns, **options)
print(json.dumps({"package": normscope.__file__, "found": found}))
"""


def computed(where: str, environment: dict[str, str], folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", COMPUTE, where],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the modules give from the folders of the tree."""
    folder = tmp_path_factory.mktemp("here")
    paths = os.pathsep.join([str(ROOT), str(SHARED)])
    environment = {**os.environ, "HF_HOME": str(folder / "home"), "PYTHONPATH": paths}
    found: dict[str, Any] = computed("", environment, folder)["found"]
    assert set(found) == set(metrics.names())
    return found


@pytest.mark.slow
def test_the_installed_wheel_gives_the_same(here: dict[str, Any], tmp_path: Path) -> None:
    copy = tmp_path / "source"
    for name in ("datasets_builders", "judges", "metrics", "spaces", "normscope"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, copy / name)
    build = ["-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"]
    subprocess.run([sys.executable, *build], cwd=copy, capture_output=True, check=True)
    (wheel,) = (copy / "dist").glob("*.whl")
    site = tmp_path / "site"
    shutil.unpack_archive(wheel, site, "zip")
    paths = os.pathsep.join([str(site), str(SHARED)])
    environment = {**os.environ, "HF_HOME": str(tmp_path / "home"), "PYTHONPATH": paths}
    told = computed("", environment, tmp_path)
    assert Path(told["package"]).is_relative_to(site)
    assert json.dumps(told["found"]) == json.dumps(here)


@pytest.mark.slow
def test_its_space_gives_the_same(here: dict[str, Any], tmp_path: Path) -> None:
    with double.Hub() as hub:
        for name in MANY:
            files = {path: own.read_bytes() for path, own in metric_files(name).items()}
            hub.commit("spaces", f"lab/{name}", files)
        environment = hub.environment(tmp_path / "home")
        paths = [str(ROOT), str(SHARED), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        told = computed("lab/{}", environment, tmp_path)
    assert json.dumps(told["found"]) == json.dumps(here)
