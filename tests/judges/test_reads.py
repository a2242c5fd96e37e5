"""Prompts as token ids: the quick encoder is used where it says what the tokenizer says."""

from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers")

from tiny_model import make_tiny_model  # noqa: E402

from normscope.judges.engines.local.reads import Reader  # noqa: E402

TEXTS = ["A question about rain?\nYes.", "你好，世界", "short", "  two  spaces \t and a tab\n\n"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = make_tiny_model(tmp_path_factory.mktemp("tiny"), TEXTS * 3)
    return transformers.AutoTokenizer.from_pretrained(folder)


class Slow:
    """A tokenizer without the quick encoder, as those written in Python are."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.chat_template = tokenizer.chat_template
        self.bos_token_id, self.eos_token_id = tokenizer.bos_token_id, tokenizer.eos_token_id

    def __call__(self, texts: list[str], **told: Any) -> Any:
        return self._tokenizer(texts, **told)


class Shouting(Slow):
    """A tokenizer that changes texts before its encoder sees them."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__(tokenizer)
        self.backend_tokenizer = tokenizer.backend_tokenizer

    def __call__(self, texts: list[str], **told: Any) -> Any:
        return self._tokenizer([text.upper() for text in texts], **told)


def test_ids_are_those_of_the_tokenizer(tokenizer: Any) -> None:
    special = not tokenizer.chat_template
    expected = [tuple(tokenizer(text, add_special_tokens=special)["input_ids"]) for text in TEXTS]
    assert Reader(tokenizer, None).encode(TEXTS) == expected
    assert Reader(Slow(tokenizer), None).encode(TEXTS) == expected


def test_nothing_is_padded_or_cut_though_the_saved_tokenizer_does_so(tokenizer: Any) -> None:
    expected = Reader(tokenizer, None).encode(TEXTS)
    tokenizer.backend_tokenizer.enable_padding(length=40)
    tokenizer.backend_tokenizer.enable_truncation(3)
    assert Reader(tokenizer, None).encode(TEXTS) == expected


def test_a_tokenizer_that_does_more_than_its_encoder_is_asked_itself(tokenizer: Any) -> None:
    loud = Shouting(tokenizer)
    assert Reader(loud, None).encode(["quiet"]) == Reader(tokenizer, None).encode(["QUIET"])


def test_no_texts_are_no_prompts(tokenizer: Any) -> None:
    assert Reader(tokenizer, None).encode([]) == []
