"""The tokenizer: byte-level BPE of both languages, single digits, one token per mark."""

from collections.abc import Iterable
from typing import Any

from ....extras import require
from .prompt import marks

END = "<|end|>"


def train_tokenizer(texts: Iterable[str], *, size: int) -> Any:
    """A fast tokenizer of transformers' own class; the same texts give the same one."""
    tokenizers = require("tokenizers", extra="judge")
    transformers = require("transformers", extra="judge")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size - len(marks().all()),
        special_tokens=[END],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=24,
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    made.add_tokens([tokenizers.AddedToken(mark, normalized=False) for mark in marks().all()])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token=END, model_max_length=2048
    )
