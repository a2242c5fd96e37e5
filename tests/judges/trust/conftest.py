"""A run with a judge's verdicts, to be labelled."""

from pathlib import Path

import pytest
from annotated_runs import Answer, made_up, write_run


@pytest.fixture
def answers() -> list[Answer]:
    """Six hundred answers, every two to one question."""
    made: list[Answer] = made_up(600)
    return made


@pytest.fixture
def run(tmp_path: Path, answers: list[Answer]) -> Path:
    """The answers as a judged run."""
    path: Path = write_run(tmp_path / "run", answers)
    return path
