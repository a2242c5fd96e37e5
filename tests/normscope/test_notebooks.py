"""The notebooks: executed, by the public interface alone, and anew they show what is there."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e-?\d+)?")
EXECUTE = (
    "import sys, nbformat; from pathlib import Path; sys.path.insert(0, sys.argv[1]); "
    "from execute import executed; nbformat.write(executed(Path(sys.argv[2])), sys.argv[3])"
)

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code(notebook: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def joined(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


@each_notebook
def test_it_was_executed_from_first_to_last_without_an_error(path: Path) -> None:
    cells = code(json.loads(path.read_text(encoding="utf-8")))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert {output["output_type"] for cell in cells for output in cell["outputs"]} <= {
        "stream",
        "display_data",
        "execute_result",
    }


@each_notebook
def test_of_normscope_it_imports_the_public_interface_alone(path: Path) -> None:
    source = "\n".join(
        joined(cell["source"]) for cell in code(json.loads(path.read_text(encoding="utf-8")))
    )
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("normscope"), ast.unparse(node)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith("normscope")]
            assert set(names) <= {"normscope"}, ast.unparse(node)


def printed(notebook: Path) -> Iterator[str]:
    """What each cell shows as text; pictures are left to whoever looks at them."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            yield joined(output.get("text") or output["data"].get("text/plain", ""))


def numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text)]


@pytest.mark.docs
@pytest.mark.timeout(1200)
@each_notebook
def test_executed_anew_it_shows_the_same(path: Path, tmp_path: Path) -> None:
    """Word by word, and numbers to half a per cent: the last digits hang on the processor."""
    again = tmp_path / path.name
    command = [sys.executable, "-c", EXECUTE, str(ROOT / "docs"), str(path), str(again)]
    subprocess.run(command, check=True)
    kept, anew = list(printed(path)), list(printed(again))
    assert [NUMBER.sub("#", text) for text in anew] == [NUMBER.sub("#", text) for text in kept]
    for before, after in zip(kept, anew, strict=True):
        assert numbers(after) == pytest.approx(numbers(before), rel=5e-3, abs=5e-3)
