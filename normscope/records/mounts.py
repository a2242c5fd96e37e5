"""On what kind of file system a folder lies."""

from pathlib import Path

from ..errors import RunError

_NETWORK = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs"),
        *("nfs", "nfs4", "orangefs", "panfs", "pvfs2", "smb", "smb2", "smb3", "smbfs", "virtiofs"),
        "wekafs",
    }
)
_LOCAL_FUSE = frozenset({"fuse.fuse-overlayfs", "fuse.lxcfs", "fuseblk"})


def refuse_network(folder: Path, mounts: Path = Path("/proc/mounts")) -> None:
    """A `RunError` where the folder lies on a network file system, whose locks cannot be trusted.

    Every FUSE (sshfs, gcsfuse, s3fs …) counts as one, but for those that are known to be local.
    """
    kind = kind_of(folder, mounts)
    if kind in _NETWORK or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE):
        raise RunError(
            f"{folder} lies on a network file system ({kind}), where a journal may be damaged: "
            "name a folder on a local disk for it, as with --journal /var/tmp/normscope (the run "
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
