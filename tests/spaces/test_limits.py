from types import SimpleNamespace

import pytest

from normscope.spaces.normscope.limits import PER_USER, Turns, user_of
from normscope.spaces.normscope.words import Told


def test_nobody_holds_more_than_their_share_and_others_are_served() -> None:
    turns = Turns()
    with turns.turn("file", "a"):
        with pytest.raises(Told, match="1 of your requests"), turns.turn("file", "a"):
            pass
        with turns.turn("file", "b"), turns.turn("answer", "a"):
            pass
    with turns.turn("file", "a"):
        assert PER_USER["file"] == 1


def test_a_turn_ends_with_an_error_too() -> None:
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.turn("file", "a"):
        _ = 1 / 0
    with turns.turn("file", "a"):
        pass


def test_a_forged_address_counts_only_behind_the_hubs_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request = SimpleNamespace(
        headers={"x-forwarded-for": "9.9.9.9, 10.0.0.1"}, client=SimpleNamespace(host="1.2.3.4")
    )
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert user_of(request) == "1.2.3.4"
    monkeypatch.setenv("SPACE_ID", "someone/normscope")
    assert user_of(request) == "9.9.9.9"
    assert user_of(None) == "unknown"
