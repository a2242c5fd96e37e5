"""What runs on the machines of a Ray cluster: each is a function or class that Ray calls there.

An error of ours is handed to the driver as JSON, so that it is shown as if it had happened there.
"""

import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pa_fs

from ... import errors
from ...errors import ConfigError, NormscopeError
from ...files import typed
from ...judges.engine import Computing, Engine
from ...judges.engines import load
from ...messages import to_json
from ...progress import hidden
from ...records.model_spec import ModelSpec
from ...records.unit_store import Parcel, Part, write
from ..tasks import AnyTask
from .worker import begun, check_versions, finish

Answer = dict[str, Any]
"""What comes from a machine: plain JSON values, with `error` where something is wrong."""


def answering(do: Callable[[], Answer]) -> Answer:
    """What comes of it, or the error as JSON."""
    try:
        return do()
    except NormscopeError as error:
        # of a kind that is defined elsewhere, the first of its bases that is defined there
        kind = next(base for base in type(error).__mro__ if base.__module__ == errors.__name__)
        told = f"on {socket.gethostname()}: {error}"
        return {"error": {"kind": kind.__name__, "message": told}}


def raise_if_error(answer: Answer) -> Answer:
    """The answer; its error is raised."""
    if error := answer.get("error"):
        raise getattr(errors, error["kind"])(error["message"])
    return answer


def checked(seen: str, of_driver: Mapping[str, str]) -> Answer:
    """Whether this machine has the driver's versions, sees its file, and can write beside it."""

    def check() -> Answer:
        host = socket.gethostname()
        check_versions(of_driver)
        path = Path(seen)
        if not path.exists():
            raise ConfigError(
                f"{path.parent} is not the folder that the driver writes to: name one that every "
                "machine sees with --units"
            )
        own = path.with_name(f"{path.name}.{host}")
        write(own, b"")
        own.unlink()
        return {"host": host}

    return answering(check)


def identity(spec: Mapping[str, Any]) -> Answer:
    """The name and the identity of the engine as it loads on this machine, and how it computes."""

    def loaded() -> Answer:
        engine = load(typed(ModelSpec, spec))
        how = to_json(engine.how) if isinstance(engine, Computing) else None
        return {"name": engine.name, "identity": engine.identity, "how": how}

    return answering(loaded)


class UnitActor:
    """An actor of the pool: loads the engine once, and does the units that it is handed."""

    def __init__(self, part: Part) -> None:
        """Loads nothing: an error here could not be told from a lost machine."""
        self._part = part
        self._ready: tuple[AnyTask, Engine] | None = None

    def __call__(self, rows: pa.Table) -> pa.Table:
        """Does units, a row each, and gives an error or null for each."""
        # what concerns them all the driver says, once
        with hidden():
            answers = [answering(partial(self._finish, row)) for row in rows.to_pylist()]
        told = [json.dumps(answer) if "error" in answer else None for answer in answers]
        return pa.table({"error": pa.array(told, pa.string())})

    def _finish(self, row: dict[str, Any]) -> Answer:
        if self._ready is None:
            self._ready = begun(self._part, load)
        finish(self._part, *self._ready, Parcel.of_row(row))
        return {}


def conduct(where: str, actors: int, share: Mapping[str, float], rows: int) -> Answer:
    """Has every published unit of the part done by a pool of actors, in blocks of so many units.

    It runs in the cluster, not in the driver: Ray Data cannot be led from outside (`ray://`), and
    what is done goes by way of the folder. Ray starts an actor anew that dies, and hands its units
    to another.
    """
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    part = Part(Path(where))
    files = [str(file) for file, _ in part.files()]
    # with its file system: a path is not to be taken for a URL
    units = ray.data.read_parquet(files, filesystem=pa_fs.LocalFileSystem(), partitioning=None)
    done = units.repartition(target_num_rows_per_block=rows).map_batches(
        UnitActor,
        fn_constructor_args=(part,),
        batch_size=1,
        batch_format="pyarrow",
        # a block more than is worked at: an actor never waits, and a slow one holds back few units
        compute=ray.data.ActorPoolStrategy(size=actors, max_tasks_in_flight_per_actor=2),
        num_cpus=share["cpus"],
        num_gpus=share["gpus"],
        max_restarts=5,
        max_task_retries=5,
    )
    for batch in done.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        for error in batch["error"].drop_null().to_pylist():
            answer: Answer = json.loads(error)
            return answer
    return {}


def spec_json(spec: ModelSpec) -> dict[str, Any]:
    """The model's settings as JSON values."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(spec)))
    return values
