"""Twenty clients at once on everything that has a name: answered or told to wait, memory flat.

`NORMSCOPE_LOAD_SECONDS=60` makes a whole minute of it.
"""

import os
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from served_space import Served, client_of, resident, served_space, upload, write_rows

from normscope.space.context_review import EXAMPLE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
pytest.importorskip("gradio_client", reason="needs gradio_client: pip install 'normscope[space]'")

CLIENTS = 20
SECONDS = float(os.environ.get("NORMSCOPE_LOAD_SECONDS", "20"))
POLITE = ("busy with other visitors", "Queue is full")
Call = Callable[[Any, int], Any]


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The Space as `normscope serve` shows it, with the bundled judge."""
    command = ("-m", "normscope", "serve", "--port")
    folder = tmp_path_factory.mktemp("load")
    with served_space(folder, *command, OMP_NUM_THREADS="1") as one:
        yield one


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Call]:
    """What a client does at each endpoint; a check of what came back is within."""
    folder = tmp_path_factory.mktemp("files")
    rows = [[f"Question {n}?", f"I cannot help with that. {n}"] for n in range(20)]
    answers = write_rows(folder / "answers.csv", [["question", "answer"], *rows])
    text = EXAMPLE.read_text(encoding="utf-8")

    def asks(name: str, *given: Any) -> Call:
        return lambda client, _: client.predict(*given, api_name=name)

    def score(client: Any, at: int) -> None:
        found = client.predict(f"Question {at}?", f"No. {at} " * 40, api_name="/score_answer")
        assert 0 <= found["score"] <= 5

    return {
        "/score_answer": score,
        "/score_file": asks("/score_file", upload(answers), *[""] * 5),
        "/check_context": asks("/check_context", text),
    }


@dataclass
class Tally:
    """What became of the calls."""

    answered: Counter[str] = field(default_factory=Counter)
    polite: Counter[str] = field(default_factory=Counter)
    other: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)


def visit(client: Any, number: int, calls: dict[str, Call], tally: Tally, end: float) -> None:
    """One visitor, who goes from endpoint to endpoint without a pause."""
    drawn = random.Random(number)
    names = list(calls)
    at = 0
    while time.monotonic() < end:
        name, at = drawn.choice(names), at + 1
        begun = time.monotonic()
        try:
            calls[name](client, at)
        except Exception as error:  # noqa: BLE001 - counted by what it says
            if any(said in str(error) for said in POLITE):
                tally.polite[name] += 1
                time.sleep(0.5)
            else:
                tally.other.append(f"{name}: {type(error).__name__} {error}")
        else:
            tally.answered[name] += 1
            tally.waits.append(time.monotonic() - begun)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_twenty_clients_are_answered_or_told_to_wait(
    bundled: Served, calls: dict[str, Call]
) -> None:
    address, folder, process = bundled
    clients = [client_of(address) for _ in range(CLIENTS)]
    told = clients[0].view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert set(told) == set(calls)
    for call in calls.values():
        call(clients[0], 0)  # what is loaded when it is first asked is loaded
    tally, end = Tally(), time.monotonic() + SECONDS
    threads = [
        threading.Thread(target=visit, args=(client, number, calls, tally, end))
        for number, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    held = []
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.5)
        held.append(resident(process))
    for client in clients:
        client.close()
    third = len(held) // 3
    early, late = statistics.median(held[third : 2 * third]), statistics.median(held[2 * third :])
    said = (
        f"{tally.answered.total()} answered, {tally.polite.total()} told to wait, "
        f"{len(tally.other)} otherwise; median wait {statistics.median(tally.waits):.2f} s; "
        f"{early:.0f} MB, then {late:.0f} MB; {dict(tally.answered)}; {dict(tally.polite)}"
    )
    print(said)  # noqa: T201 - seen with -s
    assert tally.other == [], said
    assert set(tally.answered) == set(calls), said
    assert late < early * 1.1, said
    assert list((folder / "tmp").glob("normscope-*/")) == []
