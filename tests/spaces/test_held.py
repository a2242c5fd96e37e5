import threading
import time

import pytest

from normscope.spaces.normscope.held import Held


def test_the_one_not_used_for_longest_goes_first() -> None:
    held: Held[int] = Held(2)
    made = []

    def make(key: str) -> int:
        made.append(key)
        return len(made)

    for key in "abaca":
        held.get(key, lambda key=key: make(key))  # type: ignore[misc]
    assert made == ["a", "b", "c"]
    assert len(held) == 2
    assert held.get("b", lambda: make("b")) == 4


def test_who_comes_while_a_value_is_made_waits_for_it() -> None:
    held: Held[int] = Held(2)
    begun, go = threading.Event(), threading.Event()

    def slowly() -> int:
        begun.set()
        go.wait(5)
        return 1

    values: list[int] = []
    threads = [
        threading.Thread(target=lambda: values.append(held.get("a", slowly))) for _ in range(3)
    ]
    threads[0].start()
    begun.wait(5)
    for thread in threads[1:]:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(5)
    assert values == [1, 1, 1]


def test_an_error_is_raised_and_not_held() -> None:
    held: Held[float] = Held(2)
    with pytest.raises(ZeroDivisionError):
        held.get("a", lambda: 1 / 0)
    assert len(held) == 0
    assert held.get("a", lambda: 2.0) == 2.0


def test_a_value_is_forgotten_in_time_though_nobody_asks_again() -> None:
    held: Held[str] = Held(3, seconds=0.05)
    held.get("a", lambda: "a")
    held.get("b", lambda: "b")
    until = time.monotonic() + 5
    while len(held) and time.monotonic() < until:
        time.sleep(0.01)
    assert len(held) == 0
    assert held.get("a", lambda: "again") == "again"
