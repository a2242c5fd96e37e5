"""Upstream files, each pinned to a commit and a hash: looked for in a folder, or downloaded.

The sources carry no licence, so that nothing of them stands in this project: a builder reads them
from a folder of the user's (`--source`, or the variable NORMSCOPE_SOURCES), or fetches them from
their authors. Either way a file is checked by its hash before it is read.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import TypeVar
from urllib.error import HTTPError
from urllib.request import urlopen

import yaml

from .. import files
from ..errors import DataError, SourceError
from ..files import hash_file, replacing, typed_of_file
from ..hub_folders import hub_folder
from ..tables import read_table

T = TypeVar("T")

FOLDER_VARIABLE = "NORMSCOPE_SOURCES"
TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One upstream file: its name in a source folder, its address at a commit, its SHA-256."""

    path: str
    url: str
    sha256: str


def source_files(folder: str) -> Mapping[str, SourceFile]:
    """The files that `datasets_builders/<folder>/sources.yaml` pins, by their name there.

    >>> source_files("cfsafety")["questions"].path
    'harmful_question.csv'
    """
    path = hub_folder("datasets_builders") / folder / "sources.yaml"
    table = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {name: SourceFile(**file) for name, file in table.items()}


def locate(
    slug: str, files: Sequence[SourceFile], source: Path | None, *, unpinned: bool = False
) -> dict[str, Path]:
    """Where each file lies, by its `path`: in the source folder, or else in the download cache.

    In the folder `<source>/<slug>/<path>` is tried before `<source>/<path>`. A file whose hash is
    not the pinned one is a `SourceError`, unless `unpinned` lets a folder's files differ.
    """
    folder = source_folder(source)
    if folder is None:
        return {file.path: fetch(slug, file) for file in files}
    return {file.path: _find(slug, file, folder, unpinned=unpinned) for file in files}


def source_folder(source: Path | None) -> Path | None:
    """The folder that was asked for, else that of NORMSCOPE_SOURCES, else none."""
    named = os.environ.get(FOLDER_VARIABLE)
    folder = source or (Path(named) if named else None)
    if folder is None or folder.is_dir():
        return folder
    origin = "" if source else f" (it is named by {FOLDER_VARIABLE})"
    wrong = "is not a folder" if folder.exists() else "does not exist"
    raise SourceError(f"the source folder {folder} {wrong}{origin}; name the one with the files")


def is_pinned(file: SourceFile, path: Path) -> bool:
    """Whether the file at `path` has the pinned content."""
    return hash_file(path) == file.sha256


def fetch(slug: str, file: SourceFile) -> Path:
    """The file in the download cache, downloaded first if it is not there or is damaged."""
    path = cache_folder() / slug / file.path
    if path.is_file() and is_pinned(file, path):
        return path
    if os.environ.get("HF_HUB_OFFLINE", "") not in {"", "0"}:
        raise SourceError(
            f"HF_HUB_OFFLINE is set; name a folder that holds {file.path}: --source DIR"
        )
    with replacing(path) as part:
        _download(file, part)
        # hashed before it is put in place: what lies under the file's name has been checked
        sent = hash_file(part)
        if sent != file.sha256:
            raise SourceError(
                f"what {file.url} sent is not the pinned file: its SHA-256 is {sent}, expected "
                f"{file.sha256}. Try again, or name a folder that holds the file: --source DIR"
            )
    return path


def cache_folder() -> Path:
    """Where downloads are kept: `normscope/sources` in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "normscope" / "sources"


def read_columns(path: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """The named columns of a UTF-8 CSV as text; any other shape is a `SourceError`.

    A blank field stays a blank. The error says nothing of a row's text, which may be harmful.
    """
    try:
        table = read_table(path, needed=names)
    except DataError as error:
        raise SourceError(f"{error}; mend it, or take it from its source again") from None
    return {name: table.texts(name).to_pylist() for name in names}


def read_json(path: Path, kind: type[T]) -> T:
    """The file's JSON as a `kind`, a `SourceError` where it has another shape."""
    remedy = "it may be cut off or edited; take it from its source again"
    try:
        return typed_of_file(kind, files.read_json(path), path=path, remedy=remedy)
    except DataError as error:
        raise SourceError(error.message) from None


def _find(slug: str, file: SourceFile, folder: Path, *, unpinned: bool) -> Path:
    candidates = (folder / slug / file.path, folder / file.path)
    path = next((path for path in candidates if path.is_file()), None)
    if path is None:
        raise SourceError(
            f"{slug} needs {file.path}, which is neither in {candidates[0].parent} nor in "
            f"{candidates[1].parent}. It is published at {file.url}"
        )
    if not unpinned and (result := hash_file(path)) != file.sha256:
        raise SourceError(
            f"{path} is not the pinned version: its SHA-256 is {result}, expected {file.sha256}. "
            f"The pinned one is at {file.url}; to build from a version of your own, of the same "
            "shape, pass --unpinned (to a run, --set unpinned=true)"
        )
    return path


def _download(file: SourceFile, path: Path) -> None:
    remedy = "Try again, or download it elsewhere and name its folder: --source DIR"
    try:
        # S310: the addresses are the pinned ones of the builders, never a user's
        with urlopen(file.url, timeout=TIMEOUT_SECONDS) as answer, path.open("wb") as out:  # noqa: S310
            shutil.copyfileobj(answer, out)
    except HTTPError as error:
        error.close()
        raise SourceError(f"{file.url} answered {error.code} {error.reason}. {remedy}") from error
    except (OSError, HTTPException) as error:
        raise SourceError(f"{file.url} cannot be downloaded ({error}). {remedy}") from error
