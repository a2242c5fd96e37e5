"""What is shipped: every module, rubric, context, card and template of the tree is in the wheel."""

import os
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest

from normscope.errors import DataError
from normscope.spaces.publish import pack

ROOT = Path(__file__).parents[2]
ROOMS = ("datasets_builders", "judges", "metrics", "spaces")
SHIPPED = {
    ".py",
    ".yaml",
    ".md",
    ".html",
    ".css",
    ".js",
    ".csv",
    ".txt",
    ".json",
    ".safetensors",
    ".parquet",
    ".typed",
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
    for room in (*ROOMS, "normscope"):
        for path in (ROOT / room).rglob("*"):
            relative = path.relative_to(ROOT).as_posix()
            training = relative.startswith("judges/bundled/train/")
            if path.is_file() and path.suffix in SHIPPED and "__pycache__" not in path.parts:
                name = relative if room == "normscope" else f"normscope/{relative}"
                assert (name in held) is not training, name
    tops = {name.partition("/")[0] for name in held}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"normscope"}


def test_the_same_clone_gives_the_same_bytes_and_stays_clean(wheel: Path) -> None:
    before = {path for path in ROOT.iterdir() if path.suffix != ".egg-info"}
    assert pack.__wrapped__() == (wheel.name, wheel.read_bytes())
    assert {path for path in ROOT.iterdir() if path.suffix != ".egg-info"} == before


def test_without_a_clone_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--package"):
        pack(tmp_path)


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
