"""What the server remembers of its visitors has a bound, and so has its memory."""

import json
from pathlib import Path

import pytest
from served_space import get, post, resident, served_space


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_does_not_grow_with_the_number_of_visitors(tmp_path: Path) -> None:
    held = []
    with served_space(tmp_path, NORMSCOPE_TEST_SESSIONS="40") as (address, _, process):
        for _ in range(4):
            for visitor in range(100):
                inputs = {"data": [f"Question {visitor}?", "No. " * 50]}
                status, told = post(address, "/gradio_api/call/score_answer", inputs)
                assert status == 200, told
                path = f"/gradio_api/call/score_answer/{json.loads(told)['event_id']}"
                assert "event: complete" in get(address, path)
            held.append(resident(process))
    print(held)  # noqa: T201 - seen with -s
    # each of the last 300 visitors is another: remembered, they would take 140 MB
    assert held[-1] - held[0] < 50, held
