"""This clone as a wheel, made by the build tool without a network: what a Space installs."""

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .errors import DataError
from .extras import require

ROOT = Path(__file__).parents[1]
_FOLDERS = ("normscope", "datasets_builders", "judges", "metrics", "spaces")
_ABOUT = ("pyproject.toml", "README.md", "LICENSE", "NOTICE")
# the wheel's clock: the same clone gives the same bytes, which the Hub then need not be sent again
_EPOCH = "315532800"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: its file's name, which says the version, and its bytes."""

    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        """What pip compares with the `#sha256=` of an address."""
        return hashlib.sha256(self.content).hexdigest()


@cache
def pack(root: Path = ROOT) -> Wheel:
    """The wheel of the clone in the folder; the same files give the same bytes.

    A `DataError` if there is no clone: an installation does not hold what a wheel is made of.
    """
    if not (root / "pyproject.toml").is_file():
        raise DataError(
            f"a wheel is made of a clone of Normscope, and there is none in {root}: run this from "
            "a clone, or name a wheel with --package"
        )
    require("build", extra="publish")
    require("setuptools", extra="publish")
    from build import BuildException, ProjectBuilder
    from pyproject_hooks import quiet_subprocess_runner

    with tempfile.TemporaryDirectory() as name:
        # built from a copy: setuptools writes beside the sources, and would take in what it finds
        copy = Path(name, "source")
        for folder in _FOLDERS:
            kept = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(root / folder, copy / folder, symlinks=True, ignore=kept)
        for file in _ABOUT:
            shutil.copy(root / file, copy / file)
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        os.environ["SOURCE_DATE_EPOCH"] = _EPOCH
        try:
            built = ProjectBuilder(copy, runner=quiet_subprocess_runner).build("wheel", name)
        except BuildException as error:
            raise DataError(f"no wheel can be made of {root}: {error}") from error
        finally:
            os.environ.pop("SOURCE_DATE_EPOCH")
            if epoch is not None:
                os.environ["SOURCE_DATE_EPOCH"] = epoch
        path = Path(built)
        return Wheel(path.name, path.read_bytes())
