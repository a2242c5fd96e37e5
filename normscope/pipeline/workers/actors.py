"""What runs on the machines of a Ray cluster: each is a function or class that Ray calls there.

An error of ours is handed to the driver as JSON, so that it is shown as if it had happened there.
"""

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from ... import errors
from ...errors import NormscopeError
from ...files import typed
from ...judges.engine import Engine, served_by
from ...judges.engines import load
from ...messages import to_json
from ...progress import hidden
from ...records.model_spec import ModelSpec
from ...records.tables import stream_of, table_of
from ..stage import AnyTask, Order

Answer = dict[str, Any]
"""What comes from a machine: plain values, with `error` where something is wrong."""


_DONE = pa.schema(
    [
        ("id", pa.int64()),
        ("rows", pa.binary()),
        ("served", pa.list_(pa.string())),
        ("error", pa.string()),
    ]
)


def answering(do: Callable[[], Answer]) -> Answer:
    """What comes of it, or the error as JSON values."""
    try:
        return do()
    except NormscopeError as error:
        # of a kind that is defined elsewhere, the first of its bases that is defined there
        kind = next(base for base in type(error).__mro__ if base.__module__ == errors.__name__)
        text = f"on {socket.gethostname()}: {error}"
        return {"error": {"kind": kind.__name__, "message": text}}


def raise_if_error(answer: Answer) -> Answer:
    """The answer; its error is raised."""
    if error := answer.get("error"):
        raise getattr(errors, error["kind"])(error["message"])
    return answer


def identity(spec: Mapping[str, Any]) -> Answer:
    """The name and the identity of the engine as it loads on this machine, and how it computes."""

    def loaded() -> Answer:
        engine = load(typed(ModelSpec, spec))
        how: str | None = getattr(engine, "how", None)
        shown = None if how is None else to_json(how)
        return {"name": engine.name, "identity": engine.identity, "how": shown}

    return answering(loaded)


class UnitActor:
    """An actor of the pool: loads the engine once, and does the units that it is handed."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        """Loads nothing: an error here could not be told from a lost machine."""
        self._order = typed(Order, order)
        self._taken: tuple[AnyTask, Engine] | None = None

    def __call__(self, units: pa.Table) -> pa.Table:
        """Does units, a row each: what came out, or an error."""
        # what concerns them all the driver says, once
        with hidden():
            answers = [answering(partial(self._done, unit)) for unit in units.to_pylist()]
        return pa.Table.from_pylist(
            [
                {**each, "error": json.dumps(each["error"]) if "error" in each else None}
                for each in answers
            ],
            schema=_DONE,
        )

    def _done(self, unit: Mapping[str, Any]) -> Answer:
        if self._taken is None:
            self._taken = self._order.taken(load)
        task, engine = self._taken
        rows = task.do(engine, table_of(unit["inputs"]))
        return {"id": unit["id"], "rows": stream_of(rows), "served": [*served_by(engine)()]}


class Conductor:
    """Has units done by a pool of actors, and hands out what comes of them."""

    def __init__(
        self, blocks: Sequence[Any], order: Mapping[str, Any], actors: int, share: dict[str, float]
    ) -> None:
        """The blocks are references to tables of units, with `id` and `inputs`."""
        import ray.data

        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        done = ray.data.from_arrow_refs([*blocks]).map_batches(
            UnitActor,
            fn_constructor_args=(order,),
            batch_size=1,
            batch_format="pyarrow",
            concurrency=actors,
            max_restarts=5,
            max_task_retries=5,
            **share,
        )
        self._batches = iter(done.iter_batches(batch_size=None, batch_format="pyarrow"))

    def next(self) -> Answer:
        """The units that are finished next, as id, rows and served models; nothing at the end."""
        batch = next(self._batches, None)
        if batch is None:
            return {}
        rows = batch.to_pylist()
        for row in rows:
            if row["error"] is not None:
                return {"error": json.loads(row["error"])}
        return {"units": [(row["id"], row["rows"], row["served"]) for row in rows]}
