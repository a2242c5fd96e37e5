import importlib.util
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import normscope.metrics
from normscope.space.widget import card


def test_a_card_is_shown_without_its_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("---\ntitle: x\n---\n\n# A card\n\n---\n", encoding="utf-8")
    assert card(path) == "# A card\n\n---\n"
    path.write_text("# Plain\n", encoding="utf-8")
    assert card(path) == "# Plain\n"


def test_the_apps_own_rows_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[str, Any] = {}

    def keep(script: Path, rows: Any, options: Any = None) -> None:
        shown[script.stem] = (rows, options)

    monkeypatch.setattr("normscope.space.widget.launch", keep)
    for name in normscope.metrics.names():
        runpy.run_path(str(Path(normscope.metrics.path(name)) / "app.py"), run_name="__main__")
    assert sorted(shown) == normscope.metrics.names()
    rows, options = shown["factor_effects"]
    assert all(len(levels) == len(rows) for levels in options["groups"].values())


SERVE = """
import json, os, runpy, sys
from pathlib import Path
import gradio
from gradio_client import Client
from normscope.metrics import names, path

asked = json.loads(sys.argv[1])
served = []

def launch(page, **options):
    # as `python app.py` does, but on to the next one
    address = page.original_launch(prevent_thread_lock=True, quiet=True)[1]
    served.append((page, address))

gradio.Blocks.original_launch = gradio.Blocks.launch
gradio.Blocks.launch = launch
found = {}
for name in names():
    runpy.run_path(str(Path(path(name)) / "app.py"), run_name="__main__")
    page, address = served.pop()
    client = Client(address, verbose=False)
    # the page's own rows and options, as its button sends them
    table, options = (part["props"]["value"] for part in page.config["components"][:8]
                      if part["type"] in {"dataframe", "textbox"})
    own = client.predict(table, options or "", api_name="/compute")
    rows, given = asked[name]
    headers = table["headers"]
    mine = {"headers": headers, "data": rows, "metadata": None}
    pasted = client.predict(mine, given, api_name="/compute")
    try:
        client.predict(mine, '{"gruops": {}}', api_name="/compute")
    except Exception as error:
        refused = str(error)
    found[name] = [own, pasted, refused]
    page.close(verbose=False)
print(json.dumps(found))
"""
ASKED = {
    "cfsafety_score": ([[1.0, 5.0], [None, None], [0.5, 2.0]], ""),
    "norm_consensus": ([[1, "a", "v0"], [1, "a", "v1"]], ""),
    "refusal_rates": ([[3], [0]], json.dumps({"groups": {"area": ["values", "rights"]}})),
    "risk_identification": ([["A", "A"], ["B", "C"]], ""),
    "score_shape": ([[1.0, 5.0], [None, None], [1.0, 4.9]], ""),
    "norm_agreement": ([[1, "a", "v0", "x"], [1, "a", "v0", "y"]], ""),
    "norm_shift": ([[1, "a", "v0", "x"], [2, "a", "v0", "y"]], ""),
    "factor_effects": (
        [[1, "a", "v0"], [-1, "b", "v0"]],
        json.dumps({"groups": {"sender": ["x", "y"]}}),
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("gradio") is None, reason="gradio is not installed")
def test_every_app_serves_its_own_example_and_rows_of_ones_own(tmp_path: Path) -> None:
    # in a process of its own: gradio leaves event loops open behind it
    root = Path(normscope.metrics.__file__).parents[2]
    import_path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ,
        "HF_HOME": str(tmp_path),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "PYTHONPATH": import_path,
    }
    command = [sys.executable, "-c", SERVE, json.dumps(ASKED)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert sorted(told) == normscope.metrics.names()
    for _, _, refused in told.values():
        assert "no option 'gruops'; did you mean 'groups'?" in refused
    own = {name: first for name, (first, *_) in told.items()}
    assert (own["cfsafety_score"]["n"], own["cfsafety_score"]["unscored"]) == (2, 1)
    assert own["refusal_rates"]["rr1"] == 0.5
    assert own["norm_consensus"]["simple_majority"] == 0.5
    assert own["norm_shift"]["pairs"][0]["second"] == "tuned"
    assert set(own["factor_effects"]["by_recipient"]) == {"its owner", "an advertiser"}
    found = {name: second for name, (_, second, *_) in told.items()}
    assert (found["cfsafety_score"]["score"], found["cfsafety_score"]["unscored"]) == (3, 1)
    assert found["norm_consensus"]["unanimous"] == 1
    # not defined where all answers are equal: NaN, which a browser gets as null
    assert found["norm_consensus"]["alpha"] is None
    assert found["refusal_rates"]["by_area"]["values"]["rr1"] == 1
    assert found["risk_identification"]["agreement"] == 0.5
    assert found["score_shape"]["rating"]["high_share"]["value"] == 1
    assert found["norm_agreement"]["all_agree"] == 1
    assert found["norm_shift"]["pairs"][0]["difference"]["value"] == 1
    assert found["factor_effects"]["terms"][0]["share"]["value"] == 1
