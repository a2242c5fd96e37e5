"""An editable install is a path that type checkers follow: what is offered has its types."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BUILD = "import sys; from setuptools.build_meta import build_editable; build_editable(sys.argv[1])"

SCRIPT = """\
import normscope as ns
from normscope import metrics
judge = ns.Judge("bundled")
reveal_type(judge)
reveal_type(judge("Why?", "So.")[0].value("score"))
reveal_type(ns.run(out="runs/x").scores)
reveal_type(metrics.refusal_rates([3]))
ns.Jugde
metrics.refusal_rate
ns.Judge(3)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing in it but Normscope, installed editable."""
    folder = tmp_path_factory.mktemp("editable")
    # building leaves a folder beside the project's file
    clone, wheels = folder / "clone", folder / "wheels"
    for made in (clone, wheels):
        made.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "normscope"):
        (clone / name).symlink_to(ROOT / name)
    build = [sys.executable, "-c", BUILD, str(wheels)]
    subprocess.run(build, cwd=clone, capture_output=True, check=True)
    [wheel] = wheels.iterdir()
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    [packages] = (folder / "venv" / "lib").glob("*/site-packages")
    zipfile.ZipFile(wheel).extractall(packages)
    return folder / "venv" / "bin" / "python"


def test_it_is_a_path_and_no_hook(python: Path) -> None:
    [packages] = python.parents[1].glob("lib/*/site-packages")
    [file] = packages.glob("*.pth")
    assert (Path(file.read_text(encoding="utf-8").strip()) / "normscope" / "py.typed").is_file()


def test_types_of_what_is_offered_are_known_from_another_folder(
    python: Path, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    checker = [sys.executable, "-m", "mypy", "--python-executable", str(python), "--strict"]
    done = subprocess.run(
        [*checker, "--cache-dir", os.devnull, "script.py"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert said[:4] == [
        'note: Revealed type is "normscope.api.judge.Judge"',
        'note: Revealed type is "float | None"',
        'note: Revealed type is "normscope.api.tidy.Scores"',
        'note: Revealed type is "list[normscope.metrics.estimate.Statistic]"',
    ], done.stdout + done.stderr
    assert [line.rpartition("  ")[2] for line in said[4:7]] == [
        *("[attr-defined]", "[attr-defined]", "[arg-type]")
    ]
