"""On a network file system a journal is refused, with what to do."""

from pathlib import Path

import pytest

from normscope.errors import RunError
from normscope.records.database import kind_of, refuse_network

MOUNTS = """\
/dev/vda / ext4 rw,relatime 0 0
home:/export /home nfs4 rw,vers=4.2 0 0
/dev/vdb /home/me/scratch xfs rw 0 0
me@host: /home/me/my\\040files fuse.sshfs rw 0 0
overlay /var fuse.fuse-overlayfs rw 0 0
bucket /data fuse.gcsfuse rw 0 0
share /share 9p rw 0 0
share /late ext4 rw 0 0
share /late cifs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/x", "ext4"),
        ("/home/me/runs", "nfs4"),
        ("/home/me/scratch/x", "xfs"),
        ("/home/me/my files/x", "fuse.sshfs"),
        ("/homes", "ext4"),
        ("/var/x", "fuse.fuse-overlayfs"),
        ("/data/x", "fuse.gcsfuse"),
        ("/share", "9p"),
        ("/late/x", "cifs"),
    ],
)
def test_a_folder_lies_on_the_mount_that_is_nearest_and_latest(
    folder: str, kind: str, tmp_path: Path
) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    assert kind_of(Path(folder), tmp_path / "mounts") == kind
    if kind in {"ext4", "xfs", "fuse.fuse-overlayfs"}:
        refuse_network(Path(folder), tmp_path / "mounts")
    else:
        with pytest.raises(RunError, match=rf"{folder} lies on .*\({kind}\).* journal=/var/tmp"):
            refuse_network(Path(folder), tmp_path / "mounts")


def test_where_the_system_has_no_table_of_mounts_nothing_is_refused(tmp_path: Path) -> None:
    refuse_network(tmp_path, tmp_path / "mounts")
