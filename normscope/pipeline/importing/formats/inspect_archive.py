"""The members of an `.eval` file, which is a ZIP archive of JSON whose members zstd compressed.

Python's `zipfile` reads zstd from 3.14 on; Arrow, which is here anyway, does before. Nothing is
unpacked to a disk, so that a member's name leads nowhere, and no member is believed to be as small
as it says.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from ....errors import BudgetError, DataError
from ....files import check_regular
from ....messages import message

LONGEST = 64 << 20
"""Bytes of JSON in a member; decoded it is up to thirty times as large."""

MOST = 2_000_000
"""Members of an archive."""

_ZSTD = 93
_LOCAL_HEADER = struct.Struct("<26xHH")
"""What stands before a member: 26 bytes, the lengths of its name and of an extra field."""

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    OverflowError,
    pa.ArrowException,
)
"""What a byte that is another one comes to, in a member or in the directory."""


class Archive:
    """An open `.eval` file."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        """Reads the directory at the end of the file."""
        self._path, self._file = path, file
        self._zip = zipfile.ZipFile(file)
        self._members = {info.filename: info for info in self._zip.infolist()}
        if len(self._members) > MOST:
            raise BudgetError(
                message(
                    "{path} has {n} members, more than the {limit} that are read of an archive",
                    path=path,
                    n=f"{len(self._members):,}",
                    limit=f"{MOST:,}",
                ),
                what="members",
                limit=MOST,
            )

    @property
    def names(self) -> list[str]:
        """The members, in the order in which they were written."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """The bytes of a member; a `DataError` names it if it is damaged or too large."""
        info = self._members[name]
        try:
            content = self._zstd(info) if info.compress_type == _ZSTD else self._plain(info)
        except _DAMAGE as error:
            raise self._damaged(name, str(error)) from error
        # how zipfile says that it knows no such compression, or that there is a password
        except (NotImplementedError, RuntimeError) as error:
            raise DataError(
                message(
                    "{path}: {member} cannot be read ({problem}); write the log as JSON with "
                    "`inspect log convert LOG --to json --output-dir DIR`",
                    path=self._path,
                    member=name,
                    problem=error,
                )
            ) from error
        if len(content) > LONGEST:
            raise BudgetError(
                message(
                    "{path}: {member} is larger than {limit} MiB, which is all that is read of a "
                    "sample",
                    path=self._path,
                    member=name,
                    limit=LONGEST >> 20,
                ),
                what="bytes",
                limit=LONGEST,
            )
        if zlib.crc32(content) != info.CRC:
            raise self._damaged(name, "CRC-32")
        return content

    def _plain(self, info: zipfile.ZipInfo) -> bytes:
        with self._zip.open(info) as member:
            return member.read(LONGEST + 1)

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        self._file.seek(info.header_offset)
        name, extra = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        self._file.seek(name + extra, 1)
        # room is made for as many bytes as are asked for, whether the file has them or not
        size = min(info.compress_size, os.fstat(self._file.fileno()).st_size)
        packed = pa.BufferReader(self._file.read(size))
        with pa.CompressedInputStream(packed, "zstd") as stream:
            content: bytes = stream.read(LONGEST + 1)
        return content

    def _damaged(self, name: str, problem: str) -> DataError:
        return DataError(
            message(
                "{path}: {member} is damaged ({problem}); copy the log again",
                path=self._path,
                member=name,
                problem=problem,
            )
        )


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """The archive while the block lasts; a `DataError` where the file is none, or was cut off."""
    check_regular(path)
    with path.open("rb") as file:
        try:
            archive: Any = Archive(path, file)
        except (*_DAMAGE, NotImplementedError) as error:
            raise DataError(
                message(
                    "{path} is no whole Inspect log ({problem}): was it cut off, or is its run "
                    "still going? Copy it again when the run is over",
                    path=path,
                    problem=error,
                )
            ) from error
        yield archive
