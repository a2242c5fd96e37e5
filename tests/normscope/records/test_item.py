"""Items as a table and back."""

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.records.item import Item, Option, Turn
from normscope.records.item import from_table as items_of
from normscope.records.item import to_table as of_items

TEXT = st.text(max_size=4)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(
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
    ),
    st.integers(0, 3),
)
def test_items_come_back_from_any_piece_of_their_table(items: list[Item], first: int) -> None:
    table = pa.concat_tables([of_items(items), of_items(items)])
    assert items_of(table) == items * 2
    assert items_of(of_items(items).slice(first, 2)) == items[first : first + 2]
    bare = items_of(of_items(items).drop_columns(["messages", "facets", "answer"]))
    assert [(item.messages, item.facets, item.answer) for item in bare] == [((), {}, None)] * len(
        items
    )
