"""Units done by a Ray cluster: a pool of actors, one engine each, on all of its machines.

The driver publishes the units in a folder that all machines see, and merges what is finished as it
appears there: the units are the authority, so that a worker, a machine or the driver may be lost
at any moment.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

from tqdm import tqdm

from ...errors import ModelError, RunError
from ...extras import packages, require
from ...files import named
from ...judges.engine import Engine, LabelRequest, LabelResult, TextRequest, TextResult
from ...messages import from_json
from ...progress import is_hidden, say
from ...records.cluster import ClusterSettings
from ...records.integrity import UNITS
from ...records.model_spec import ModelSpec
from ...records.unit_store import UnitStore, write
from ...records.units import Unit
from . import Keep, StageWork, Workers
from .connection import LostError, connect, got, machines, quiet, reached
from .on_nodes import Answer, checked, conduct, identity, raise_if_error, spec_json
from .room import READING, Share, chosen, room
from .shared import SharedStage, WithLeft, driving

_CHECK_S = 60.0
"""How long a machine may take to look at the folder."""


@dataclass(frozen=True, slots=True)
class RemoteEngine:
    """The name and the identity of an engine that only the machines of a cluster load."""

    name: str
    identity: dict[str, Any]

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:  # noqa: ARG002
        """Asks nothing: a `ModelError`."""
        raise self._refusal()

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:  # noqa: ARG002
        """Asks nothing: a `ModelError`."""
        raise self._refusal()

    def _refusal(self) -> ModelError:
        return ModelError(f"{self.name} is loaded on the cluster only: ask it in units")


@contextmanager
def clustered(settings: ClusterSettings, folder: Path) -> Iterator[Workers]:
    """The cluster for the run, or the runs, in the folder, until the block ends.

    Units lie in the folder, if not elsewhere, and one driver at a time uses them. A `RunError`
    where another one does.
    """
    # what several processes have left of a command that was stopped stands in the run's folder
    with ExitStack() as stack:
        store = own = stack.enter_context(driving(folder.absolute() / UNITS))
        if settings.units is not None:
            store = UnitStore(named(Path(settings.units)).absolute())
            stack.enter_context(store.driving(str(folder)))
        cluster = Cluster(settings, store)
        stack.callback(cluster.close)
        yield WithLeft(cluster, own)


@dataclass(slots=True)
class Cluster:
    """The machines of a Ray cluster, to which it connects when they are first needed."""

    settings: ClusterSettings
    store: UnitStore
    _ray: Any = None
    _connected_here: bool = False
    _engines: dict[ModelSpec, RemoteEngine] = field(default_factory=dict)

    @property
    def share(self) -> Share:
        """What an actor takes of its machine."""
        return Share(self.settings.cluster_cpus, self.settings.cluster_gpus)

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine's name and identity, asked of a machine that loads it.

        Before that, every machine is checked: its versions, and that it reaches the units.
        """
        if spec not in self._engines:
            with quiet():
                ray = self._connected()
                # its process ends with it, and gives the model's memory back
                loaded = self._remote(identity, self.share, max_calls=1)
                answer = raise_if_error(got(ray, loaded.remote(spec_json(spec))))
            self._engines[spec] = RemoteEngine(answer["name"], answer["identity"])
            if answer["how"] is not None and not is_hidden():
                say(from_json(answer["how"]))
        return self._engines[spec]

    def work(self, work: StageWork, engine: Engine, units: Sequence[Unit], keep: Keep) -> None:
        """Has the units done, in as many rounds as machines are lost without being replaced."""
        with quiet():
            ray = self._connected()
            shared = SharedStage.published(self.store, work, engine, units, keep)
            while shared.open:
                before = len(shared.open)
                cause = self._round(ray, shared)
                if cause is not None and len(shared.open) == before:
                    raise RunError(
                        f"the cluster's workers end before they have finished a unit ({cause}); "
                        "what is finished is kept: look at the logs of the cluster, and start the "
                        "same command again"
                    )
            shared.remove()

    def close(self) -> None:
        """Leaves the cluster; one that was begun here ends."""
        if self._connected_here:
            # it writes then what it has held back
            with quiet():
                self._ray.shutdown()

    def _round(self, ray: Any, shared: SharedStage) -> str | None:
        """Has units done until all are, or until the cluster has lost the room for its actors.

        The cause, where something ended it that the rest of the cluster may not meet again.
        """
        share = self.share
        fitting = room(machines(ray).values(), share)
        # of as many as were requested some may have no machine any more
        requested = self.settings.cluster_actors and min(
            self.settings.cluster_actors, max(fitting, 1)
        )
        actors = min(chosen(machines(ray).values(), share, requested), len(shared.open))
        # each block is a call: of several units where there are many, of one where there are few
        rows = min(max(len(shared.open) // (actors * 32), 1), 16)
        led = self._remote(conduct, Share(cpus=0))
        running = led.remote(str(shared.part.folder), actors, asdict(share), rows)
        pause = 0.5
        try:
            while True:
                ready, _ = ray.wait([running], timeout=pause)
                begun = monotonic()
                shared.absorb()
                # listing a large folder takes time: a twentieth of it at most
                pause = max(0.5, 20 * (monotonic() - begun))
                if ready:
                    break
                if room(machines(ray).values(), share) < actors:
                    told = "cluster: a machine was lost; its units are done by others"
                    tqdm.write(told, file=sys.stderr)
                    return None
            try:
                raise_if_error(got(ray, running))
            except LostError as lost:
                return lost.message
        finally:
            # without what leads them, the actors of the pool end, too
            with suppress(Exception):
                ray.cancel(running, force=True)
        shared.absorb()
        return f"units were not kept: {len(shared.open):,}" if shared.open else None

    def _connected(self) -> Any:
        if self._ray is None:
            address = reached(self.settings.cluster or "auto")
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray = require("ray", extra="cluster")
            require("ray.data", extra="cluster")
            if not ray.is_initialized():
                connect(ray, address, cpus=self._cpus())
                self._connected_here = True
            self._ray = ray
            self._check_machines(ray)
        return self._ray

    def _cpus(self) -> int:
        """The logical CPUs of a cluster that is begun here: the actors' and that for reading."""
        wanted = (self.settings.cluster_actors or 1) * self.share.cpus + READING
        return max(ceil(wanted), (os.cpu_count() or 1) + 1)

    def _check_machines(self, ray: Any) -> None:
        """An error of the first machine on which something is not as here, and of too few."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = machines(ray)
        actors = chosen(there.values(), self.share, self.settings.cluster_actors)
        seen = self.store.folder / f"seen-{uuid4().hex}"
        write(seen, b"")
        try:
            asked = [
                self._remote(checked, Share(cpus=0))
                .options(scheduling_strategy=NodeAffinitySchedulingStrategy(name, soft=False))
                .remote(str(seen), packages())
                for name in there
            ]
            for each in asked:
                raise_if_error(got(ray, each, timeout=_CHECK_S))
        finally:
            seen.unlink()
        note = f"cluster: {actors} actors on {len(there)} machines, units in {self.store.folder}"
        tqdm.write(note, file=sys.stderr)

    def _remote(self, function: Callable[..., Answer], share: Share, **options: Any) -> Any:
        """The function for the cluster to call, with a share of a machine."""
        options |= {"num_cpus": share.cpus, "num_gpus": share.gpus, "max_retries": 3}
        return self._ray.remote(**options)(function)
