"""The notebooks as they are kept: executed, small, and by the public interface alone."""

import ast
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
"""Bytes of a notebook with its pictures."""

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
