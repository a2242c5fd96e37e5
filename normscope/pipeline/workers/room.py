"""How many actors a cluster has room for, before any is asked for."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...errors import UsageError

READING = 1.0
"""The CPUs that are left for reading units: where actors have them all, reading waits for ever."""

Node = Mapping[str, float]
"""What a machine of the cluster has, as Ray names it: CPU, GPU …"""


@dataclass(frozen=True, slots=True)
class Share:
    """What an actor takes of its machine: logical CPUs and GPUs, also parts of them."""

    cpus: float = 1.0
    gpus: float = 0.0


def room(nodes: Collection[Node], share: Share) -> int:
    """How many actors fit; each is on one machine, and a CPU of the cluster stays free.

    >>> room([{"CPU": 8, "GPU": 2}, {"CPU": 4, "GPU": 1}], Share(cpus=2, gpus=1))
    3
    >>> room([{"CPU": 4}], Share()), room([{"CPU": 4}], Share(gpus=1))
    (3, 0)
    """
    on_nodes = sum(_on(node, share) for node in nodes)
    spare = sum(node.get("CPU", 0.0) for node in nodes) - READING
    if spare < 0:
        return 0
    return min(on_nodes, int(spare / share.cpus + 1e-9)) if share.cpus else on_nodes


def chosen(nodes: Collection[Node], share: Share, requested: int | None) -> int:
    """How many actors there will be: as many as fit, or those requested.

    A `UsageError` where they would never all begin.
    """
    fitting = room(nodes, share)
    if fitting >= (requested or 1):
        return requested or fitting
    raise UsageError(
        f"the cluster has no room for {requested or 1} actors of {share.cpus:g} CPUs and "
        f"{share.gpus:g} GPUs, beside {READING:g} CPU for reading: it has {len(nodes)} machines "
        f"with {sum(node.get('CPU', 0) for node in nodes):g} CPUs and "
        f"{sum(node.get('GPU', 0) for node in nodes):g} GPUs, room for {fitting}. Lower "
        "--cluster-actors, --cluster-cpus or --cluster-gpus, or add machines first"
    )


def _on(node: Node, share: Share) -> int:
    fits = [
        int(node.get(name, 0.0) / each + 1e-9)
        for name, each in (("CPU", share.cpus), ("GPU", share.gpus))
        if each
    ]
    return min(fits, default=1)
