"""The prefix tree holds each shared token once and loses none, however it is cut."""

from typing import Any

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from normscope.judges.engines.local.prefix_tree import (
    BLOCK,
    Ids,
    Pack,
    build_tree,
    plan_packs,
)

SEQUENCES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=9).map(tuple), max_size=25)
# stems longer than a block, so that paths run over blocks and packs
LONG = st.lists(
    st.tuples(st.integers(0, 90), st.lists(st.integers(5, 6), max_size=40)).map(
        lambda drawn: (1, *(2,) * drawn[0], *drawn[1])
    ),
    max_size=12,
)
PACK_TOKENS = st.integers(1, 120)


def seen_from(packs: list[Pack]) -> dict[int, list[int]]:
    """Each sequence as read off the places that its last node sees."""
    found: dict[int, list[int]] = {}
    path: list[int] = []
    how: dict[str, Any] = {"dtype": torch.float32, "device": torch.device("cpu"), "shared_by": 1}
    for pack in packs:
        places = [path[place] for place in pack.carry] + pack.tokens.tolist()
        (group,) = pack.layout(None, split=False, groups=1, **how).groups
        keys = group.keys.numpy().reshape(group.end, -1)
        for end, index in zip(pack.ends.tolist(), pack.order.tolist(), strict=True):
            block, row = divmod(end, BLOCK)
            # from the least deep on
            near = keys[block][group.bias[block, 0, row].numpy() == 0].tolist()
            assert len(set(near)) == len(near)
            found[index] = [places[place] for place in near]
        path = places
    return found


@given(SEQUENCES | LONG, PACK_TOKENS)
def test_the_last_token_of_a_sequence_sees_just_its_sequence(
    sequences: list[Ids], pack_tokens: int
) -> None:
    found = seen_from(list(plan_packs(sequences, pack_tokens=pack_tokens)))
    assert found == {index: list(sequence) for index, sequence in enumerate(sequences)}


@given(SEQUENCES | LONG, PACK_TOKENS)
def test_no_token_is_computed_twice_and_no_pack_is_too_long(
    sequences: list[Ids], pack_tokens: int
) -> None:
    prefixes = {sequence[:cut] for sequence in sequences for cut in range(1, len(sequence) + 1)}
    sizes = [len(pack.tokens) for pack in plan_packs(sequences, pack_tokens=pack_tokens)]
    assert sum(sizes) == len(prefixes)
    assert max(sizes, default=0) <= pack_tokens


@given(SEQUENCES)
def test_a_node_stands_as_deep_as_its_path_is_long(sequences: list[Ids]) -> None:
    tree = build_tree(sequences)
    for sequence, end in zip(sequences, tree.ends, strict=True):
        assert tree.depth[end] == len(sequence) - 1
        assert tree.tokens[end] == sequence[-1]
        # depth-first: the last node before it at each lesser depth is its ancestor
        above = {int(d): int(t) for d, t in zip(tree.depth[:end], tree.tokens[:end], strict=True)}
        assert [above[depth] for depth in range(len(sequence) - 1)] == list(sequence[:-1])


def test_token_ids_sort_as_numbers_whatever_their_size() -> None:
    # 255 < 256 < 65,536, though the last byte of 256 and of 65,536 is 0
    tree = build_tree([(65_536,), (256,), (255,)])
    assert tree.tokens.tolist() == [255, 256, 65_536]
    assert tree.ends.tolist() == [2, 1, 0]


def test_nothing_is_planned_for_nothing() -> None:
    assert list(plan_packs([], pack_tokens=8)) == []
    assert np.array_equal(build_tree([]).tokens, [])
