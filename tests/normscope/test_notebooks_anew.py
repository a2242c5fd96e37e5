"""The notebooks executed anew: they show what they are kept with."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e-?\d+)?")
EXECUTE = (
    "import sys, nbformat; from pathlib import Path; sys.path.insert(0, sys.argv[1]); "
    "from execute import executed; nbformat.write(executed(Path(sys.argv[2])), sys.argv[3])"
)


def printed(notebook: Path) -> Iterator[str]:
    """What each cell shows as text; pictures are left to whoever looks at them."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            text = output.get("text") or output["data"].get("text/plain", "")
            yield text if isinstance(text, str) else "".join(text)


def numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text)]


@pytest.mark.docs
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_executed_anew_it_shows_the_same(path: Path, tmp_path: Path) -> None:
    """Word by word, and numbers to half a per cent: the last digits hang on the processor."""
    again = tmp_path / path.name
    command = [sys.executable, "-c", EXECUTE, str(ROOT / "docs"), str(path), str(again)]
    subprocess.run(command, check=True)
    kept, anew = list(printed(path)), list(printed(again))
    assert [NUMBER.sub("#", text) for text in anew] == [NUMBER.sub("#", text) for text in kept]
    for before, after in zip(kept, anew, strict=True):
        assert numbers(after) == pytest.approx(numbers(before), rel=5e-3, abs=5e-3)
