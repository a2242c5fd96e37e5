"""Units done by a Ray cluster: a pool of actors, one engine each, which this process hands units.

Only the driver, this process, reads and writes the journal; inputs and results go by way of Ray. A
driver that was killed goes on where it was, and what a lost machine was at is done again.

Ray Data maps rows over actors, too, but cannot be led from outside of a cluster (`ray://`): it
would need an actor that leads it there, and messages to and from that one.
"""

import io
import logging
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ...errors import ConfigError, ModelError, NormscopeError, RunError, UsageError
from ...extras import require
from ...judges.engine import Engine, served_by
from ...judges.engines import load
from ...progress import hidden, is_hidden, to_stderr
from ...records.cluster import WorkSettings
from ...records.journal import Claimed, Journal
from ...records.model_spec import ModelSpec
from ...records.tables import stream_of, table_of
from ...records.units import watched
from ..stage import AnyTask, Order, StageWork, Workers

_CONNECT_S = 5.0
"""How long an address may take to answer."""

_LOOK_S = 2.0
"""How often is looked whether all machines are there, while nothing comes of the units."""

_FUTILE, _PAUSE_S = 3, 5.0
"""How many rounds in a row may end without a unit, and how long is waited after each."""


class LostError(RunError):
    """What ended the cluster's work and was not an error of ours."""


@dataclass(frozen=True, slots=True)
class RemoteEngine:
    """The name and the identity of an engine that only the machines of a cluster load."""

    name: str
    identity: dict[str, Any]

    def labels(self, requests: Sequence[Any]) -> list[Any]:  # noqa: ARG002
        """Asks nothing: a `ModelError`."""
        raise ModelError(f"{self.name} is loaded on the cluster only: ask it in units")

    texts = labels


@contextmanager
def naming_machine() -> Iterator[None]:
    """An error of ours that is raised in the block says on which machine."""
    try:
        yield
    except NormscopeError as error:
        raise type(error)(f"on {socket.gethostname()}: {error.message}") from None


def described(spec: ModelSpec) -> tuple[str, dict[str, Any], str | None]:
    """Name and identity of the engine as it loads on this machine, and how it computes."""
    with naming_machine():
        engine = load(spec)
        return engine.name, engine.identity, getattr(engine, "how", None)


class UnitActor:
    """An actor of the pool: loads the engine once, and does the units that it is handed."""

    def __init__(self, order: Order) -> None:
        """Loads nothing: an error here could not be told from a lost machine."""
        self._order = order
        self._loaded: tuple[AnyTask, Engine] | None = None

    def do(self, inputs: bytes) -> tuple[bytes, list[str]]:
        """What comes out of a unit, and the models that a server answered with."""
        # what concerns them all the driver says, once
        with hidden(), naming_machine():
            if self._loaded is None:
                self._loaded = self._order.taken(load)
            task, engine = self._loaded
            rows = task.do(engine, table_of(inputs))
            return stream_of(rows), [*served_by(engine)()]


@contextmanager
def clustered(settings: WorkSettings) -> Iterator[Workers]:
    """The cluster, until the block ends."""
    cluster = Cluster(settings)
    try:
        yield cluster
    finally:
        cluster.close()


