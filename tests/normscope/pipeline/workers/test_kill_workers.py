"""kill -9 of a worker or the driver, the same command again: nothing is lost, nothing is twice."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from killed_workers import RUN, Ended, Launcher

from normscope.records.integrity import JOURNAL, MANIFEST, UNITS
from normscope.records.units import LOCK

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

KILLS = 20
HANGS_ON_ORDER = {JOURNAL, MANIFEST, LOCK}
"""Files in which units stand in the order in which they came, or their hashes."""


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    launcher = Launcher()
    yield launcher
    launcher.close()


@pytest.fixture(scope="module")
def undisturbed(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The run that one process makes, and how long two take for it."""
    folders = [tmp_path_factory.mktemp(name) / "case" for name in ("one", "two")]
    ended = []
    for count, folder in enumerate(folders, start=1):
        folder.mkdir()
        ended.append(launcher.run(*RUN, cwd=folder, count=count))
        assert_well(ended[-1])
    assert_same(folders[1] / "run", folders[0] / "run")
    return folders[0] / "run", ended[1].seconds


def assert_well(ended: Ended) -> None:
    assert set(ended.codes) == {0}, "\n".join(ended.outputs)[-3000:]


def assert_same(run: Path, other: Path) -> None:
    """The same files, and the same units in the journal, each once."""
    names = {path.name for path in other.iterdir()}
    assert {path.name for path in run.iterdir()} == names
    differ = [
        n for n in names - HANGS_ON_ORDER if (run / n).read_bytes() != (other / n).read_bytes()
    ]
    assert not differ
    lines, expected = (sorted((r / JOURNAL).read_bytes().splitlines()) for r in (run, other))
    assert lines == expected


def test_twenty_kills_of_workers_and_drivers_lose_and_repeat_nothing(
    launcher: Launcher, undisturbed: tuple[Path, float], tmp_path: Path
) -> None:
    whole, seconds = undisturbed
    draw, cases, kills, of_drivers = random.Random(20), itertools.count(), 0, 0
    while kills < KILLS or not 0 < of_drivers < kills:
        # in some of them the run is faster than what is to kill it
        case = tmp_path / f"case-{next(cases)}"
        case.mkdir()
        # up to three kills of one run, before it is let come to its end
        for _ in range(draw.randint(1, 3)):
            struck = (draw.uniform(0, seconds), draw.randrange(2))
            ended = launcher.run(*RUN, cwd=case, count=2, kills=[struck])
            assert set(ended.codes) <= {0, -9}, "\n".join(ended.outputs)[-3000:]
            kills += ended.codes.count(-9)
            of_drivers += ended.codes[0] == -9
        assert_well(launcher.run(*RUN, cwd=case, count=2))
        assert not (case / "run" / UNITS).exists()
        assert_same(case / "run", whole)
        proven = launcher.run("verify", "run", cwd=case)
        assert_well(proven)
        assert "exactly once" in proven.outputs[0]
        assert "done more than once" not in proven.outputs[0]
