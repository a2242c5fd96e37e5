"""The other attention over packs (benchmarks/flex_packs.py) gives what the engine's gives."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from families import small
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.nn.attention.flex_attention import create_block_mask

from normscope.judges.engines.local import passes
from normscope.judges.engines.local.passes import tree_pieces
from normscope.judges.engines.local.prefix_tree import Ids, Reach, plan_packs
from normscope.judges.engines.local.tree_attention import Rule

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TREES = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=12).map(tuple), min_size=1, max_size=12
)
REACHES = st.sampled_from([None, Reach("window", 3), Reach("chunk", 4)])


@pytest.fixture
def flex_packs(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("flex_packs")


def ancestors(tree: list[Ids], pack_tokens: int, reach: Reach | None) -> list[np.ndarray[Any, Any]]:
    """Per pack, nodes × (path, nodes): which places a node sees, walked up node by node."""
    packs = []
    for pack in plan_packs(tree, pack_tokens=pack_tokens):
        past, path = len(pack.carry), list(range(len(pack.carry)))
        seen = np.zeros((len(pack.depth), past + len(pack.depth)), np.bool_)
        for node, deep in enumerate(pack.depth.tolist()):
            path[deep:] = [past + node]
            first = 0 if reach is None else int(reach.first(np.array([deep]))[0])
            seen[node, path[first:]] = True
        packs.append(seen)
    return packs


@settings(suppress_health_check=list(HealthCheck))
@given(tree=TREES, pack_tokens=st.sampled_from((3, 10, 200)), reach=REACHES)
def test_a_node_is_seen_from_itself_to_the_end_of_its_subtree(
    flex_packs: Any, tree: list[Ids], pack_tokens: int, reach: Reach | None
) -> None:
    expected = ancestors(tree, pack_tokens, reach)
    for pack, seen in zip(plan_packs(tree, pack_tokens=pack_tokens), expected, strict=True):
        past, size = len(pack.carry), len(pack.depth)
        planned = flex_packs.Seen.of(pack, reach)
        dense = planned.dense
        places = np.r_[:past, planned.path : planned.path + size]
        np.testing.assert_array_equal(dense[:size, places], seen)
        # what fills up is seen by nobody else, and sees something
        assert dense[:size].sum() == seen.sum()
        assert dense.any(axis=1).all()


def test_the_tiles_are_those_that_torch_finds(flex_packs: Any) -> None:
    stem = tuple(range(300))
    tree = [(*stem, word, *range(60)) for word in range(12)]
    cpu = torch.device("cpu")
    for pack in plan_packs(tree, pack_tokens=400):
        ours: Any = flex_packs.Seen.of(pack, None).mask(cpu)
        rows, columns = ours.seq_lengths
        theirs: Any = create_block_mask(ours.mask_mod, None, None, rows, columns, device="cpu")
        for mine, torchs in (
            ((ours.kv_num_blocks, ours.kv_indices), (theirs.kv_num_blocks, theirs.kv_indices)),
            (
                (ours.full_kv_num_blocks, ours.full_kv_indices),
                (theirs.full_kv_num_blocks, theirs.full_kv_indices),
            ),
        ):
            torch.testing.assert_close(mine[0], torchs[0])
            for count, a, b in zip(mine[0][0, 0], mine[1][0, 0], torchs[1][0, 0], strict=True):
                assert a[:count].tolist() == b[:count].tolist()


# compiled it takes a minute and a compiler; what it computes is the same
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("window", [None, 20])
def test_a_model_reads_the_same_with_either_attention(
    window: int | None, flex_packs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = small("mistral" if window else "llama", 50, window=window or 0)
    tree = [(*range(45), *(word,) * 9, *range(30)) for word in range(8)]

    def read() -> dict[int, torch.Tensor]:
        pieces = tree_pieces(model, tree, pack_tokens=150)
        return {i: row for at, rows in pieces for i, row in zip(at, rows, strict=True)}

    gathered = read()
    monkeypatch.setattr(passes, "PackPass", flex_packs.FlexPass)
    for sequence, row in read().items():
        torch.testing.assert_close(row, gathered[sequence], atol=1e-4, rtol=1e-4)


def test_caps_and_sinks_are_refused(flex_packs: Any) -> None:
    (pack,) = plan_packs([(1, 2)], pack_tokens=8)
    step = flex_packs.FlexPass(pack, None, device=torch.device("cpu"), dtype=torch.float32)
    heads = torch.zeros(1, 2, 4)
    with pytest.raises(ValueError, match="caps and sinks are not compared"):
        step.attend(0, heads, heads, heads, Rule(cap=5.0))
