"""Visitors' runs: the files of their folders, looked at before anything reads them as runs."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import NormscopeError
from ..files import unreadable_parquet
from ..messages import replaced
from ..records.integrity import CONFIG, ITEMS, JUDGEMENTS, MANIFEST, RESPONSES
from ..records.settings import Settings
from ..tables import check_parquet
from ..text_tables import Limits
from ..untrusted import inert
from . import limits
from .texts import VisitorError
from .upload import readable

MAX_NAME = 40

_LIMITS = Limits(limits.MAX_LONG_ROWS, limits.MAX_COLUMNS, 3 * limits.MAX_TABLE_BYTES)

_NEEDED = (CONFIG, ITEMS, RESPONSES, JUDGEMENTS, MANIFEST)


@contextmanager
def run_folders(uploads: Sequence[Sequence[str] | None]) -> Iterator[list[Path]]:
    """Folders with the files of each upload under the names that they have in a run.

    Every table is counted before anything else reads it; an error names no path of this machine.
    """
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        try:
            yield [
                _copied([Path(path) for path in paths], Path(folder) / str(number))
                for number, paths in enumerate(filter(None, uploads), start=1)
            ]
        except NormscopeError as error:
            error.args = (replaced(error.message, f"{folder}/", ""), *error.args[1:])
            raise


def names_of(configs: Sequence[Settings]) -> list[str]:
    """What each run is called: like its model, each once and short, no formula of a spreadsheet."""
    names: list[str] = []
    for config in configs:
        usual = Path(config.model.model).name if config.model else "run"
        name = inert(" ".join(usual.split()))[:MAX_NAME] or "run"
        times = sum(before == name or before.startswith(f"{name} (") for before in names)
        names.append(f"{name} ({times + 1})" if times else name)
    return names


def _copied(files: Sequence[Path], folder: Path) -> Path:
    names = {path.name for path in files}
    if missing := [name for name in _NEEDED if name not in names]:
        raise VisitorError(
            "This is not the folder of a finished run: there is no {missing} in it. Choose the "
            "folder itself, with everything that lies in it.",
            missing=", ".join(missing),
        )
    folder.mkdir()
    for path in files:
        if path.suffix == ".parquet":
            with (
                readable(path, most=limits.MAX_LONG_BYTES),
                unreadable_parquet(path),
            ):
                check_parquet(path, _LIMITS)
        shutil.copyfile(path, folder / path.name)
    return folder
