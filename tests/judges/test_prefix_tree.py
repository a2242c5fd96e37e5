"""The prefix tree holds each shared token once and loses none."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from normscope.judges.prefix_tree import plan, shared_prefix

SEQUENCES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=9).map(tuple), max_size=25)


@given(SEQUENCES, st.integers(1, 40))
def test_every_path_through_the_packs_is_its_sequence(
    sequences: list[tuple[int, ...]], pack_tokens: int
) -> None:
    seen: list[int] = []
    for pack in plan(sequences, pack_tokens=pack_tokens):
        visible = pack.ancestors()
        alone = len(pack.order) == 1
        assert len(pack.tokens) <= pack_tokens or alone or len(set(pack.ends.tolist())) == 1
        for end, index in zip(pack.ends, pack.order, strict=True):
            path = np.flatnonzero(visible[end])
            assert tuple(pack.tokens[path].tolist()) == sequences[index]
            assert pack.depth[path].tolist() == list(range(len(path)))
        seen += pack.order.tolist()
    assert sorted(seen) == list(range(len(sequences)))


@given(SEQUENCES)
def test_in_one_pack_no_token_is_computed_twice(sequences: list[tuple[int, ...]]) -> None:
    prefixes = {sequence[:cut] for sequence in sequences for cut in range(1, len(sequence) + 1)}
    packs = list(plan(sequences, pack_tokens=10_000))
    assert sum(len(pack.tokens) for pack in packs) == len(prefixes)


@given(st.lists(st.integers(0, 1)).map(tuple), st.lists(st.integers(0, 1)).map(tuple))
def test_the_shared_prefix_is_the_longest_one(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    length = shared_prefix(one, other)
    assert one[:length] == other[:length]
    assert one[: length + 1] != other[: length + 1] or length == min(len(one), len(other))
