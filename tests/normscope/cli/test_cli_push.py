import socket
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from normscope.builders.registry import builder
from normscope.builders.write import write_dataset
from normscope.cli.push import push
from normscope.errors import DataError, UsageError

COPPA = pa.table({"item_id": ["c1", "c2"], "vignette": ["one", "two"]})
WEB = pa.table({"item_id": ["w1"], "vignette": ["three"]})


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection at all fails the test."""

    def refuse(*_: Any) -> None:
        pytest.fail("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HF_TOKEN", "hf_" + "s3cr" * 8)
    return "hf_" + "s3cr" * 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_dataset(builder("ci-vignettes"), tmp_path / "built", {"coppa": COPPA, "web": WEB})
    return tmp_path / "built"


def run(*arguments: str) -> str:
    """What the command prints; its errors are raised, as the command line does."""
    result = CliRunner().invoke(push, arguments, catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_a_dry_run_needs_no_network_and_lists_the_files(folder: Path, token: str) -> None:
    told = run("dataset:ci-vignettes", "--folder", str(folder), "--dry-run")
    *lines, last = told.splitlines()
    paths = ["README.md", "coppa/test.parquet", "web/test.parquet"]
    assert lines == [f"{(folder / p).stat().st_size:>11,} bytes  {p}" for p in paths]
    assert last == "nothing was sent (--dry-run)"
    assert token not in told


def test_a_dry_run_of_what_may_not_be_published_says_so(folder: Path) -> None:
    told = run("dataset:cfsafety", "--folder", str(folder), "--dry-run")
    assert "it would be refused: cfsafety has no licence" in told
    granted = ("--dry-run", "--i-have-the-right-to-publish")
    assert "refused" not in run("dataset:cfsafety", "--folder", str(folder), *granted)


@pytest.mark.parametrize("slug", ["cfsafety", "chisafetybench"])
def test_a_dataset_without_a_licence_is_refused_before_anything_is_sent(
    slug: str, folder: Path
) -> None:
    with pytest.raises(UsageError, match=f"{slug} has no licence.*i_have_the_right_to_publish="):
        run(f"dataset:{slug}", "--folder", str(folder), "--to", "lab/x")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("datset:ci-vignettes", "no kind 'datset' to push; did you mean 'dataset'?"),
        ("poem:ode", "no kind 'poem' to push; known: dataset"),
        ("ci-vignettes", "'ci-vignettes' is not KIND:NAME; kinds: dataset"),
        ("dataset:", "'dataset:' is not KIND:NAME"),
        ("dataset", "which dataset? name its folder with folder="),
        ("dataset:ci-vignete", "did you mean 'ci-vignettes'?"),
        ("space:normscope --private", "could not fetch the wheel that is sent along"),
        ("metric:norm_consensus --private", "push without private="),
    ],
)
def test_what_cannot_be_pushed_says_what_can(command: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        run(*command.split())
    assert said in str(error.value)


@pytest.mark.parametrize("target", ["space:normscope", "metric:norm_consensus"])
def test_a_dry_run_of_a_space_lists_what_would_be_sent(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = target.partition(":")[2]
    paths = [line.split()[-1] for line in run(target, "--dry-run").splitlines()[:-1]]
    page = ["app.py"] if name == "normscope" else ["index.html", f"{name}.py"]
    wheel = [path for path in paths if path.endswith(".whl")]
    assert sorted(paths) == sorted(["README.md", "requirements.txt", *page, *wheel])
    # nothing is written, either
    assert not list(tmp_path.iterdir())


def test_an_unbuilt_dataset_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="normscope build ci-vignettes"):
        run("dataset:ci-vignettes", "--folder", str(tmp_path / "none"), "--dry-run")
