"""Which server gets the next unit: laws that hold whatever is going on."""

from hypothesis import given
from hypothesis import strategies as st

from normscope.judges.engines.fleet.routing import beginning, route

LOADS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4), min_size=1)
TEXTS = st.text("ab\n", max_size=12)


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_a_beginning_is_the_longest_of_whole_lines_that_all_have(texts: list[str]) -> None:
    result = beginning([(("user", text),) for text in texts])
    assert all(text.startswith(result) for text in texts)
    assert result == "" or result.endswith("\n")
    longer = [text for text in texts if "\n" in text[len(result) :]]
    nexts = {text[len(result) :].partition("\n")[0] for text in longer}
    assert len(longer) < len(texts) or len(nexts) > 1


@given(TEXTS, LOADS)
def test_nobody_gets_work_that_has_more_than_another(begin: str, loads: dict[str, int]) -> None:
    assert loads[route(begin, loads)] == min(loads.values())


@given(TEXTS, st.sets(st.sampled_from("abcdefgh"), min_size=2), st.data())
def test_a_server_that_goes_leaves_the_work_of_the_others_where_it_was(
    begin: str, servers: set[str], data: st.DataObject
) -> None:
    loads = dict.fromkeys(servers, 1)
    chosen = route(begin, loads)
    gone = data.draw(st.sampled_from(sorted(servers - {chosen})))
    del loads[gone]
    assert route(begin, loads) == chosen


@given(st.integers(1, 4), st.lists(st.tuples(TEXTS, st.randoms()), min_size=1, max_size=60))
def test_work_that_comes_and_goes_keeps_all_servers_busy(number: int, work: list) -> None:  # type: ignore[type-arg]
    """Two units per server in progress: none is ever without one."""
    loads = dict.fromkeys("abcd"[:number], 0)
    for begin, chance in work:
        if sum(loads.values()) == 2 * number:
            loads[chance.choice([name for name, load in loads.items() if load])] -= 1
        loads[route(begin, loads)] += 1
        assert max(loads.values()) - min(loads.values()) <= 1
    # beginnings of one kind are spread over all, too
    assert sum(loads.values()) == min(len(work), 2 * number)
