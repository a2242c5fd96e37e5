"""Prompts as token ids: those of the tokenizer, whatever its file says of padding and cutting."""

from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers")

from tiny_model import make_tiny_model  # noqa: E402

from normscope.judges.engines.local.reads import Reader  # noqa: E402

TEXTS = ["A question about rain?\nYes.", "你好，世界", "short", "  two  spaces \t and a tab\n\n"]


@pytest.fixture
def tokenizer(tmp_path: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(make_tiny_model(tmp_path, TEXTS * 3))


def test_ids_are_those_of_the_tokenizer(tokenizer: Any) -> None:
    plain = [tuple(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in TEXTS]
    assert Reader(tokenizer, None).encode(TEXTS) == plain
    # without a template nothing else writes what begins a text
    tokenizer.chat_template = None
    with_special = [tuple(tokenizer(text)["input_ids"]) for text in TEXTS]
    assert Reader(tokenizer, None).encode(TEXTS) == with_special


def test_nothing_is_padded_or_cut_though_the_saved_tokenizer_does_so(tokenizer: Any) -> None:
    expected = Reader(tokenizer, None).encode(TEXTS)
    tokenizer.backend_tokenizer.enable_padding(length=40)
    tokenizer.backend_tokenizer.enable_truncation(3)
    assert Reader(tokenizer, None).encode(TEXTS) == expected


def test_an_empty_text_has_a_token_and_no_texts_are_no_prompts(tokenizer: Any) -> None:
    assert Reader(tokenizer, None).encode(["", "a"])[0] == (tokenizer.eos_token_id,)
    assert Reader(tokenizer, None).encode([]) == []
