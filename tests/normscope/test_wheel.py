"""What is shipped: every module, rubric, context, card and template of the tree is in the wheel."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from normscope.errors import DataError
from normscope.hub_folders import FOLDERS
from normscope.space.publish import pack

ROOT = Path(__file__).parents[2]
TEXTS = "judges/bundled/texts/"
SHIPPED = {
    *(".py", ".yaml", ".md", ".html", ".css", ".js"),
    *(".csv", ".txt", ".json", ".safetensors", ".parquet", ".typed"),
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this clone."""
    name, content = pack()
    path = tmp_path_factory.mktemp("dist") / name
    path.write_bytes(content)
    return path


def test_the_wheel_holds_every_file_of_the_rooms_and_nothing_else_of_ours(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    for room in (*FOLDERS, "normscope"):
        for path in (ROOT / room).rglob("*"):
            relative = path.relative_to(ROOT).as_posix()
            left_out = relative.startswith(TEXTS)
            if path.is_file() and path.suffix in SHIPPED and "__pycache__" not in path.parts:
                name = relative if room == "normscope" else f"normscope/published/{relative}"
                assert (name in held) is not left_out, name
    tops = {name.partition("/")[0] for name in held}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"normscope"}


def test_the_same_clone_gives_the_same_bytes_and_stays_clean(wheel: Path) -> None:
    before = {path for path in ROOT.iterdir() if path.suffix != ".egg-info"}
    assert pack.__wrapped__() == (wheel.name, wheel.read_bytes())
    assert {path for path in ROOT.iterdir() if path.suffix != ".egg-info"} == before


def test_without_a_clone_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="run this from a clone"):
        pack(tmp_path)


@pytest.mark.slow
def test_the_wheel_alone_finds_what_is_published(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    code = """
import evaluate, normscope
from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.judges import bundled
from normscope.judges.rubric_files import bundled_rubrics
from normscope.metrics import path
assert normscope.__file__.startswith(FOLDER), normscope.__file__
print(len(bundled_contexts()), bundled_rubrics(), (bundled.path() / "config.json").is_file())
print(evaluate.load(path("refusal_rates")).compute(predictions=[0, 1, 2, 3])["hr"])
"""
    folder = str(tmp_path / "installed")
    done = subprocess.run(
        [sys.executable, "-c", code.replace("FOLDER", repr(folder))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": folder, "HF_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    contexts, score = done.stdout.splitlines()
    rubrics = "['bundled', 'cfsafety', 'chisafetybench', 'chisafetybench-zero-shot']"
    assert contexts == f"7 {rubrics} True"
    assert score == "0.25"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_wheel_with_judge_alone_runs_the_demo_from_another_folder(
    wheel: Path, tmp_path: Path, tiny_model: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    install = ["-m", "pip", "install", "--quiet", "--constraint", str(constraints)]
    subprocess.run([str(python), *install, f"{wheel}[judge]"], check=True)
    clean = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "NORMSCOPE_SOURCES"}}
    home = tmp_path / "home"
    home.mkdir()
    command = tmp_path / "venv" / "bin" / "normscope"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def run(*arguments: str) -> None:
        done = subprocess.run(
            [command, *arguments],
            cwd=elsewhere,
            env={**clean, "HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in {0, 3}, done.stderr

    run("demo", "--out", "demo", "--limit", "24")
    assert (elsewhere / "demo" / "report.html").exists()
    assert (elsewhere / "demo" / "graded-answers" / "manifest.json").exists()
    asked = ("--model", str(tiny_model), "--judge", str(tiny_model), "--out", "again")
    run("run", "-b", "ci-vignettes:coppa,safety-gradient", "--limit", "10", *asked)
    assert (elsewhere / "again" / "report.html").exists()
