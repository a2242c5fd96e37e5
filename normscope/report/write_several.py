"""Several finished runs in one report: their scores side by side, their comparison, its figures."""

import base64
import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ..compare import Compared, Run, read_runs
from ..compare import compare as compare_runs
from ..files import write_text
from ..messages import message
from ..records.folder import read_only
from . import Figure, Language, SeveralData, render_several, render_several_markdown
from .comparison.draw import draw
from .write import Form, data_of

MOST_BYTES = 2_000_000
"""Of all figures together, so that a report stays something that one can send."""

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def write_several(
    paths: Sequence[Path],
    out: Path,
    *,
    form: Form,
    language: Language = "en",
    although: bool = False,
    figures: bool = True,
) -> Path:
    """Writes the runs' report to `out`, as a page or as Markdown; the runs stay as they are.

    What was not measured alike is refused, unless `although`. Figures are drawn for a page if they
    are wanted.
    """
    runs = read_runs(paths)
    compared = compare_runs(runs, although=although)
    drawn: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    if form == "html" and figures:
        drawn, notes = _drawn(runs, compared, language)
    data = SeveralData(
        names=tuple(run.name for run in runs),
        runs=tuple(data_of(read_only(path)) for path in paths),
        compared=compared,
        figures=drawn,
        notes=notes,
        command=shlex.join(
            ["normscope", "report", *map(str, paths), *(["--although"] if although else [])]
        ),
    )
    write_text(out, (render_several if form == "html" else render_several_markdown)(data, language))
    return out


def _drawn(
    runs: Sequence[Run], compared: Compared, language: Language
) -> tuple[tuple[Figure, ...], tuple[str, ...]]:
    """The figures, each in the smaller of its two forms, while there is room; and what to say."""
    with TemporaryDirectory(prefix="normscope-") as folder:
        made = draw(runs, compared, Path(folder), language=language)
        stems: dict[str, list[Path]] = {}
        for path in made.paths:
            stems.setdefault(path.stem, []).append(path)
        kept, room, left = [], MOST_BYTES, 0
        for stem, forms in stems.items():
            smallest = min(forms, key=lambda path: path.stat().st_size)
            source = _address(smallest)
            if len(source) > room:
                left += 1
                continue
            room -= len(source)
            kept.append(Figure(stem.replace("-", " ").replace("_", " "), source))
    notes = made.notes
    if left:
        told = message(
            "{n} of {m} figures are left out for their size; `normscope compare` writes them all",
            n=left,
            m=len(stems),
        )
        notes = (*notes, told)
    return tuple(kept), notes


def _address(image: Path) -> str:
    """The image as an address that holds it."""
    held = base64.b64encode(image.read_bytes()).decode("ascii")
    return f"data:{_TYPES[image.suffix]};base64,{held}"
