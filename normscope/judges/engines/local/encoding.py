"""Texts as token ids: what several texts begin with is encoded once.

Most tokenizers cut a text into words, from left to right by rules that look a character ahead and
never back, and encode each word by itself. Then a text may be encoded in two parts wherever a
word starts. Texts are parted here at beginnings of lines that the tokenizer itself calls the
beginning of a word; a tokenizer of any other kind encodes every text as a whole.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

# a shorter beginning is not worth a look; parts are parted again until so many times
_LEAST, _DEPTH = 100, 4

# how many characters texts must share after the place at which they are parted
_AHEAD = 4

_LINE = re.compile(r"\n(?=[^\W_])")
# an added token is taken out of the text before it is cut into words
_BEGINS_A_LINE = re.compile(r"(?:^|\n)\s*[^\W_]")
_LOOKS_BACK = re.compile(r"\(\?<[=!]|(?<!\[)\^|\\[ABGK]")
_WORDS = {"Split", "Digits", "Punctuation", "Whitespace", "WhitespaceSplit", "BertPreTokenizer"}
_NORMAL = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer"}
_PROBE = " A question:\n你好，世界 <s></s> <|im_start|>user\n\n\tx=1 […]\r\n"
_PROBE += "12 words. \nI'll\n" * 8


class TextEncoder:
    """The tokenizer's own ids, found faster where that is certain to give the same."""

    def __init__(self, tokenizer: Any) -> None:
        """Finds out what the tokenizer allows. It is told neither to pad nor to cut."""
        self._tokenizer = tokenizer
        # a chat template writes its special tokens itself
        self._special = not tokenizer.chat_template
        self._backend = self._plain_encoder()
        self._word_by_word = self._backend is not None and self._encodes_word_by_word()

    def __call__(self, texts: list[str]) -> list[list[int]]:
        """The ids of each text."""
        if not texts:
            return []
        if self._backend is None:
            return self._slow(texts)
        return self._in_pieces(texts, _DEPTH) if self._word_by_word else self._whole(texts)

    def _slow(self, texts: list[str]) -> list[list[int]]:
        settings = {"add_special_tokens": self._special, "verbose": False}
        ids: list[list[int]] = self._tokenizer(texts, **settings)["input_ids"]
        return ids

    def _whole(self, texts: list[str]) -> list[list[int]]:
        results = self._backend.encode_batch_fast(texts, add_special_tokens=self._special)
        return [encoding.ids for encoding in results]

    def _in_pieces(self, texts: list[str], depth: int) -> list[list[int]]:
        heads = dict(self._heads(texts)) if depth else {}
        if not heads:
            return self._whole(texts)
        rests = [text[heads[i][0] :] if i in heads else text for i, text in enumerate(texts)]
        results = self._in_pieces(rests, depth - 1)
        return [heads[i][1] + ids if i in heads else ids for i, ids in enumerate(results)]

    def _heads(self, texts: list[str]) -> Iterator[tuple[int, tuple[int, list[int]]]]:
        """For texts that begin alike: where each is parted, and the ids of what is before."""
        groups = list(_groups(texts))
        starts = [texts[members[0]][: cut + _AHEAD] for members, cut in groups]
        encoded = self._backend.encode_batch(starts, add_special_tokens=self._special)
        for (members, cut), encoding in zip(groups, encoded, strict=True):
            ids = _before(encoding, cut)
            if ids is not None:
                yield from ((index, (cut, ids)) for index in members)

    def _plain_encoder(self) -> Any:
        """The encoder beneath the tokenizer, if it gives the same by itself."""
        backend = getattr(self._tokenizer, "backend_tokenizer", None)
        if backend is None:
            return None
        # settings of a checkpoint's tokenizer file, which would cut or fill up the texts
        backend.no_truncation()
        backend.no_padding()
        # of two lengths: a tokenizer that pads or cuts gives something else
        texts = [_PROBE, _PROBE[: len(_PROBE) // 2]]
        results = backend.encode_batch_fast(texts, add_special_tokens=self._special)
        return backend if [encoding.ids for encoding in results] == self._slow(texts) else None

    def _encodes_word_by_word(self) -> bool:
        backend = self._backend
        if self._special and backend.num_special_tokens_to_add(is_pair=False):
            return False
        # merges left out at random give another result for every call
        if getattr(backend.model, "dropout", None):
            return False
        added = backend.get_added_tokens_decoder().values()
        if any(_BEGINS_A_LINE.search(token.content) for token in added):
            return False
        words, normal = (
            _kinds(component) for component in (backend.pre_tokenizer, backend.normalizer)
        )
        if not words or not all(map(_looks_ahead_only, words)):
            return False
        if not all(kind["type"] in _NORMAL for kind in normal):
            return False
        texts = [_PROBE + rest for rest in ("1", "Yes.\n\nNo", "", "12 wo")]
        return self._in_pieces(texts, _DEPTH) == self._slow(texts)


def _groups(texts: Sequence[str]) -> Iterator[tuple[list[int], int]]:
    """Which texts begin alike, and the last beginning of a line that they may be parted at."""
    members: list[int] = []
    shared = 0
    # sorted, texts that begin alike are neighbours
    for index in sorted(range(len(texts)), key=texts.__getitem__):
        length = _alike(texts[members[0]], texts[index], shared) if members else 0
        if length >= _LEAST:
            members.append(index)
            shared = length
            continue
        yield from _parted(texts, members, shared)
        members, shared = [index], len(texts[index])
    yield from _parted(texts, members, shared)


def _parted(
    texts: Sequence[str], members: list[int], shared: int
) -> Iterator[tuple[list[int], int]]:
    if len(members) > 1:
        text = texts[members[0]]
        lines = [line.end() for line in _LINE.finditer(text, 0, max(0, shared - _AHEAD + 1))]
        if lines and lines[-1] >= _LEAST:
            yield members, lines[-1]


def _alike(first: str, second: str, most: int) -> int:
    """How many characters two texts begin with alike, up to so many.

    >>> _alike("abcd", "abxd", 4)
    2
    """
    most = min(most, len(first), len(second))
    # comparing slices by bisection is C; a loop over the characters is not
    return bisect_left(range(most), True, key=lambda end: first[: end + 1] != second[: end + 1])


def _before(encoding: Any, cut: int) -> list[int] | None:
    """The ids of what stands before that character, if a word starts there."""
    offsets = encoding.offsets
    at = bisect_left(offsets, True, key=lambda span: span[1] > cut)
    if not 0 < at < len(offsets) or offsets[at][0] != cut:
        return None
    here, before = encoding.token_to_word(at), encoding.token_to_word(at - 1)
    if here is None or before is None or here == before:
        return None
    ids: list[int] = encoding.ids[:at]
    return ids


def _kinds(component: Any) -> list[dict[str, Any]]:
    """What a pre-tokenizer or normalizer is made of."""
    if component is None:
        return []
    try:
        state = component.__getstate__()
    except Exception:  # noqa: BLE001 - what is written in Python raises no class of its own
        return [{"type": "Custom"}]
    return list(_flat(json.loads(state)))


def _flat(state: dict[str, Any]) -> Iterator[dict[str, Any]]:
    inner = state.get("pretokenizers", state.get("normalizers"))
    if inner is None:
        yield state
        return
    for component in inner:
        yield from _flat(component)


def _looks_ahead_only(kind: dict[str, Any]) -> bool:
    """Whether words up to a place are the same whatever follows, and after it whatever precedes."""
    if kind["type"] == "ByteLevel":
        return not kind["add_prefix_space"]
    pattern = kind.get("pattern", {})
    if len(pattern.get("String", "")) > _AHEAD or _LOOKS_BACK.search(pattern.get("Regex", "")):
        return False
    return kind["type"] in _WORDS
