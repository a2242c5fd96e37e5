"""This installation as a wheel, with no build tool and no network: the same files, the same bytes.

What a clone's wheel says of itself is read from its pyproject.toml, since the metadata of an
editable installation is as old as the installation. The format is that of PEP 427 and 639.
"""

import csv
import hashlib
import io
import os
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

from . import __version__
from .errors import DataError

NAME = "normscope"
SHIPPED = frozenset(
    {".css", ".csv", ".html", ".jinja", ".json", ".md", ".py", ".safetensors", ".svg", ".txt"}
    | {".typed", ".yaml"}
)
"""The endings of what belongs to the package: pyproject.toml has the same."""
_WHEEL = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: its file's name, which says the version, and its bytes."""

    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        """What pip compares with the `#sha256=` of an address."""
        return hashlib.sha256(self.content).hexdigest()


def pack() -> Wheel:
    """The wheel of the package that is running."""
    package = Path(__file__).parent
    project = package.parent / "pyproject.toml"
    about = _of_clone(project) if project.is_file() else _of_installation(package.parent)
    info = f"{NAME}-{__version__}.dist-info"
    files = {f"{NAME}/{name}": path.read_bytes() for name, path in _package_files(package)}
    files |= {f"{info}/{name}": text.encode() for name, text in about.items()}
    files[f"{info}/WHEEL"] = _WHEEL.encode()
    files = dict(sorted(files.items()))
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _PLAIN_FILE
            archive.writestr(entry, content)
    return Wheel(f"{NAME}-{__version__}-py3-none-any.whl", held.getvalue())


def _package_files(package: Path) -> Iterator[tuple[str, Path]]:
    """The files of the package, those of the linked rooms among them, by their path within it."""
    for folder, inner, names in os.walk(package, followlinks=True):
        inner[:] = [name for name in inner if name != "__pycache__" and not name.startswith(".")]
        for name in names:
            path = Path(folder, name)
            if path.suffix in SHIPPED and not name.startswith("."):
                yield path.relative_to(package).as_posix(), path


def _record(files: Mapping[str, bytes], itself: str) -> bytes:
    """The list of all files with hash and size; of itself it can say neither."""
    told = io.StringIO()
    writer = csv.writer(told, lineterminator="\n")
    for name, content in files.items():
        digest = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        writer.writerow([name, f"sha256={digest}", len(content)])
    writer.writerow([itself, "", ""])
    return told.getvalue().encode()


def _of_clone(project: Path) -> dict[str, str]:
    """What `.dist-info` holds beside its own record, of the clone's own words."""
    told: dict[str, Any] = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    licenses = {name: project.with_name(name).read_text("utf-8") for name in told["license-files"]}
    scripts = "".join(f"{name} = {where}\n" for name, where in told["scripts"].items())
    return {
        "METADATA": "\n".join(_metadata(told, project.with_name(told["readme"]))),
        "entry_points.txt": f"[console_scripts]\n{scripts}",
        **{f"licenses/{name}": text for name, text in licenses.items()},
    }


def _metadata(told: Mapping[str, Any], readme: Path) -> Iterator[str]:
    yield "Metadata-Version: 2.4"
    yield f"Name: {told['name']}"
    yield f"Version: {__version__}"
    yield f"Summary: {told['description']}"
    yield f"License-Expression: {told['license']}"
    yield f"Keywords: {','.join(told['keywords'])}"
    yield f"Requires-Python: {told['requires-python']}"
    yield "Description-Content-Type: text/markdown"
    yield from (f"License-File: {name}" for name in told["license-files"])
    yield from (f"Requires-Dist: {needed}" for needed in told["dependencies"])
    for extra, names in told["optional-dependencies"].items():
        yield f"Provides-Extra: {extra}"
        yield from (f'Requires-Dist: {needed}; extra == "{extra}"' for needed in names)
    yield ""
    yield readme.read_text(encoding="utf-8")


def _of_installation(site: Path) -> dict[str, str]:
    """The same, as the wheel said it from which the package was installed there."""
    for found in Distribution.discover(name=NAME, path=[str(site)]):
        names = ["METADATA", "entry_points.txt"]
        names += [f"licenses/{name}" for name in found.metadata.get_all("License-File") or []]
        texts = {name: found.read_text(name) for name in names}
        whole = {name: text for name, text in texts.items() if text is not None}
        if len(whole) == len(texts):
            return whole
    raise DataError(
        f"there is neither a clone of Normscope nor a whole installation of it in {site}, so that "
        "no wheel can be made of it: name one with --package"
    )
