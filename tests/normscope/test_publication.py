import dataclasses
from pathlib import Path

import pytest

from normscope.publication import (
    CARD,
    Last,
    Publication,
    State,
    hash_content,
    known_addresses,
    last_pushed,
    make_plan,
    remember,
)

ADDRESS = "https://hub/datasets/lab/rain"


def listed(card: str) -> frozenset[str]:
    """A card of these tests is a list of the paths that it claims."""
    return frozenset(card.split())


def merge(ours: str, _: str, staying: frozenset[str]) -> str:
    return " ".join([ours, *sorted(staying)])


@pytest.fixture
def publication(tmp_path: Path) -> Publication:
    for name, text in {CARD: "a b", "a": "one", "b": "two"}.items():
        (tmp_path / name).write_text(text)
    files = {name: tmp_path / name for name in (CARD, "a", "b")}
    return Publication("dataset", "rain", tmp_path, files, listed, merge)


def state(**files: str) -> State:
    """A repository with these contents, small files and large ones alike."""
    card = files.get("README", "")
    names = {name.replace("README", CARD): text for name, text in files.items()}
    oids = {name: hash_content(text.encode()) for name, text in names.items()}
    mixed = {n: h.sha256 if i % 2 else h.git for i, (n, h) in enumerate(sorted(oids.items()))}
    return State("c0ffee", mixed, card)


def last(**files: str) -> Last:
    return Last("beef", {name: hash_content(text.encode()) for name, text in files.items()})


def test_into_an_empty_repository_everything_is_added(publication: Publication) -> None:
    plan = make_plan(publication, State(), Last())
    assert plan.added == (CARD, "a", "b")
    assert not (plan.changed or plan.deleted or plan.unchanged or plan.staying)
    assert plan.card == "a b"


def test_what_is_there_already_is_not_sent(publication: Publication) -> None:
    plan = make_plan(publication, state(README="a b", a="one", b="old"), Last())
    assert (plan.unchanged, plan.changed) == ((CARD, "a"), ("b",))
    whole = make_plan(publication, state(README="a b", a="one", b="two"), Last())
    assert whole.empty


def test_what_was_pushed_from_here_and_is_gone_here_is_deleted(publication: Publication) -> None:
    there = state(README="a b c", a="one", b="two", c="ours", d="theirs")
    plan = make_plan(publication, there, last(a="one", c="ours"))
    assert plan.deleted == ("c",)
    assert plan.staying == ()


def test_what_somebody_changed_since_is_not_deleted(publication: Publication) -> None:
    there = state(README="a b c", c="mended by another")
    plan = make_plan(publication, there, last(c="ours"))
    assert plan.deleted == ()
    assert plan.staying == ("c",)
    assert plan.card == "a b c"


def test_files_that_the_card_lists_can_be_pruned_and_no_others(publication: Publication) -> None:
    there = state(README="a c elsewhere", a="one", c="theirs", notes="theirs")
    plan = make_plan(publication, there, Last(), prune=True)
    assert plan.deleted == ("c",)
    assert plan.card == "a b"


def test_a_merged_card_that_is_there_already_is_no_change(publication: Publication) -> None:
    there = state(README="a b c", a="one", b="two", c="theirs")
    assert make_plan(publication, there, Last()).empty


def test_hashes_are_those_of_git_and_sha256sum(tmp_path: Path) -> None:
    # printf rain | git hash-object --stdin; printf rain | sha256sum
    (tmp_path / "f").write_bytes(b"rain")
    hashes = hash_content(tmp_path / "f")
    assert hashes == hash_content(b"rain")
    assert hashes.size == 4
    assert hashes.git == "4c9ed4576cfeb96cadf35f2277aefc7802cc495a"
    assert hashes.sha256 == "319b44c570a417ff3444896cd4aa77f052b6781773fc2f9aa1f1180ac745005c"
    assert hashes.git in hashes
    assert hashes.sha256 in hashes
    assert None not in hashes


def test_what_was_pushed_is_remembered_per_address(tmp_path: Path) -> None:
    first, second = last(a="one"), last(a="two")
    remember(tmp_path, ADDRESS, last(a="zero"))
    remember(tmp_path, ADDRESS, first)
    remember(tmp_path, "https://hub/datasets/other/rain", second)
    assert last_pushed(tmp_path, ADDRESS) == first
    assert last_pushed(tmp_path, "https://hub/datasets/other/rain") == second
    assert last_pushed(tmp_path, "https://hub/datasets/none/rain") == Last()
    assert len(known_addresses(tmp_path)) == 2


def test_a_memory_that_cannot_be_read_or_written_is_none(tmp_path: Path) -> None:
    (tmp_path / ".published.json").write_text('{"torn')
    assert last_pushed(tmp_path, ADDRESS) == Last()
    remember(tmp_path / ".published.json", ADDRESS, Last())  # not a folder
    assert known_addresses(tmp_path) == ()


def test_what_is_known_offline_is_what_was_pushed() -> None:
    known = dataclasses.replace(last(a="one"), card="a")
    assert known.state() == State("beef", {"a": hash_content(b"one").sha256}, "a")
