"""The pictures of docs/gallery.md: `python docs/gallery.py` writes them into docs/images/gallery.

Runs the commands that the page names in a folder for the while (or in the one that is given, in
which a demo that is finished is not made again), and takes their figures. Needs the extra judge.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

PAGE = Path(__file__).parent / "gallery.md"
IMAGES = Path(__file__).parent / "images" / "gallery"
COLOURS = 128
"""As many as a chart needs: a picture is then a third as large."""

FIGURES = {
    "runs/five/figures": (
        "mean-norms",
        "norms-by-label",
        "agreement",
        "acceptability-by-transmission-principle",
    ),
    "runs/four/figures": ("prompts",),
}
"""The figures of the comparisons, by what their names end in."""

TABLE = ("runs/five/compare.md", "**Vignettes on which runs differ most**")
"""A table in a page, and how its title begins; in the gallery it stands between two comments."""

_BETWEEN = re.compile(r"(<!-- table -->\n).*?(<!-- end -->)", re.DOTALL)


def commands() -> list[str]:
    """The commands of the page that make its pictures, in their order, each once."""
    lines = PAGE.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    of_page = [" ".join(line.split()) for line in lines if line.startswith("    normscope ")]
    return list(dict.fromkeys(of_page))


def main(folder: Path) -> None:
    """Runs the commands, and writes the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for command in commands():
        _, *words = shlex.split(command)
        subprocess.run([sys.executable, "-m", "normscope", *words], cwd=folder, check=True)  # noqa: S603
    for figures, names in FIGURES.items():
        for name in names:
            write(folder / figures / f"ci-vignettes-iot-{name}.png", name)
    copy_table((folder / TABLE[0]).read_text(encoding="utf-8"))


def copy_table(page: str) -> None:
    """Puts the first rows of the page's table into the gallery."""
    table = page.partition(TABLE[1])[2].partition("\n\n")[2].partition("\n\n")[0]
    table = "\n".join(table.splitlines()[:5])  # the header and three rows
    gallery = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_BETWEEN.sub(rf"\g<1>\n{table}\n\n\g<2>", gallery), encoding="utf-8")


def write(source: Path, name: str) -> None:
    """The picture with few colours, as the page shows it."""
    with Image.open(source) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
