"""Labels resolved against real tokenizers of three kinds, each with its own way with a space."""

from functools import cache
from itertools import permutations
from typing import Any

import pytest
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

from normscope.builders.taxonomy import LIKERT
from normscope.judges.respondent import scale_of
from normscope.judges.scale import LabelTokens, Scale, resolve

TEXTS = [
    "Rate the answer from 1 to 5: 1 2 3 4 5. 10 is not on the scale, nor is 0.",
    "strongly unacceptable, somewhat unacceptable, neutral, somewhat acceptable",
    "Strongly acceptable. Somewhat unacceptable! Neutral? Answer: A B C D",
    "评分：１２３４５ 一二三四五 〇零十 Ａ Ｂ Ｃ Ｄ 完全不可接受 有些可接受 中立",
]
DIGITS = tuple("12345")
RATING = Scale(labels=DIGITS, values=(1.0, 2.0, 3.0, 4.0, 5.0))
CHINESE = Scale(labels=DIGITS, values=(1.0, 2.0, 3.0, 4.0, 5.0), numerals=True)
UNKNOWN = "<unk>"


@cache
def made(kind: str) -> Any:
    """A byte-level BPE as Qwen's, a Unigram over metaspaces as Llama's, WordPiece as BERT's."""
    if kind == "byte-level BPE":
        tokenizer = tokenizers.Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
        )
        tokenizer.decoder = decoders.ByteLevel()
        trainer: Any = trainers.BpeTrainer(
            vocab_size=600,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    elif kind == "sentencepiece":
        tokenizer = tokenizers.Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=400, unk_token=UNKNOWN, special_tokens=[UNKNOWN], show_progress=False
        )
    else:
        tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token=UNKNOWN))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(
            vocab_size=600, special_tokens=[UNKNOWN, "[CLS]", "[SEP]"], show_progress=False
        )
    tokenizer.train_from_iterator(TEXTS * 4, trainer)
    if kind == "WordPiece":
        ids = tokenizer.get_vocab()
        ends = [(name, ids[name]) for name in ("[SEP]", "[CLS]")]
        tokenizer.post_processor = processors.BertProcessing(*ends)
    return tokenizer


KINDS = ("byte-level BPE", "sentencepiece", "WordPiece")


def resolved(scale: Scale, kind: str) -> LabelTokens:
    tokenizer = made(kind)
    return resolve(
        scale,
        lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
        end=1,
        unknown=tokenizer.token_to_id(UNKNOWN),
    )


def spelt(scale: Scale, kind: str) -> dict[str, set[str]]:
    """What each label's sequences are as text, a leading space shown as it is."""
    tokenizer = made(kind)
    return {
        label: {text_of(tokenizer, ids) for ids in forms}
        for label, forms in zip(scale.labels, resolved(scale, kind), strict=True)
    }


def text_of(tokenizer: Any, ids: tuple[int, ...]) -> str:
    """The sequence as it reads behind a text, so that no decoder swallows its first space."""
    before = tokenizer.encode("a", add_special_tokens=False).ids
    whole: str = tokenizer.decode([*before, *ids])
    return whole.removeprefix("a")


@pytest.mark.parametrize("kind", KINDS)
def test_a_digit_is_read_bare_behind_a_space_and_in_full_width(kind: str) -> None:
    for label, texts in spelt(RATING, kind).items():
        wide = chr(ord(label) + 0xFEE0)
        assert {text.strip() for text in texts} == {label, wide}
        assert all(text.removeprefix(" ") in {label, wide} for text in texts)
        # the space in front of a digit makes another sequence
        assert kind == "WordPiece" or {label, f" {label}"} <= texts


@pytest.mark.parametrize("kind", KINDS)
def test_chinese_numerals_count_where_the_scale_asks_for_them(kind: str) -> None:
    with_numerals, without = (spelt(scale, kind) for scale in (CHINESE, RATING))
    for label, numeral in zip(DIGITS, "一二三四五", strict=True):
        extra = {text.strip() for text in with_numerals[label] - without[label]}
        assert extra == {numeral}


@pytest.mark.parametrize("kind", KINDS)
def test_no_label_of_the_likert_scale_is_another_or_its_beginning(kind: str) -> None:
    for language in ("en", "zh"):
        sequences = resolved(scale_of("acceptability", language=language), kind)
        assert len(sequences) == len(LIKERT)
        for ours, theirs in permutations(sequences, 2):
            for one in ours:
                assert not any(other[: len(one)] == one for other in theirs)
