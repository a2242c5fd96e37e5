"""A whole small run, a good model, and the command line in bounds."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from verb_runner import VerbRunner


@pytest.fixture(scope="session")
def verbs() -> Iterator[VerbRunner]:
    """The command line, forked for every verb from one process."""
    runner = VerbRunner()
    yield runner
    runner.close()


@pytest.fixture(scope="session")
def whole_run(
    verbs: VerbRunner, tiny_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A finished run: vignettes that the model answers, and answers that a judge has read."""
    folder = tmp_path_factory.mktemp("corpus")
    asked = (
        *("--model", tiny_model, "--judge", "bundled", "-b", "ci-vignettes:coppa,safety-gradient"),
        *("--set", "unit_items=4", "--limit", 4, "--set", "variants=0,1", "--out", "whole"),
    )
    done = verbs.run("run", *map(str, asked), cwd=folder, seconds=120)
    assert not done.fault, done
    assert (folder / "whole" / "manifest.json").is_file(), done.output
    return folder / "whole"
