"""Each metric loaded by its name from a Space, by a client in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import hub_double as double

from normscope import metrics

LOAD = """
import json, sys
import evaluate
described = {}
for name in sys.argv[1:]:
    metric = evaluate.load(f"lab/{name}")
    described[name] = metric.name
refusal = evaluate.load("lab/refusal_rates").compute(predictions=[3, 2, 0, 1, None])
print(json.dumps({"described": described, "rr1": refusal["rr1"]}))
"""


def test_every_metric_loads_from_its_space_by_name(tmp_path: Path) -> None:
    names = metrics.names()
    with double.Hub() as hub:
        for name in names:
            folder = Path(metrics.path(name))
            files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
            hub.commit("spaces", f"lab/{name}", files)
        environment = hub.environment(tmp_path / "home")
        done = subprocess.run(
            [sys.executable, "-c", LOAD, *names],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found["described"]) == set(names)
    # two of the four scored answers refuse
    assert found["rr1"] == 0.5