@dataclass(slots=True)
class Cluster:
    """The machines of a Ray cluster, to which it connects when they are first needed."""

    settings: WorkSettings
    _ray: Any = None
    _connected_here: bool = False
    _machine_count: int = 0
    _engines: dict[ModelSpec, RemoteEngine] = field(default_factory=dict)

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine's name and identity, asked of a machine that loads it."""
        if spec not in self._engines:
            with quiet():
                ray = self._connected()
                self._actors(ray)
                # its process ends with it, and gives the model's memory back
                loaded = ray.remote(**self._share, max_calls=1, max_retries=3)(described)
                with _own_errors(ray):
                    name, identity, how = ray.get(loaded.remote(spec))
            self._engines[spec] = RemoteEngine(name, identity)
            if how is not None and not is_hidden():
                to_stderr(how)
        return self._engines[spec]

    def work(self, work: StageWork, engine: Engine, journal: Journal) -> None:
        """Has the units done, in as many rounds as machines are lost."""
        stage = work.task.stage
        total = journal.plan(stage, work.planned(journal))
        with quiet(), watched(journal, stage, total, label=work.label) as progress:
            futile = 0
            while before := journal.due(stage):
                try:
                    for unit, rows, served in self._done(journal, stage, Order.of(work, engine)):
                        journal.put(stage, unit, rows, served=served)
                        progress()
                except LostError as lost:
                    futile = futile + 1 if journal.due(stage) == before else 0
                    if futile == _FUTILE:
                        raise RunError(
                            f"the cluster ends before a unit is finished ({lost.message}); what is "
                            "finished is kept: look at the logs of the cluster, and start the same "
                            "command again"
                        ) from lost
                    # a machine that is gone is given work until the cluster notices
                    time.sleep(_PAUSE_S)

    def close(self) -> None:
        """Leaves the cluster."""
        if self._connected_here:
            # it writes then what it has held back
            with quiet():
                self._ray.shutdown()

    @property
    def _share(self) -> dict[str, float]:
        """What an actor takes of its machine."""
        return {"num_cpus": self.settings.cluster_cpus, "num_gpus": self.settings.cluster_gpus}

    def _done(
        self, journal: Journal, stage: str, order: Order
    ) -> Iterator[tuple[Claimed, pa.Table, Sequence[str]]]:
        """The units that are due as the cluster does them; a `LostError` where it cannot."""
        ray = self._connected()
        # counted anew: what was lost before is no matter of this round
        self._has_lost_machine(ray)
        kind = ray.remote(**self._share, max_restarts=5, max_task_retries=5)(UnitActor)
        actors = [kind.remote(order) for _ in range(self._actors(ray))]
        idle, at_work = [*actors], dict[Any, tuple[Any, Claimed]]()
        due = journal.due_units(stage)
        try:
            while True:
                while idle and (unit := next(due, None)):
                    actor, (claimed, inputs) = idle.pop(), unit
                    at_work[actor.do.remote(inputs)] = actor, claimed
                if not at_work:
                    return
                ready, _ = ray.wait([*at_work], timeout=_LOOK_S)
                for reference in ready:
                    with _own_errors(ray):
                        rows, served = ray.get(reference)
                    actor, claimed = at_work.pop(reference)
                    idle.append(actor)
                    yield claimed, table_of(rows), served
                if self._has_lost_machine(ray):
                    raise LostError("a machine was lost")
        finally:
            for actor in actors:
                with suppress(Exception):
                    ray.kill(actor)

    def _has_lost_machine(self, ray: Any) -> bool:
        """Whether a machine is gone since this was asked last, which is said."""
        before, self._machine_count = self._machine_count, len(_machines(ray))
        is_lost = self._machine_count < before
        if is_lost:
            to_stderr("cluster: a machine was lost; its units are done by others")
        return is_lost

    def _actors(self, ray: Any) -> int:
        """How many actors there will be; a `UsageError` where they would never all begin."""
        share = {"CPU": self.settings.cluster_cpus, "GPU": self.settings.cluster_gpus}
        machines = _machines(ray)
        room = sum(
            min(int(of.get(name, 0) / each + 1e-9) for name, each in share.items() if each)
            if any(share.values())
            else 1
            for of in machines
        )
        requested = self.settings.cluster_actors
        if room < (requested or 1):
            raise UsageError(
                f"the cluster has no room for {requested or 1} actors of {share['CPU']:g} CPUs and "
                f"{share['GPU']:g} GPUs: on {len(machines)} machines there is room for {room}. "
                "Lower cluster_actors, cluster_cpus or cluster_gpus, or add machines first"
            )
        return requested or room

    def _connected(self) -> Any:
        if self._ray is None:
            address = reached(self.settings.cluster or "auto")
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray = require("ray", extra="cluster")
            if not ray.is_initialized():
                try:
                    # what its workers print stays in its logs
                    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
                except (OSError, RuntimeError, ValueError) as error:
                    raise _unreachable(address, error) from error
                self._connected_here = True
            self._ray = ray
        return self._ray


def reached(address: str) -> str:
    """The address, of `auto` that of RAY_ADDRESS; Ray is not needed to see whether it answers.

    A `ConfigError` where it is none, a `RunError` within seconds where nothing answers: Ray itself
    tries for minutes.
    """
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address
    if address == "auto":
        return address
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S):
            return address
    except ValueError:
        raise ConfigError(
            f"cluster {address} is no address: auto, ray://HOST:10001 or HOST:6379"
        ) from None
    except OSError as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> RunError:
    cause = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return RunError(
        f"the cluster at {address} cannot be used ({cause}): is it up (`ray status` there), is its "
        "port open from here, has it the same versions of Ray and Python?"
    )


def _machines(ray: Any) -> list[dict[str, float]]:
    """What each machine that is up has of CPUs, GPUs and so on."""
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


@contextmanager
def _own_errors(ray: Any) -> Iterator[None]:
    """An error of Ray's in the block becomes the error of ours behind it, else a `LostError`."""
    try:
        yield
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None) or error
        if isinstance(cause, NormscopeError):
            raise cause from None
        lines = str(cause).strip().splitlines() or [""]
        raise LostError(f"{type(cause).__name__}: {lines[-1]}") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps what Ray writes to standard output from there: it is for results alone."""
    with redirect_stdout(io.StringIO()):
        yield
