import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.builders.slice import balanced
from normscope.errors import UsageError
from normscope.records.item import Item, Turn


def _item(
    item_id: str, *, category: str = "", language: str = "en", variant: str = "", **facets: str
) -> Item:
    return Item(
        benchmark="toy",
        item_id=item_id,
        variant_id=variant,
        messages=(Turn("user", "How is the weather?"),),
        language=language,
        category=category,
        facets=facets,
    )


def _factorial(*sizes: int) -> list[Item]:
    """One item per cell of a full factorial with factors f0, f1 … of these sizes."""
    cells = itertools.product(*(range(size) for size in sizes))
    return [
        _item(str(number), **{f"f{index}": str(level) for index, level in enumerate(cell)})
        for number, cell in enumerate(cells)
    ]


def _spread(items: list[Item], name: str, levels: int) -> int:
    """How far the most frequent level of a facet is from the least frequent."""
    counts = Counter(item.facets[name] for item in items)
    return max(counts.values()) - (min(counts.values()) if len(counts) == levels else 0)


factorials = st.lists(st.integers(2, 6), min_size=2, max_size=3).map(tuple)


@given(sizes=factorials, share=st.floats(0.01, 0.99))
def test_levels_of_a_factorial_are_taken_equally_often(
    sizes: tuple[int, ...], share: float
) -> None:
    items = _factorial(*sizes)
    limit = max(1, int(len(items) * share))
    chosen = balanced(items, limit)
    assert len(chosen) == len({item.item_id for item in chosen}) == limit
    for index, size in enumerate(sizes):
        assert _spread(chosen, f"f{index}", size) <= 2


@given(
    labels=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), max_size=30),
    limit=st.integers(1, 35),
)
def test_a_slice_has_the_exact_size_and_the_original_order(
    labels: list[tuple[str, str]], limit: int
) -> None:
    items = [
        _item(str(number), category=category, language=language)
        for number, (category, language) in enumerate(labels)
    ]
    chosen = balanced(items, limit)
    assert len(chosen) == min(limit, len(items))
    places = [int(item.item_id) for item in chosen]
    assert places == sorted(set(places))


def test_categories_come_first() -> None:
    # a rare category whose languages are rare too must not draw more than its share
    items = [_item(f"a{n}", category="a", language="en") for n in range(100)]
    items += [_item(f"b{letter}", category="b", language=letter) for letter in "uvwxyz"]
    counts = Counter(item.category for item in balanced(items, 8))
    assert counts == {"a": 4, "b": 4}


def test_two_factors_do_not_go_hand_in_hand() -> None:
    # 25 of the 5 x 5 x 5 cells can hold each pair of f0 and f1 once; by levels alone the pairs on
    # the diagonal would come again and again
    chosen = balanced(_factorial(5, 5, 5), 25)
    pairs = Counter((item.facets["f0"], item.facets["f1"]) for item in chosen)
    assert len(pairs) >= 20


def test_variants_stay_together_and_count_once() -> None:
    items = [_item(str(n), variant=v, f0=str(n % 2)) for v in "abc" for n in range(6)]
    chosen = balanced(items, 2)
    assert len(chosen) == 6
    by_item = Counter(item.item_id for item in chosen)
    assert sorted(by_item.values()) == [3, 3]
    assert [item.variant_id for item in chosen] == ["a", "a", "b", "b", "c", "c"]


def test_annotations_are_not_balanced() -> None:
    # one item in a hundred is in the published subset; balanced, it would be every second
    items = [_item(str(n), published_subset=str(n % 100 == 0)) for n in range(1000)]
    chosen = balanced(items, 50)
    assert sum(item.facets["published_subset"] == "True" for item in chosen) <= 2


def test_an_empty_slice_is_refused() -> None:
    with pytest.raises(UsageError, match="a slice of 0 items"):
        balanced([_item("a")], 0)
