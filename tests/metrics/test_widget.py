import importlib.util
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from metric_rows import FEW

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

    def keep(script: Path, rows: Any) -> None:
        shown[script.stem] = rows

    monkeypatch.setattr("normscope.space.widget.launch", keep)
    for name in normscope.metrics.names():
        runpy.run_path(str(Path(normscope.metrics.path(name)) / "app.py"), run_name="__main__")
    assert sorted(shown) == normscope.metrics.names()


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
    mine = {"headers": table["headers"], "data": asked[name], "metadata": None}
    pasted = client.predict(mine, "", api_name="/compute")
    try:
        client.predict(mine, '{"gruops": {}}', api_name="/compute")
    except Exception as error:
        refused = str(error)
    found[name] = [own, pasted, refused]
    page.close(verbose=False)
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("gradio") is None, reason="gradio is not installed")
@pytest.mark.filterwarnings("ignore::normscope.metrics.results.UndefinedWarning")
def test_every_app_serves_its_own_example_and_rows_of_ones_own(
    tmp_path: Path, load: Callable[..., Any]
) -> None:
    # in a process of its own: gradio leaves event loops open behind it
    root = Path(normscope.metrics.__file__).parents[2]
    import_path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ,
        "HF_HOME": str(tmp_path),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "PYTHONPATH": import_path,
    }
    asked = {name: list(zip(*columns.values(), strict=True)) for name, columns in FEW.items()}
    command = [sys.executable, "-c", SERVE, json.dumps(asked)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert sorted(told) == normscope.metrics.names()
    scores = told["cfsafety_score"][0]
    assert (scores["n"], scores["unscored"]) == (2, 1)
    for name, (_, pasted, refused) in told.items():
        # NaN comes to a browser as null
        expected = load(name).compute(**FEW[name])
        assert json.dumps(pasted) == json.dumps(expected).replace("NaN", "null"), name
        assert "no option 'gruops'; did you mean 'groups'?" in refused
