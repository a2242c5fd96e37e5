"""A real cluster of two machines on this one, of which one can be removed."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

_MACHINE = {"num_cpus": 2, "object_store_memory": 100 << 20}


class TwoMachines:
    """A head and another machine, two logical CPUs each."""

    def __init__(self) -> None:
        """Starts both; it takes some seconds."""
        from ray.cluster_utils import Cluster

        self._cluster = Cluster(
            initialize_head=True, head_node_args={**_MACHINE, "include_dashboard": False}
        )
        self._other = self._cluster.add_node(**_MACHINE)
        self.address: str = self._cluster.address

    def remove_other(self) -> None:
        """The second machine is gone at once, with all that runs there."""
        self._cluster.remove_node(self._other, allow_graceful=False)

    def actors(self) -> list[psutil.Process]:
        """The processes of the pool's actors, on both machines."""
        return [
            process
            for process in psutil.Process().children(recursive=True)
            if _title(process).startswith("ray::UnitActor")
        ]

    def close(self) -> None:
        """Ends both machines."""
        self._cluster.shutdown()


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@contextmanager
def two_machines() -> Iterator[TwoMachines]:
    """The cluster, until the block ends."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    cluster = TwoMachines()
    try:
        yield cluster
    finally:
        cluster.close()
