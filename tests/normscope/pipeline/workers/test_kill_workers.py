"""kill -9 of a worker or the driver, the same command again: nothing is lost, nothing is twice."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from crash_points import contents
from killed_workers import RUN, Ended, Launcher

from normscope.records.processes import LAUNCH


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    launcher = Launcher()
    yield launcher
    launcher.close()


@pytest.fixture(scope="module")
def undisturbed(
    launcher: Launcher, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, bytes], float]:
    """The files that one process makes, as two do, and how long two take for it."""
    folders = [tmp_path_factory.mktemp(name) / "case" for name in ("one", "two")]
    ended = []
    for count, folder in enumerate(folders, start=1):
        folder.mkdir()
        ended.append(launcher.run(*RUN, cwd=folder, count=count))
        assert_well(ended[-1])
    assert contents(folders[1]) == contents(folders[0])
    return contents(folders[0]), ended[1].seconds


def assert_well(ended: Ended) -> None:
    assert set(ended.codes) == {0}, "\n".join(ended.outputs)[-3000:]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kills", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_kills_of_workers_and_drivers_lose_and_repeat_nothing(
    kills: int,
    launcher: Launcher,
    undisturbed: tuple[dict[str, bytes], float],
    tmp_path: Path,
) -> None:
    whole, seconds = undisturbed
    draw, cases, killed = random.Random(20), itertools.count(), [0, 0]
    while min(killed) < kills:
        # in some of them the run is faster than what is to kill it
        case = tmp_path / f"case-{next(cases)}"
        case.mkdir()
        # up to three kills of either in one run, before it is let come to its end
        for _ in range(draw.randint(1, 3)):
            struck = [(draw.uniform(0, seconds), rank) for rank in range(2)]
            ended = launcher.run(*RUN, cwd=case, count=2, kills=struck)
            # whose driver was killed before it had begun waits for it in vain
            alone = ended.codes == (-9, 1) and "the first process has not begun" in ended.outputs[1]
            assert alone or set(ended.codes) <= {0, -9}, "\n".join(ended.outputs)[-3000:]
            killed = [of + (code == -9) for of, code in zip(killed, ended.codes, strict=True)]
        assert_well(launcher.run(*RUN, cwd=case, count=2))
        assert not (case / "run" / LAUNCH).exists()
        assert contents(case) == whole
    proven = launcher.run("verify", "run", cwd=case)
    assert_well(proven)
    assert "exactly once" in proven.outputs[0]
