"""`normscope report`: a page or Markdown, in two languages, in the run's folder or elsewhere."""

import errno
from pathlib import Path

import pytest
from click.testing import CliRunner
from finished_runs import finished_run
from undrawn import undrawn

from normscope.cli.report import report as verb
from normscope.records import processes
from normscope.records.integrity import is_whole

__all__ = ["undrawn"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = finished_run(tmp_path_factory.mktemp("runs") / "run")
    return path


def invoke(*arguments: object) -> str:
    done = CliRunner().invoke(verb, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_page_goes_into_the_run_which_stays_whole(run: Path) -> None:
    before = (run / "report.html").read_bytes()
    assert str(run / "report.html") in invoke(run)
    assert (run / "report.html").read_bytes() == before
    assert is_whole(run)


def test_another_language_and_place_leave_the_run_as_it_is(run: Path, tmp_path: Path) -> None:
    before = (run / "report.html").read_bytes()
    out = tmp_path / "chinese.html"
    invoke(run, "--language", "zh", "--out", out)
    assert '<html lang="zh">' in out.read_text(encoding="utf-8")
    assert (run / "report.html").read_bytes() == before
    assert is_whole(run)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_markdown_is_the_same_bytes_every_time(run: Path, tmp_path: Path, language: str) -> None:
    made = []
    for name in ("one.md", "two.md"):
        invoke(run, "--format", "md", "--language", language, "--out", tmp_path / name)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    assert "|---|---:|" in made[0].decode("utf-8")


def test_markdown_without_a_place_goes_beside_the_page(run: Path) -> None:
    assert str(run / "report.md") in invoke(run, "--format", "md")
    assert (run / "report.md").exists()
    assert is_whole(run)


def test_a_run_that_can_only_be_read_is_reported_elsewhere(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(processes, "FileLock", refused)
    before = {path.name: path.stat().st_mtime_ns for path in run.iterdir()}
    invoke(run, "--out", tmp_path / "page.html")
    invoke(run, "--format", "md", "--out", tmp_path / "page.md")
    assert (tmp_path / "page.html").read_bytes() == (run / "report.html").read_bytes()
    assert {path.name: path.stat().st_mtime_ns for path in run.iterdir()} == before
    with pytest.raises(OSError, match="Read-only"):
        CliRunner().invoke(verb, [str(run)], catch_exceptions=False)
