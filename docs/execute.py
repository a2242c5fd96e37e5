"""Executes the notebooks of docs/notebooks anew and keeps their outputs: `python docs/execute.py`.

With the name of one, only that: `python docs/execute.py judge.ipynb`. Needs the extra docs.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).parent / "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def executed(path: Path) -> NotebookNode:
    """The notebook with the outputs that it has now, run in an empty folder.

    Without what no second run would repeat: times, and what is said beside the results (bars,
    warnings of libraries). A cell that fails raises `nbclient.exceptions.CellExecutionError`.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=600,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        )
        client.execute()
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return notebook


def main(names: Sequence[str]) -> None:
    """Executes those named, or all, and writes each into its own file."""
    for path in [NOTEBOOKS / name for name in names] or sorted(NOTEBOOKS.glob("*.ipynb")):
        nbformat.write(executed(path), path)


if __name__ == "__main__":
    main(sys.argv[1:])
