"""The verb that opens the Space on runs: what it begins with, and what it refuses before."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import normscope.spaces.normscope as page
from normscope.cli.view import view
from normscope.errors import NormscopeError, RunError, UsageError
from tests.shared.viewed_runs import CHANGED, N, aligned, base


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    return str(base(folder)), str(aligned(folder))


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What would be served, and how."""
    result: dict[str, Any] = {}
    monkeypatch.setattr(page, "build", lambda space: space)
    monkeypatch.setattr(page, "serve", lambda space, **how: result.update(how, space=space))
    return result


def call(*arguments: str) -> str:
    return CliRunner().invoke(view, arguments, catch_exceptions=False).output


def test_the_page_opens_on_the_runs_and_the_filter(
    runs: tuple[str, str], served: dict[str, Any]
) -> None:
    said = call(*runs, "--filter", "is:changed sort:-change", "--port", "8123", "--no-open")
    assert said == f"{CHANGED} of {N} answers\n"
    assert served.pop("space").shelf.names == ("base", "aligned")
    assert served == {
        "host": "127.0.0.1",
        "port": 8123,
        "opens": False,
        "address": "/?tab=answers&filter=is%3Achanged+sort%3A-change",
    }


def test_one_run_opens_a_browser_on_all_of_its_answers(
    runs: tuple[str, str], served: dict[str, Any]
) -> None:
    assert call(runs[0]) == f"{N} of {N} answers\n"
    assert (served["opens"], served["address"]) == (True, "/?tab=answers")


def test_two_folders_of_one_name_are_told_apart(
    runs: tuple[str, str], tmp_path: Path, served: dict[str, Any]
) -> None:
    call(runs[0], str(base(tmp_path)))
    names = served["space"].shelf.names
    assert len(set(names)) == 2
    assert all(name.endswith("/base") for name in names)


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        (("{0}", "--filter", "area=attack"), UsageError, "no criterion 'area' has labels"),
        (("{0}", "--filter", "is:changed"), UsageError, "look at two"),
        (("{0}", "{0}"), UsageError, "named twice"),
        (("{0}", "{1}", "{0}"), UsageError, "of one run, or of two, not of 3"),
        (("nowhere",), NormscopeError, "nowhere"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_before_anything_is_served(
    runs: tuple[str, str],
    served: dict[str, Any],
    arguments: tuple[str, ...],
    kind: type[Exception],
    says: str,
) -> None:
    with pytest.raises(kind, match=says):
        call(*(each.format(*runs) for each in arguments))
    assert served == {}


def test_a_run_that_was_changed_since_is_refused(tmp_path: Path, served: dict[str, Any]) -> None:
    run = base(tmp_path)
    table = run / "responses.parquet"
    table.write_bytes(table.read_bytes().replace(b"base says", b"base lies"))
    with pytest.raises(RunError, match=r"responses\.parquet"):
        call(str(run))
    assert served == {}
