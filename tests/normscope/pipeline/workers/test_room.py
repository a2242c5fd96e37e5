"""How many actors fit on a cluster's machines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.pipeline.workers.room import Share, room

MACHINES = st.lists(
    st.fixed_dictionaries({"CPU": st.integers(0, 64), "GPU": st.integers(0, 8)}), max_size=6
)


@given(MACHINES, st.sampled_from([0.25, 0.5, 1, 4]), st.sampled_from([0, 0.5, 1, 2]))
def test_actors_that_fit_leave_a_cpu_for_reading(
    machines: list[dict[str, float]], cpus: float, gpus: float
) -> None:
    fitting = room(machines, Share(cpus, gpus))
    assert fitting * cpus <= max(sum(m["CPU"] for m in machines) - 1, 0)
    assert fitting * gpus <= sum(m["GPU"] for m in machines)


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
