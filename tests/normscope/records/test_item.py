"""Items as a table and back."""

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.records.item import Item, Option, Turn
from normscope.records.item import from_table as items_of
from normscope.records.item import to_table as of_items
from normscope.records.items import Items

TEXT = st.text(max_size=4)


ITEMS = st.lists(
    st.builds(
        Item,
        benchmark=TEXT,
        item_id=TEXT,
        messages=st.lists(st.builds(Turn, TEXT, TEXT), max_size=3).map(tuple),
        language=TEXT,
        cluster=TEXT,
        options=st.lists(st.builds(Option, TEXT, TEXT), max_size=2).map(tuple),
        answer=st.none() | TEXT,
        response=st.none() | TEXT,
        facets=st.dictionaries(TEXT, TEXT, max_size=3),
    ),
    max_size=6,
)


@settings(deadline=None, max_examples=20)
@given(ITEMS, st.integers(0, 3))
def test_items_come_back_from_any_piece_of_their_table(items: list[Item], first: int) -> None:
    table = pa.concat_tables([of_items(items), of_items(items)])
    assert items_of(table) == items * 2
    assert items_of(of_items(items).slice(first, 2)) == items[first : first + 2]
    bare = items_of(of_items(items).drop_columns(["messages", "facets", "answer"]))
    assert [(item.messages, item.facets, item.answer) for item in bare] == [((), {}, None)] * len(
        items
    )


@settings(deadline=None, max_examples=20)
@given(ITEMS, st.integers(0, 2))
def test_columns_say_what_the_items_say(made: list[Item], first: int) -> None:
    kept, items = made[first:], Items(of_items(made).slice(first))
    assert items.column("answer").tolist() == [item.answer for item in kept]
    assert items.clusters.tolist() == [item.cluster_or_id for item in kept]
    assert items.has_conversation.tolist() == [bool(item.conversation) for item in kept]
    for name in {"", *(name for item in kept for name in item.facets)}:
        assert items.facet(name).tolist() == [item.facets.get(name) for item in kept]
    assert items.take(range(len(kept))[::-1]) == list(items)[::-1] == kept[::-1]
