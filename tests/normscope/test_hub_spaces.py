"""Spaces and metrics pushed to a double of the Hub, by a client in a process of its own."""

import hashlib
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hub_double as double
import pytest
from packaging.requirements import Requirement
from python_runner import PythonRunner

from normscope import __version__, metrics

ROOT = Path(__file__).parents[2]
WHEEL = f"normscope-{__version__}-py3-none-any.whl"
PAGE = {".gitattributes", "README.md", "app.py", "requirements.txt"}
SPACE = ("spaces", "lab/page")


@pytest.fixture
def hub() -> Iterator[Any]:
    with double.Hub() as running:
        yield running


Push = Callable[..., str]


@pytest.fixture
def push(hub: Any, python_runner: PythonRunner) -> Push:
    """`push(folder, target, *flags)` is what it prints, run in the folder."""

    def run(folder: Path, target: str, *flags: str, code: int = 0) -> str:
        folder.mkdir(exist_ok=True)
        environment = {**hub.environment(folder / "home"), "PYTHONPATH": str(ROOT)}
        command = ("-m", "normscope", "push", target, *flags)
        done = python_runner.run(*command, environment=environment, cwd=folder)
        assert done.code == code, done.out + done.err
        assert "Traceback" not in done.err
        printed: str = done.err if code else done.out
        return printed

    return run


def required(hub: Any, name: str) -> Requirement:
    text = hub.files("spaces", name)["requirements.txt"].decode()
    return Requirement(next(line for line in text.splitlines() if line.startswith("normscope")))


@pytest.mark.slow
def test_a_space_is_pushed_with_the_wheel_that_its_requirements_name(
    hub: Any, push: Push, tmp_path: Path
) -> None:
    push(tmp_path / "one", "space:normscope", "--to", "lab/page")
    assert hub.repos[SPACE].sdk == "gradio"
    files = hub.files(*SPACE)
    assert files.keys() == PAGE | {WHEEL}
    url, _, sha256 = str(required(hub, "lab/page").url).partition("#sha256=")
    assert url == f"{hub.url}/spaces/lab/page/resolve/main/{WHEEL}"
    with urllib.request.urlopen(url) as answer:  # noqa: S310 - the double's
        assert hashlib.sha256(answer.read()).hexdigest() == sha256

    told = push(tmp_path / "two", "space:normscope", "--to", "lab/page")
    assert "lab/page holds all of it already: nothing is committed" in told


@pytest.mark.slow
def test_a_metric_is_pushed_under_its_own_name_and_no_other(
    hub: Any, push: Push, tmp_path: Path
) -> None:
    told = push(tmp_path, "metric:norm_shift", "--to", "lab/shifts", code=2)
    assert "called like the repository: norm_shift, not shifts" in told
    assert not hub.repos
    push(tmp_path, "metric:norm_shift")
    files = hub.files("spaces", "alice/norm_shift")
    assert files.keys() == PAGE | {WHEEL, "norm_shift.py"}
    folder = Path(metrics.path("norm_shift"))
    for name in ("README.md", "app.py", "norm_shift.py"):
        assert files[name] == (folder / name).read_bytes()


@pytest.mark.slow
def test_a_wheel_that_is_no_longer_named_is_deleted_and_what_is_theirs_stays(
    hub: Any, push: Push, tmp_path: Path
) -> None:
    push(tmp_path, "space:normscope", "--to", "lab/page")
    hub.commit(*SPACE, {"theirs.txt": b"x"})
    push(tmp_path, "space:normscope", "--to", "lab/page", "--package", "index")
    assert hub.files(*SPACE).keys() == PAGE | {"theirs.txt"}
    assert str(required(hub, "lab/page")) == f"normscope[judge,space]=={__version__}"
