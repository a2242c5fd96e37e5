"""The plan of the house: who may import whom, and what is at the top level."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("datasets_builders", "judges", "metrics", "spaces")
LEAVES = {
    *(
        "budget",
        "categorical",
        "errors",
        "extras",
        "files",
        "format",
        "languages",
        "markdown",
        "parquet_pages",
    ),
    *("problems", "reasons", "rows", "untrusted", "yaml"),
}
# Types and taxonomies that judges may know about.
SHARED_TYPES = {"datasets_builders.item", "datasets_builders.taxonomy"}


def modules(room: str) -> list[Path]:
    return sorted(p for p in (ROOT / room).rglob("*.py") if "/train/" not in p.as_posix())


def imported(path: Path) -> set[str]:
    """What the file imports from within normscope, as dotted names below `normscope`."""
    folders = path.relative_to(ROOT).parts[:-1]
    package = folders if folders[0] == "normscope" else ("normscope", *folders)
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            name = ".".join((*base, *filter(None, [node.module])))
            names = [f"{name}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {n.removeprefix("normscope.") for n in names if n.startswith("normscope.")}
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_is_linked_into_the_package(room: str) -> None:
    link = ROOT / "normscope" / room
    assert link.is_symlink()
    assert link.readlink() == Path("..") / room


@pytest.mark.parametrize(
    ("room", "others"),
    [("datasets_builders", set()), ("judges", SHARED_TYPES), ("metrics", set())],
)
def test_a_room_imports_only_the_leaves_and_what_it_may(room: str, others: set[str]) -> None:
    for path in modules(room):
        for name in imported(path):
            head = name.partition(".")[0]
            allowed = head in LEAVES or head == room or any(name.startswith(o) for o in others)
            assert allowed, f"{path.relative_to(ROOT)} imports normscope.{name}"


def test_the_leaves_import_only_one_another() -> None:
    for leaf in LEAVES:
        names = imported(ROOT / "normscope" / f"{leaf}.py")
        assert {name.partition(".")[0] for name in names} <= LEAVES


def test_metrics_read_no_files_and_know_no_torch() -> None:
    for path in modules("metrics"):
        text = path.read_text(encoding="utf-8")
        assert "import torch" not in text
        if path.parent.name == "metrics" and path.name not in {"__init__.py", "widget.py"}:
            assert not re.search(r"\bopen\(|read_text|read_bytes", text), path


def test_nothing_unpickles_or_runs_remote_code() -> None:
    for room in (*ROOMS, "normscope"):
        for path in modules(room):
            text = path.read_text(encoding="utf-8")
            assert "import pickle" not in text, path
            assert "torch.load" not in text, path
            assert "trust_remote_code=True" not in text, path
            assert "yaml.load(" not in text, path


def test_importing_normscope_loads_nothing_heavy() -> None:
    code = (
        "import sys, normscope, normscope.cli; "
        "print({'torch', 'transformers', 'datasets', 'pandas', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_nothing_names_a_machine_or_its_folders() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    # spelt apart, so that this file does not name them
    strange = ("/" + "work/", "/" + "root/", "/" + "tmp/v", "file://" + "/opt")
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".txt", ".yaml", ""} and path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not [s for s in strange if s in text], name
