"""Every type of model that transformers loads as a causal language model is read as it says itself.

docs/families.md tells which way each of them is read and why. A type that this transformers brings
and the page does not have is a failure that says what to do; one that it no longer has is none.
"""

import runpy
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from families import NOT_BUILT, PACK, VOCABULARY, WINDOW, model_types, small, walk

from normscope.judges.engines.local import replies
from normscope.judges.engines.local.prefix_tree import Ids
from normscope.judges.engines.local.reads import Prompt
from normscope.judges.engines.local.transformers import Way, choose

PAGE = Path(__file__).parents[2] / "docs" / "families.md"
_SCRIPT = runpy.run_path(str(PAGE.with_name("families_page.py")))
ROWS: dict[str, tuple[str, str]] = _SCRIPT["rows"]()

# windows, states of several kinds, and what has neither places nor reads; caps, sinks and chunks
# are in test_conformance and test_tree_attention
FEW = (
    *("cohere2", "exaone4", "gemma3_text", "gemma4_text", "granitemoehybrid", "ministral"),
    *("moshi", "olmo3", "qwen2_moe", "qwen3_next", "trocr"),
)
EVERY = [
    pytest.param(name, marks=() if name in FEW else pytest.mark.slow)
    for name in model_types()
    if name not in NOT_BUILT
]
NEAR = 1e-4


def test_the_page_has_every_type_of_model() -> None:
    new = sorted(set(model_types()) - ROWS.keys())
    assert not new, (
        f"this transformers brings {', '.join(new)}: run `python docs/families_page.py`; what it "
        "cannot build needs its sizes in OWN_SIZES of tests/shared/families.py, or a reason in "
        "NOT_BUILT"
    )
    not_tried = {name: why for name, (way, why) in ROWS.items() if way == _SCRIPT["NOT_TRIED"]}
    assert not_tried == {name: why for name, why in NOT_BUILT.items() if name in ROWS}


def test_the_page_is_written_as_the_script_writes_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    written = text[text.index(_SCRIPT["BEGIN"]) :].splitlines()
    # the version of transformers is that of the last walk
    assert [line for line in written if line.startswith("|")] == [
        line for line in _SCRIPT["table"](ROWS).splitlines() if line.startswith("|")
    ]


@pytest.mark.parametrize("model_type", EVERY)
def test_a_type_of_model_is_read_as_plain_passes_read_it(model_type: str) -> None:
    walked = walk(model_type)
    assert walked.spread > 1  # else a wrong mask could hardly show
    assert walked.difference < NEAR
    assert (str(walked.way), walked.why) == ROWS[model_type], (
        "docs/families.md says another way: `python docs/families_page.py` writes it anew"
    )


LONG = sorted(set(model_types()) - NOT_BUILT.keys())


@pytest.mark.slow
@pytest.mark.parametrize("model_type", LONG)
def test_windows_that_are_wider_than_what_is_tried_are_kept(model_type: str) -> None:
    # `choose` tries paths of 140 tokens: what shows later only must be known from the config
    walked = walk(model_type, window=200)
    assert walked.difference < NEAR
    assert (walked.way is Way.TREE) == (ROWS[model_type][0] == Way.TREE)


# replies by `generate` that docs/families.md names: other than plain passes say, or only in rows
# that are filled up
OTHER_REPLIES = {
    *("blt", "camembert", "cpmant", "data2vec-text", "prophetnet", "roberta", "xlm", "xlm-roberta"),
    *("roberta-prelayernorm", "xlm-roberta-xl", "xlnet", "xlstm", "xmod"),
    *("deepseek_v4", "git", "minimax_m3_vl_text", "recurrent_gemma", "reformer"),
}


@pytest.mark.parametrize(
    "model_type", [each for each in EVERY if each.values[0] not in OTHER_REPLIES]
)
def test_replies_among_others_are_what_each_would_be_alone(model_type: str) -> None:
    model = small(model_type, VOCABULARY)
    model.generation_config = transformers.GenerationConfig()
    way = choose(model, pack_tokens=PACK).way
    stem = tuple(range(11, 11 + 2 * WINDOW))
    texts: list[Ids] = [stem, (*stem, 50, 51), (*stem[:9], 60), (*stem, *stem)]
    prompts = [Prompt(ids, WINDOW, 0.0, 0) for ids in texts]
    write = replies.write if way is Way.TREE else replies.generate
    said = write(model, prompts, ends=frozenset(), pack_tokens=PACK)
    assert said == [alone(model, ids) for ids in texts]


@torch.inference_mode()
def alone(model: Any, ids: Ids) -> Ids:
    said = list(ids)
    for _ in range(WINDOW):
        logits = model(input_ids=torch.tensor([said]), use_cache=False).logits[0, -1]
        said.append(int(logits.argmax()))
    return tuple(said[len(ids) :])
