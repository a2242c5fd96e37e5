"""A Space that is really served, with a scripted judge, for the tests of this folder."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from scripted_space import scripted
from served_space import CHROMIUM, Served, client_of, served_space, write_rows

from normscope.space.served import Judges, ServedJudge


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The address, the folder of its temporary files, the process."""
    if find_spec("gradio") is None:
        pytest.skip("needs gradio: pip install 'normscope[space]'")
    with served_space(tmp_path_factory.mktemp("space")) as space:
        yield space


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[Any]:
    """A client of the API."""
    if find_spec("gradio_client") is None:
        pytest.skip("needs gradio_client: pip install 'normscope[space]'")
    made = client_of(served[0])
    yield made
    made.close()


@pytest.fixture
def site(served: Served) -> str:
    """The address for a browser, where there is one."""
    if find_spec("playwright") is None:
        pytest.skip("needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian's package chromium)")
    return str(served[0])


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> ServedJudge:
    """The judge that visitors meet first, scripted."""
    monkeypatch.delenv("NORMSCOPE_JUDGE", raising=False)
    return Judges(loading=scripted).default


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Forty answers; every second one is what a spreadsheet would run."""
    rows = [[f"Question {n}?", "Sure, […]" if n % 2 else "=1+1"] for n in range(40)]
    return Path(write_rows(tmp_path / "answers.csv", [["prompt", "response"], *rows]))
