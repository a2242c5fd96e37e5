"""The Dockerfile: it installs what the tests run with, keeps to one place, and serves the Space."""

import json
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from click.testing import CliRunner

from normscope.cli import cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "container.md").read_text(encoding="utf-8")
LINES = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
WORDS = [line.split(None, 1) for line in LINES if line and not line.startswith("#")]


def of(word: str) -> list[str]:
    """What stands behind the instruction, each time it is given."""
    return [rest for name, rest in WORDS if name == word]


def test_it_installs_the_extras_and_the_versions_of_the_tests() -> None:
    tested = (ROOT / "Makefile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"--constraint (\S+) --editable '\.\[([\w,]+),test\]'", tested)
    (install,) = (run for run in of("RUN") if "pip install" in run)
    (given,) = re.findall(r"--constraint (\S+) '\.\[([\w,]+)\]'", install)
    assert given == extras
    (python,) = re.findall(r"^PYTHON \?= python(\S+)", tested, re.MULTILINE)
    assert {image.split()[0] for image in of("FROM")} == {f"python:{python}-slim-bookworm"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(given[1].split(",")) <= project["optional-dependencies"].keys()


def test_the_tag_of_no_image_is_left_open() -> None:
    for image in of("FROM"):
        assert re.search(r":[\w.-]+( AS \w+)?$", image)
        assert "latest" not in image


def test_it_does_not_run_as_root_and_writes_to_its_volume_alone() -> None:
    names = [name for name, _ in WORDS]
    last = len(names) - 1 - names[::-1].index("FROM")
    assert of("USER") == ["10001"]
    assert names.index("USER") > last
    assert any("useradd --uid 10001" in run for run in of("RUN"))
    volume = json.loads(of("VOLUME")[0])[0]
    (environment,) = of("ENV")
    for name in ("HF_HOME", "MPLCONFIGDIR"):
        assert re.search(rf"{name}={volume}/", environment)
    assert of("WORKDIR")[-1] == volume


def test_what_it_does_by_itself_is_a_command_that_there_is() -> None:
    assert [json.loads(entry) for entry in of("ENTRYPOINT")] == [["normscope"]]
    (command,) = map(json.loads, of("CMD"))
    verb, *flags = command
    usage = CliRunner().invoke(cli, [verb, "--help"]).output
    for flag in (word for word in flags if word.startswith("--")):
        assert flag in usage
    port = flags[flags.index("--port") + 1]
    assert of("EXPOSE") == [port]
    assert f"127.0.0.1:{port}/" in of("HEALTHCHECK")[0]


def test_the_check_of_its_health_is_python_that_runs() -> None:
    (command,) = re.findall(r"CMD (\[.*\])$", of("HEALTHCHECK")[0])
    python, flag, code = json.loads(command)
    assert (python, flag) == ("python", "-c")
    compile(code, "healthcheck", "exec")


@pytest.mark.parametrize("name", ["README.md", "LICENSE", "NOTICE", "constraints.txt"])
def test_what_the_build_needs_is_sent_to_it(name: str) -> None:
    ignored = [
        line
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    rooms = ("normscope", "datasets_builders", "judges", "metrics", "spaces", "pyproject.toml")
    for needed in (name, *rooms):
        assert (ROOT / needed).exists()
        assert not any(fnmatch(needed, pattern) for pattern in ignored)
    assert {".git", ".venv", "runs", "data"} <= set(ignored)


def test_the_page_says_what_can_be_chosen() -> None:
    for word in (*(arg.split("=")[0] for arg in of("ARG")), "/data", "7860", "not tried"):
        assert word in PAGE
