"""A folder that many machines may share: of a disk, or of any storage that fsspec reaches.

Files are written whole or not at all and never changed; nothing that was listed or read before is
remembered, since others write meanwhile.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.fs as pa_fs

from ..errors import ConfigError, RunError
from ..files import named

_AT_ONCE = 128
"""How many files are read together: object stores answer slowly, but many requests at a time."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The folder at `where`, of which paths are relative with `/` between their parts."""

    where: str
    """As the user wrote it: in messages, and for another machine to open it."""
    root: str
    """As the file system has it: an absolute path, or a bucket and a prefix."""
    filesystem: Any
    """fsspec's."""

    @classmethod
    def open(cls, where: str) -> "Storage":
        """The storage of a path or a URL; a `ConfigError` where nothing here can reach it.

        Credentials are those of the environment, as its package reads them (for S3:
        AWS_ACCESS_KEY_ID …, AWS_ENDPOINT_URL).
        """
        # `import normscope` loads this module, and is to be quick
        from fsspec.core import url_to_fs

        if "://" not in where:
            where = str(named(Path(where)).absolute())
        try:
            # its cache of listings would hide what other processes have written since
            filesystem, root = url_to_fs(where, use_listings_cache=False)
        except ImportError as error:
            raise ConfigError(
                f"{where}: {error}: install its package on every machine that works here"
            ) from error
        except ValueError as error:
            known = "s3://, gs://, hf://, az://"
            raise ConfigError(
                f"{where} is no storage that can be reached ({error}): name a folder, or a URL "
                f"such as {known}"
            ) from error
        return cls(where, root.rstrip("/"), filesystem)

    @property
    def folder(self) -> Path | None:
        """The folder, where it is on a disk of this machine (or mounted like it)."""
        from fsspec.implementations.local import LocalFileSystem

        return Path(self.root) if isinstance(self.filesystem, LocalFileSystem) else None

    @property
    def is_memory(self) -> bool:
        """Whether it is this process's memory, which no other one sees."""
        from fsspec.implementations.memory import MemoryFileSystem

        return isinstance(self.filesystem, MemoryFileSystem)

    def arrow(self) -> pa_fs.FileSystem:
        """The same as Arrow reads it, for the paths that `path` gives."""
        if self.folder is not None:
            return pa_fs.LocalFileSystem()
        return pa_fs.PyFileSystem(pa_fs.FSSpecHandler(self.filesystem))

    def path(self, name: str) -> str:
        """The path of a file or folder as the file system has it."""
        return f"{self.root}/{name}"

    def write(self, name: str, content: bytes, *, new: bool = False) -> None:
        """Writes a file, whole or not at all; with `new` a `FileExistsError` where there is one.

        A `RunError` where the storage refuses it, as a full disk does.
        """
        with self._reached(name, passing=FileExistsError if new else None):
            if self.folder is None:
                # one request, of which an object store keeps all or nothing
                mode = "create" if new else "overwrite"
                self.filesystem.pipe_file(self.path(name), content, mode=mode)
            else:
                _write_file(Path(self.path(name)), content, new=new)

    def read(self, names: Iterable[str]) -> Iterator[bytes]:
        """The contents of those files that are there, in their order."""
        remaining = iter(names)
        while several := list(islice(remaining, _AT_ONCE)):
            paths = list(map(self.path, several))
            with self._reached(several[0]):
                contents = self.filesystem.cat(paths, on_error="return")
            for name, path in zip(several, paths, strict=True):
                # the names of what was read may be without the slash before them
                content = contents.get(path, contents.get(path.lstrip("/")))
                if isinstance(content, bytes):
                    yield content
                elif content is not None and not isinstance(content, FileNotFoundError):
                    with self._reached(name):
                        raise content

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        with self._reached(name):
            self.filesystem.invalidate_cache(self.path(name))
            return bool(self.filesystem.exists(self.path(name)))

    def names(self, folder: str) -> list[str]:
        """The names in a folder, sorted; none where there is no such folder."""
        path = self.path(folder) if folder else self.root
        with self._reached(folder or "."):
            self.filesystem.invalidate_cache(path)
            try:
                paths = self.filesystem.ls(path, detail=False)
            except FileNotFoundError:
                return []
        return sorted(str(p).rstrip("/").rpartition("/")[2] for p in paths if p != path)

    def remove(self, name: str) -> None:
        """Removes a file, or a folder with all that is in it, if it is there."""
        with self._reached(name):
            if self.folder is not None:
                path = Path(self.path(name))
                if path.is_dir():
                    # others may be removing it too, or be late with a file of theirs
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
                return
            self.filesystem.invalidate_cache(self.path(name))
            try:
                self.filesystem.rm(self.path(name), recursive=True)
            except FileNotFoundError:
                return

    @contextmanager
    def _reached(self, name: str, *, passing: type[Exception] | None = None) -> Iterator[None]:
        """What the storage raises becomes a `RunError` that names the place and the cause."""
        try:
            yield
        # each of these packages has errors of its own, and none is a cause to go on
        except Exception as error:
            if passing is not None and isinstance(error, passing):
                raise
            cause = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise RunError(
                f"{self.where.rstrip('/')}/{name}: the storage refuses ({cause}). What is finished "
                "stays: make room or grant access, or name other storage with --units; then start "
                "the same command again"
            ) from error


def _write_file(path: Path, content: bytes, *, new: bool) -> None:
    """Writes a file of a disk that other machines may share, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # not `files.replacing`: that looks through the folder, which may hold a million files, and a
    # process of another machine may have the same number
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new:
            path.touch(exist_ok=False)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
