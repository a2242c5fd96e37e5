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

import pandas as pd
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

TABLE = "runs/five/norms.csv"
"""Whose vignettes of the widest means stand in the gallery, between two comments."""

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
    copy_table(pd.read_csv(folder / TABLE))


def copy_table(norms: pd.DataFrame) -> None:
    """Puts the three vignettes on whose mean answers the models differ most into the gallery."""
    means = norms.filter(like=": mean").rename(columns=lambda name: name.partition(":")[0])
    factors = norms[["sender", "recipient", "attribute", "transmission_principle"]]
    spread = means.max(axis=1) - means.min(axis=1)
    shown = pd.concat([factors, means.round(2), spread.round(2).rename("difference")], axis=1)
    rows = shown.loc[spread.sort_values(ascending=False, kind="stable").index[:3]]
    lines = [rows.columns, ["---"] * len(rows.columns), *rows.astype(str).to_numpy()]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
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
