"""Where the units of a command or a call are done: here, or by all processes of a launch."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import UsageError
from ...launch import launched
from ...progress import hidden
from ...records.cluster import WorkSettings
from ..stage import LoadEngine, Workers
from .here import Here, sharing, work_for

NO_CLUSTER = WorkSettings()


@contextmanager
def at_work(
    folder: Path, load: LoadEngine, settings: WorkSettings = NO_CLUSTER
) -> Iterator[Workers]:
    """What does units for a run, or the runs, in the folder, until the block ends.

    This process alone, a cluster, or all that a launcher started with it: then the others `help`
    it.
    """
    launch = launched()
    if settings.cluster is not None:
        if launch.count > 1:
            raise UsageError(
                "a cluster starts processes by itself: leave out `accelerate launch`, or cluster"
            )
        from .cluster import clustered

        with clustered(settings) as cluster:
            yield cluster
        return
    if launch.count > 1:
        with sharing(folder, load, launch) as processes:
            yield processes
        return
    yield Here(load)


def helped(folder: Path, load: LoadEngine) -> bool:
    """Whether this process is one of a launch that the first one needs for its units only.

    If so it has worked for that, whose runs are in the folder, and has nothing else to do.
    """
    launch = launched()
    if launch.drives:
        return False
    with hidden():
        work_for(folder, load, launch)
    return True


def unit_folder(path: Path) -> Path:
    """The folder for the units of a command that writes a file and has no run's folder.

    >>> unit_folder(Path("out/judged.csv")).as_posix()
    'out/.judged.csv'
    """
    return path.with_name(f".{path.name}")
