"""A command that dies at any point, given again, ends in the same bytes with nothing left over.

The points are before, in the middle of and after every write, flush, rename, copy and removal of a
file. Some of them are tried in `make test`, all of them in `make test-slow`; kills at random are
those of `pipeline/workers/test_kill_workers.py`.
"""

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from crash_points import DIED, RUN, Crasher, Ended, contents

from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.vignettes import vignette_table

FORK = ("judge", "run", "--judge", "other", "--out", "fork")
RETRY = ("run", "--retry-failed", "--set", "max_unscored=1", "--out", "run")
FILE = ("judge", "answers.csv", "--rubric", "cfsafety", "--judge", "judge", "--out", "judged.csv")
IMPORT = (
    *("import", "answers.csv", "-b", "ci-vignettes:coppa_null", "--model", "m", "--out", "run"),
)
ANSWERS = "question,response\n" + "".join(f"Why {n}?,Because of {n}.\n" for n in range(7))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A command, what the folder holds before it, and what is there after it."""

    command: Sequence[str]
    before: Path
    after: dict[str, bytes]
    points: tuple[str, ...]


@pytest.fixture(scope="module")
def crasher() -> Iterator[Crasher]:
    crasher = Crasher()
    yield crasher
    crasher.close()


@pytest.fixture(scope="module")
def scenarios(crasher: Crasher, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scenario]:
    """Each command with what it comes to when nothing happens to it."""
    folder = tmp_path_factory.mktemp("before")
    for name in ("nothing", "run", "failed", "file", "recorded"):
        (folder / name).mkdir()
    done(crasher.run(*RUN, cwd=folder / "run"))
    done(crasher.run(*RUN, cwd=folder / "failed", fails=True))
    (folder / "file" / "answers.csv").write_text(ANSWERS)
    ids = vignette_table(bundled_contexts()["coppa"], null_control=True)["item_id"].to_pylist()
    rows = (f"{item},0,neutral\n" for item in ids)
    (folder / "recorded" / "answers.csv").write_text("item_id,variant_id,answer\n" + "".join(rows))
    made = {}
    commands = {"nothing": RUN, "run": FORK, "failed": RETRY, "file": FILE, "recorded": IMPORT}
    for name, command in commands.items():
        after = tmp_path_factory.mktemp(name) / "case"
        shutil.copytree(folder / name, after)
        ended = crasher.run(*command, cwd=after)
        done(ended)
        made[name] = Scenario(command, folder / name, contents(after), ended.points)
    return made


def done(ended: Ended) -> None:
    assert ended.code == 0, ended.output[-3000:]


def check(crasher: Crasher, scenario: Scenario, folder: Path, point: int) -> None:
    """The command dies at the point and is given again."""
    case = folder / f"case-{point}"
    shutil.copytree(scenario.before, case)
    died = crasher.run(*scenario.command, cwd=case, die_at=point)
    assert died.code == DIED, died.output[-3000:]
    done(crasher.run(*scenario.command, cwd=case))
    assert_same(contents(case), scenario, scenario.points[point])
    shutil.rmtree(case)


def assert_same(found: dict[str, bytes], scenario: Scenario, where: str) -> None:
    assert set(found) == set(scenario.after), where
    differs = [name for name, content in found.items() if content != scenario.after[name]]
    assert not differs, where


@pytest.mark.parametrize(
    ("name", "some"), [("nothing", 1), ("run", 1), ("failed", 1), ("file", 1), ("recorded", 1)]
)
def test_a_command_that_died_at_some_points_ends_in_the_same_bytes(
    name: str, some: int, crasher: Crasher, scenarios: dict[str, Scenario], tmp_path: Path
) -> None:
    scenario = scenarios[name]
    draw = random.Random(name)
    for point in draw.sample(range(len(scenario.points)), some):
        check(crasher, scenario, tmp_path, point)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["nothing", "run", "failed", "file", "recorded"])
def test_a_command_that_died_at_any_point_ends_in_the_same_bytes(
    name: str, crasher: Crasher, scenarios: dict[str, Scenario], tmp_path: Path
) -> None:
    for point in range(len(scenarios[name].points)):
        check(crasher, scenarios[name], tmp_path, point)
