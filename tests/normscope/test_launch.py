"""What a launcher says through the environment, in the words of each."""

import pytest

from normscope.launch import Launch, launched


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Launch()),
        (
            {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"},
            Launch(5, 8, 1, 4),
        ),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, Launch(1, 2)),
        ({"PMI_RANK": "0", "PMI_SIZE": "2"}, Launch(0, 2)),
        # of something that is no launcher of ours
        ({"RANK": "gold"}, Launch()),
        ({"RANK": "3"}, Launch()),
        ({"RANK": "2", "WORLD_SIZE": "2"}, Launch()),
        ({"LOCAL_RANK": "1"}, Launch()),
    ],
)
def test_the_number_of_a_process_is_what_its_launcher_says(
    environment: dict[str, str], expected: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert launched() == expected
    assert launched().drives == (expected.rank == 0)
