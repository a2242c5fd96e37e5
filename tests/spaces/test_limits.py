from types import SimpleNamespace

import pytest

from normscope.spaces.normscope import limits
from normscope.spaces.normscope.limits import PER_USER, Quota, Turns, user_of
from normscope.spaces.normscope.texts import VisitorError


def test_nobody_holds_more_than_their_share_and_others_are_served() -> None:
    turns = Turns()
    with turns.turn("file", "a"):
        with pytest.raises(VisitorError, match="1 of your requests"), turns.turn("file", "a"):
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


def test_a_request_is_of_the_address_that_the_gate_found() -> None:
    headers = {"x-forwarded-for": "9.9.9.9"}
    request = SimpleNamespace(headers=headers, client=SimpleNamespace(host="1.2.3.4"))
    assert user_of(request) == "1.2.3.4"
    assert user_of(None) == "unknown"


def test_a_quota_counts_times_and_bytes_for_each_user_until_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr("normscope.spaces.normscope.limits.time.monotonic", lambda: now[0])
    quota = Quota(3, 100, 60.0)
    assert [quota.take("a", 10) for _ in range(4)] == [0, 0, 0, 60]
    assert quota.take("b", 99) == 0
    now[0] = 20.5
    # what was refused is not counted
    assert (quota.take("b", 2), quota.take("b", 1)) == (40, 0)
    now[0] = 60.0
    assert (quota.take("a", 100), quota.take("a", 1)) == (0, 60)


def test_no_more_users_are_remembered_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "_USERS", 2)
    quota = Quota(1, 100, 60.0)
    assert [quota.take(user, 1) for user in "abab"] == [0, 0, 60, 60]
    # the one who was away for longest is forgotten
    assert [quota.take(user, 1) for user in "cba"] == [0, 60, 0]
