"""How many actors fit on a cluster's machines."""

import pytest

from normscope.pipeline.workers.room import Share, room


@pytest.mark.parametrize(
    ("machines", "share", "fitting"),
    [
        ([], Share(), 0),
        ([{"CPU": 1}], Share(), 0),
        ([{"CPU": 4}, {"CPU": 4}], Share(), 7),
        # no machine has 6, though both together have
        ([{"CPU": 4}, {"CPU": 4}], Share(cpus=6), 0),
        ([{"CPU": 8, "GPU": 8}], Share(cpus=0.5, gpus=1), 8),
        ([{"CPU": 8, "GPU": 1}], Share(cpus=1, gpus=0.3), 3),
        ([{"CPU": 1, "GPU": 8}], Share(cpus=0, gpus=2), 4),
    ],
)
def test_an_actor_is_on_one_machine(
    machines: list[dict[str, float]], share: Share, fitting: int
) -> None:
    assert room(machines, share) == fitting
