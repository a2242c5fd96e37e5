"""The Space's README names every endpoint with its inputs, and its examples run."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from served_space import Served, write_rows

README = Path(__file__).parents[2] / "spaces" / "normscope" / "README.md"
ADDRESS = "http://127.0.0.1:7860"
TYPES = {
    "str": "text",
    "filepath": "file",
}


def documented() -> dict[str, list[tuple[str, str, bool]]]:
    """The endpoints of the table: each input's name, type, and whether it has a default."""
    found = {}
    for row in re.findall(r"^\| `(/\w+)` \| (.*?) \| .* \|$", README.read_text(), re.M):
        inputs = re.findall(r"`(\w+)`: ([a-z ]+?)( = |,|$| \()", re.sub(r"`(en|zh)`", "", row[1]))
        found[row[0]] = [(name, kind, end == " = ") for name, kind, end in inputs]
    return found


def examples(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README.read_text(), re.S)


def test_the_readme_names_every_endpoint_with_its_inputs_and_types(client: Any) -> None:
    live = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    told = documented()
    assert set(told) == set(live)
    for name, about in live.items():
        given = about["parameters"]
        assert [one[0] for one in told[name]] == [one["parameter_name"] for one in given], name
        for (label, kind, has_default), one in zip(told[name], given, strict=True):
            live_type = one["python_type"]["type"]
            assert kind == TYPES[live_type], label
            assert has_default == one["parameter_has_default"], (name, label)


def test_every_endpoint_stands_in_the_example_and_the_example_runs(
    served: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("gradio_client", reason="needs gradio_client")
    (code,) = examples("python")
    assert set(re.findall(r'api_name="(/\w+)"', code)) == set(documented())
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code.replace(ADDRESS, served[0]), names)  # noqa: S102 - our own page
    names["space"].close()
    assert "3.6" in capsys.readouterr().out


def test_the_examples_of_curl_run(served: Served, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    write_rows(tmp_path / "answers.csv", [["prompt", "response"], ["Why?", "So."]])
    said = []
    for code in examples("sh"):
        done = subprocess.run(
            ["sh", "-ec", code.replace(ADDRESS, served[0])],
            cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        assert "event: complete" in done.stdout, done.stdout
        said.append(json.loads(done.stdout.rsplit("data: ", 1)[1])[0])
    assert said[0]["score"] == pytest.approx(3.6)
    assert said[1]["rows"] == 1
