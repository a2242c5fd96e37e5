"""Which process this is of those that a launcher (accelerate, torchrun, MPI) started together."""

import os
from dataclasses import dataclass

_RANK = ("RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK")
_COUNT = ("WORLD_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
_LOCAL_RANK = ("LOCAL_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK")
_LOCAL_COUNT = ("LOCAL_WORLD_SIZE", "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")


@dataclass(frozen=True, slots=True)
class Launch:
    """The process has number `rank` of `count`, and `local_rank` of `local_count` on its machine.

    The first one, rank 0, drives: it plans, merges and tells; the others work for it.
    """

    rank: int = 0
    count: int = 1
    local_rank: int = 0
    local_count: int = 1

    @property
    def drives(self) -> bool:
        """Whether it is the first one, or alone."""
        return self.rank == 0


def launched() -> Launch:
    """What the launcher has told this process through its environment; without one it is alone."""
    rank, count = _number(_RANK, 0), _number(_COUNT, 1)
    # a rank without a count is something else's: nobody is there to share with
    if count == 1 or rank >= count:
        return Launch()
    return Launch(rank, count, _number(_LOCAL_RANK, 0), _number(_LOCAL_COUNT, 1))


def is_on_cpu() -> bool:
    """Whether the launcher was told to leave GPUs alone (`accelerate launch --cpu`)."""
    return os.environ.get("ACCELERATE_USE_CPU", "").lower() in {"1", "true", "yes"}


def _number(names: tuple[str, ...], otherwise: int) -> int:
    """The first of the variables that is set to a number."""
    return next((int(os.environ[n]) for n in names if os.environ.get(n, "").isdigit()), otherwise)
