"""Twenty clients at once for a minute: everybody is answered or told to wait, memory stays flat."""

import statistics
import threading
import time
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
pytest.importorskip("gradio_client", reason="needs gradio_client: pip install 'normscope[space]'")

CLIENTS, SECONDS = 20, 60
POLITE = ("requests are running already", "busy with other visitors", "Queue is full")

Served = tuple[str, Path, int]


def resident(process: int) -> float:
    """The megabytes that the process holds."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.timeout(240)
def test_twenty_clients_are_answered_or_told_to_wait_and_memory_stays_flat(served: Served) -> None:
    address, _, process = served
    make = import_module("gradio_client").Client
    clients = [make(address, verbose=False) for _ in range(CLIENTS)]
    answered, polite, other, waits = [0], [0], [], []
    end = time.monotonic() + SECONDS

    def visit(client: object, number: int) -> None:
        at = 0
        while time.monotonic() < end:
            at += 1
            begun = time.monotonic()
            try:
                found = client.predict(  # type: ignore[attr-defined]
                    f"Question {number}?", f"Answer {at}. " * 50, api_name="/score_answer"
                )
                assert found["score"] == pytest.approx(3.6)
                answered[0] += 1
                waits.append(time.monotonic() - begun)
            except Exception as error:  # noqa: BLE001 - counted by what it says
                if any(said in str(error) for said in POLITE):
                    polite[0] += 1
                    time.sleep(0.5)
                else:
                    other.append(str(error))

    threads = [
        threading.Thread(target=visit, args=(client, number))
        for number, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    held = []
    while any(thread.is_alive() for thread in threads):
        time.sleep(1)
        held.append(resident(process))
    for client in clients:
        client.close()
    third = len(held) // 3
    early, late = statistics.median(held[third : 2 * third]), statistics.median(held[2 * third :])
    told = (
        f"{answered[0]} answered, {polite[0]} told to wait, {len(other)} otherwise; "
        f"median wait {statistics.median(waits):.2f} s; {early:.0f} MB, then {late:.0f} MB"
    )
    assert other == [], told
    assert answered[0] > CLIENTS, told
    assert late < early * 1.1, told
