"""An SQLite file on a local disk that several processes of a machine share."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import RunError
from ..files import check_regular

_REMEDY = "move it away, and what it holds is asked again"

_NETWORK = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs"),
        *("nfs", "nfs4", "orangefs", "panfs", "pvfs2", "smb", "smb2", "smb3", "smbfs", "virtiofs"),
        "wekafs",
    }
)
_LOCAL_FUSE = frozenset({"fuse.fuse-overlayfs", "fuse.lxcfs", "fuseblk"})


class Database:
    """A database of ours; in memory where it has no path."""

    def __init__(self, path: Path | None, tables: str, *, mark: int, reads: bool = False) -> None:
        """Opens the file, or makes it with these tables; one that is only read is not changed.

        A `RunError` where it has another `mark` than ours, and where it is on a network disk.
        """
        self.path = path
        where = ":memory:"
        if path is not None:
            if path.exists():
                check_regular(path)
            if not reads:
                refuse_network(path.parent)
            # of one that nobody has open, no file may be made beside it
            alone = reads and not path.with_name(f"{path.name}-wal").exists()
            mode = "ro&immutable=1" if alone else "ro" if reads else "rwc"
            where = f"{path.absolute().as_uri()}?mode={mode}"
        try:
            self._db = sqlite3.connect(
                where, uri=True, timeout=60, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._told(error) from error
        ((made,),) = self._do("select count(*) from sqlite_schema")
        if made and self._do("pragma application_id") != [(mark,)]:
            raise RunError(f"{path} is no journal of this version: {_REMEDY}")
        if not reads:
            self._make(tables, mark)

    def _make(self, tables: str, mark: int) -> None:
        self._do("pragma journal_mode = wal")
        # a kill loses nothing; a power cut at most the last units
        self._do("pragma synchronous = normal")
        with self._at_once():
            # another process may have made them meanwhile
            if not self._do("select 1 from sqlite_schema"):
                for statement in tables.split(";\n"):
                    self._do(statement)
                self._do(f"pragma application_id = {mark}")

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """A block whose statements are done together, or none of them."""
        self._do("begin immediate")
        try:
            yield
            self._do("commit")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("rollback")
            raise

    def _do(self, statement: str, *values: Any) -> list[Any]:
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._told(error) from error

    def _told(self, error: sqlite3.Error) -> Exception:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":
            return OSError(errno.ENOSPC, "No space left on device", str(self.path))
        return RunError(f"{self.path} cannot be used ({error}): {_REMEDY}")


def refuse_network(folder: Path, mounts: Path = Path("/proc/mounts")) -> None:
    """A `RunError` where the folder lies on a network file system, whose locks cannot be trusted.

    Every FUSE (sshfs, gcsfuse, s3fs …) counts as one, but for those that are known to be local.
    """
    kind = kind_of(folder, mounts)
    if kind in _NETWORK or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE):
        raise RunError(
            f"{folder} lies on a network file system ({kind}), where a journal may be damaged: "
            "name a folder on a local disk for it, as --set journal=/var/tmp/normscope (the run "
            "itself may stay where it is), or another --out"
        )


def kind_of(folder: Path, mounts: Path = Path("/proc/mounts")) -> str:
    """The type of the file system as the system's table of mounts has it; empty if it has none."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    place, best, kind = folder.resolve(), -1, ""
    for line in lines:
        _, where, of = line.split()[:3]
        # a space is \040 there
        mount = Path(where.encode().decode("unicode_escape"))
        # of two mounts in one place the later one is seen
        if place.is_relative_to(mount) and len(mount.parts) >= best:
            best, kind = len(mount.parts), of
    return kind
