"""What is shipped: every module, rubric, context, card and template of the tree is in the wheel."""

import base64
import csv
import hashlib
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from normscope import __version__

ROOT = Path(__file__).parents[2]
ROOMS = ("datasets_builders", "judges", "metrics", "spaces")
SHIPPED = {
    ".py",
    ".yaml",
    ".md",
    ".html",
    ".css",
    ".csv",
    ".txt",
    ".json",
    ".safetensors",
    ".typed",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that the tree stays clean."""
    copy = tmp_path_factory.mktemp("source")
    for name in (*ROOMS, "normscope"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, copy / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = (copy / "dist").glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_rooms_and_nothing_else_of_ours(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    for room in (*ROOMS, "normscope"):
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and path.suffix in SHIPPED and "__pycache__" not in path.parts:
                relative = path.relative_to(ROOT).as_posix()
                name = relative if room == "normscope" else f"normscope/{relative}"
                assert name in held, name
    tops = {name.partition("/")[0] for name in held}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"normscope"}


PACK = """
import sys
from pathlib import Path
import normscope
from normscope.wheel import pack

assert Path(normscope.__file__).parents[1] == Path(sys.argv[1])
wheel = pack()
assert wheel == pack()
Path(sys.argv[2]).mkdir()
(Path(sys.argv[2]) / wheel.name).write_bytes(wheel.content)
"""


def packed(source: Path, out: Path) -> Path:
    """The wheel that the package in the folder makes of itself."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, "-c", PACK, str(source), str(out)]
    subprocess.run(command, cwd=out.parent, env=environment, check=True)
    (found,) = out.iterdir()
    return found


def contents(wheel: Path) -> dict[str, bytes]:
    archive = zipfile.ZipFile(wheel)
    assert archive.testzip() is None
    return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def fields(told: Message) -> set[tuple[str, str]]:
    """The metadata's fields, requirements in one spelling."""
    return {
        (name, str(Requirement(value)) if name == "Requires-Dist" else value)
        for name, value in told.items()
    }


def test_a_clone_and_an_installation_pack_what_the_build_tool_builds(
    wheel: Path, tmp_path: Path
) -> None:
    ours = packed(wheel.parents[1], tmp_path / "of_clone")
    assert ours.name == wheel.name
    built, made = contents(wheel), contents(ours)
    info = f"normscope-{__version__}.dist-info"
    assert made.keys() == built.keys() - {f"{info}/top_level.txt"}
    own = {f"{info}/{name}" for name in ("METADATA", "RECORD", "WHEEL")}
    assert {name for name in made if made[name] != built[name]} <= own
    told, theirs = (message_from_bytes(held[f"{info}/METADATA"]) for held in (made, built))
    assert told.get_payload() == theirs.get_payload()
    assert fields(told) == fields(theirs) - {("Dynamic", "license-file")}

    site = tmp_path / "site"
    shutil.unpack_archive(ours, site, "zip")
    assert packed(site, tmp_path / "of_installation").read_bytes() == ours.read_bytes()


def test_what_is_packed_is_recorded_with_its_size_and_hash(wheel: Path, tmp_path: Path) -> None:
    held = contents(packed(wheel.parents[1], tmp_path / "packed"))
    record = f"normscope-{__version__}.dist-info/RECORD"
    lines = {name: (told, size) for name, told, size in csv.reader(held[record].decode().split())}
    assert lines.keys() == held.keys()
    assert lines.pop(record) == ("", "")
    for name, (told, size) in lines.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(held[name]).digest()).rstrip(b"=")
        assert (told, size) == (f"sha256={digest.decode()}", str(len(held[name])))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_wheel_with_judge_alone_runs_the_demo_from_another_folder(
    wheel: Path, tmp_path: Path
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
    assert (elsewhere / "demo" / "manifest.json").exists()
    asked = ("--model", "demo-model", "--judge", "demo-model", "--out", "again")
    run("run", "-b", "ci-vignettes:coppa,safety-gradient", "--limit", "10", *asked)
    assert (elsewhere / "again" / "report.html").exists()
