"""The plan of the house: who may import whom, and what is at the top level."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from normscope.hub_folders import FOLDERS

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "normscope"
FLOORS = (
    {"records"},
    {"builders"},
    {"metrics"},
    {"judges"},
    {"judges.trust"},
    {"pipeline"},
    {"comparison"},
    {"report"},
    {"viewer"},
    {"hub"},
    {"api"},
    {"exchange", "server"},
    {"space"},
    {"cli"},
    {"__main__"},
)
"""Who stands on whom: a folder imports from lower floors only; every other file is a leaf."""


RECIPE = {f"normscope/judges/bundled/{name}.py" for name in ("train", "texts", "measure")}
"""A program of its own, which nothing imports."""


def modules(room: str = "") -> list[Path]:
    files = (LIBRARY / room).rglob("*.py")
    return sorted(p for p in files if p.relative_to(ROOT).as_posix() not in RECIPE)


def imported(path: Path) -> set[str]:
    """What the file imports from within normscope, as dotted names below `normscope`."""
    package = path.relative_to(ROOT).parts[:-1]
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


def test_every_file_stands_where_it_is_imported_from() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [line for line in listed.stdout.splitlines() if line.startswith("120000")] == []


def test_what_is_published_imports_the_library_by_its_name() -> None:
    for name in FOLDERS:
        for path in (ROOT / name).rglob("*.py"):
            assert not re.search(r"^from \.", path.read_text(encoding="utf-8"), re.MULTILINE), path


def floor(module: str) -> int:
    """The floor of a module, below `normscope`: 0 is that of the leaves."""
    floors = [
        i for i, rooms in enumerate(FLOORS, 1) for r in rooms if f"{module}.".startswith(f"{r}.")
    ]
    return max(floors, default=0)


def folder(module: str) -> str:
    """The folder on which the module stands, or the leaf that it is."""
    parts = module.split(".")
    return "judges.trust" if module.startswith("judges.trust") else parts[0]


def upward() -> set[tuple[str, str]]:
    """The imports that run from a floor to a higher one, or between two folders of one floor."""
    found = set()
    for path in modules():
        module = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
        module = module.removesuffix(".__init__")
        for name in imported(path):
            mine, other = floor(module), floor(name)
            between = mine == other > 0 and folder(module) != folder(name)
            if module != "__init__" and (other > mine or between):
                found.add((folder(module), folder(name)))
    return found


def test_a_folder_imports_only_from_the_floors_below_it() -> None:
    assert upward() == set()


def test_metrics_read_no_files_and_know_no_torch() -> None:
    for path in modules("metrics"):
        text = path.read_text(encoding="utf-8")
        assert "import torch" not in text
        # these read their own tables of texts
        own = {"__init__.py", "definitions.py", "module.py"}
        if path.parent.name == "metrics" and path.name not in own:
            assert not re.search(r"\bopen\(|read_text|read_bytes", text), path


def test_nothing_unpickles_or_runs_remote_code() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert "import pickle" not in text, path
        assert "torch.load" not in text, path
        assert "trust_remote_code=True" not in text, path
        assert not re.search(r"yaml\.load\((?!.*SafeLoader)", text), path


IMPORTED = """
import sys, normscope, normscope.cli
heavy = {"torch", "transformers", "datasets", "pandas", "scipy", "matplotlib"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
import normscope.builders.registry
assert "datasets" not in sys.modules
builders = {name for name in sys.modules if name.endswith(".builder")}
assert builders <= {"normscope.builders.builder"}, builders
import normscope.space, runpy
runpy.run_path("spaces/normscope/app.py", run_name="app")
assert not {"gradio", "torch", "matplotlib"} & set(sys.modules)
"""


def test_importing_the_library_the_builders_or_the_space_loads_nothing_heavy() -> None:
    subprocess.run([sys.executable, "-c", IMPORTED], check=True, cwd=ROOT)


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
