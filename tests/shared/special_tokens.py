"""Tokenizers that know nothing but their special tokens: what is left of a text is single bytes."""

from collections.abc import Callable, Iterable
from typing import Any

import tokenizers
from tokenizers import AddedToken, models, normalizers, pre_tokenizers


def tokenizer_with(special: Iterable[str], *, eager: bool = False) -> tokenizers.Tokenizer:
    """A byte-level tokenizer with these tokens.

    An eager one normalises before it looks for them, by all that tokenizers' normalisers take out:
    compatible forms, accents, case, control, format and private-use characters.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = tokenizers.Tokenizer(models.BPE({char: at for at, char in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if eager:
        made.normalizer = normalizers.Sequence(
            [
                normalizers.NFKD(),
                normalizers.BertNormalizer(handle_chinese_chars=False),
                normalizers.StripAccents(),
            ]
        )
    made.add_tokens([AddedToken(text, special=not eager, normalized=eager) for text in special])
    return made


def special_in(made: tokenizers.Tokenizer, text: str) -> list[str]:
    """The special tokens that the text makes."""
    encoding = made.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False)
    return [token for token in encoding.tokens if len(token) > 1]


def vllm(special: Iterable[str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """`/tokenize` as vLLM answers it."""
    made = tokenizer_with(special)

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        encoding = made.encode(body["prompt"], add_special_tokens=body["add_special_tokens"])
        told = {"count": len(encoding.ids), "max_model_len": 4096, "tokens": encoding.ids}
        return told | {"token_strs": encoding.tokens if body["return_token_strs"] else None}

    return answer


def llama_cpp(special: Iterable[str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """`/tokenize` as llama.cpp's server answers it: a piece that is no text is a list of bytes."""
    both = {True: tokenizer_with(special), False: tokenizer_with(())}

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        encoding = both[body["parse_special"]].encode(body["content"])
        pieces = [token if token.isascii() else [200] for token in encoding.tokens]
        told = zip(encoding.ids, pieces, strict=True)
        return {"tokens": [{"id": token, "piece": piece} for token, piece in told]}

    return answer
