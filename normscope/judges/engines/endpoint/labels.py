"""From what a server tells of tokens to what is asked: the mass of each label of a scale.

Labels of one token are among the most probable ones of a reply's first place.
"""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import permutations

from ....records.judgement import RawToken
from ...engine import LabelResult
from ...scale import Scale
from .replies import TopToken

RAW_TOP = 5
_LONGEST_TOKEN = 256  # as long as a tokenizer's longest run of spaces; more is no token
MOST_MASS = 1.1  # bfloat16 rounds logits of about 20 by 0.06, all by the same amount at worst
_MOST_SPELLINGS = 3  # "1", "▁1" and "<0x31>" may all be shown as "1"


def in_several_tokens(scale: Scale) -> str | None:
    """A label that the top tokens of one place cannot tell, or null.

    One of several words never is one token; one that begins another cannot be told from it.
    """
    for label in scale.labels:
        if len(label.split()) > 1:
            return label
    for first, second in permutations(scale.labels, 2):
        if second.startswith(first):
            return second
    return None


def find_impossible(top: Iterable[TopToken]) -> str | None:
    """Why these cannot be tokens of one distribution; null if they can.

    >>> find_impossible([TopToken(token=t, logprob=-0.1) for t in "ab"])
    'probabilities of tokens add up to 1.81'
    """
    entries = list(top)
    total = math.fsum(math.exp(entry.logprob) for entry in entries)
    if total > MOST_MASS:
        return f"probabilities of tokens add up to {total:.3g}"
    texts = Counter(token_bytes(entry).decode(errors="replace") for entry in entries)
    for text, count in texts.items():
        # what has no text of its own, a part of a character or a control token, is many tokens
        if count > _MOST_SPELLINGS and text.isprintable() and text.strip(" \ufffd"):
            return f"a token is listed {count} times"
    return None


def read_top(scale: Scale, top: Iterable[TopToken]) -> LabelResult:
    """The mass of each label among the most probable tokens, all spellings added up.

    A form that is not among them has at most the probability of the least of them, all of them
    together at most what the list leaves over; a token that begins a form may go on to it. These
    two make `unseen`.

    >>> scale = Scale(labels=("0", "1"), values=(0.0, 1.0))
    >>> seen = [TopToken(token="1", logprob=math.log(0.75)), TopToken(token="a", logprob=-2.3026)]
    >>> result = read_top(scale, seen)
    >>> result.logprobs, round(result.unseen, 4)
    ((-inf, -0.287...), 0.15)
    """
    ranked = sorted(top, key=lambda entry: -entry.logprob)
    if not ranked:
        return LabelResult(logprobs=(-math.inf,) * len(scale.labels), unseen=1.0)
    forms = {form.encode(): label for label in scale.labels for form in scale.forms_of(label)}
    mass: dict[str, list[float]] = {label: [] for label in scale.labels}
    begun = 0.0
    unseen = dict.fromkeys(forms)
    for entry in ranked:
        spelt, prob = token_bytes(entry), math.exp(entry.logprob)
        if spelt in forms:
            mass[forms[spelt]].append(prob)
            unseen.pop(spelt, None)
        elif spelt and any(form.startswith(spelt) for form in forms):
            begun += prob
    probs = [math.exp(entry.logprob) for entry in ranked]
    left = max(0.0, 1.0 - math.fsum(probs))
    # no token that is left out is likelier than the least of the list
    bound = begun + min(left, probs[-1] * len(unseen))
    totals = [math.fsum(mass[label]) for label in scale.labels]
    return LabelResult(
        logprobs=tuple(math.log(p) if p > 0 else -math.inf for p in totals),
        unseen=min(bound, max(0.0, 1.0 - math.fsum(totals))),
        raw_top=raw_tokens(ranked),
    )


def raw_tokens(top: Iterable[TopToken]) -> tuple[RawToken, ...]:
    """The most probable of them as they stand in a judgement."""
    ranked = sorted(top, key=lambda entry: -entry.logprob)[:RAW_TOP]
    texts = [token_bytes(entry).decode(errors="replace")[:_LONGEST_TOKEN] for entry in ranked]
    return tuple(
        RawToken(text, math.exp(entry.logprob)) for text, entry in zip(texts, ranked, strict=True)
    )


def token_bytes(entry: TopToken) -> bytes:
    """The text of a token as UTF-8, however the server writes it.

    Servers give bytes, plain text, or the vocabulary's own spelling: a leading space as ▁ or Ġ,
    single bytes as <0xE4>, and byte-level BPE its own alphabet.

    >>> [token_bytes(TopToken(token=t, logprob=0)).decode() for t in ("▁4", "Ġ4", "<0x34>", "ä¸Ģ")]
    [' 4', ' 4', '4', '一']
    """
    if entry.raw is not None:
        return bytes(entry.raw)
    token = entry.token
    if len(token) == len("<0x00>") and token.startswith("<0x") and token.endswith(">"):
        try:
            return bytes([int(token[3:5], 16)])
        except ValueError:
            return token.encode()
    if not token.isascii() and all(char in _BYTE_OF for char in token):
        spelt = bytes(_BYTE_OF[char] for char in token)
        try:
            # a text that merely looks like the byte alphabet is no UTF-8
            spelt.decode()
        except UnicodeDecodeError:
            return token.encode()
        return spelt
    return token.replace("▁", " ").encode()


def _byte_alphabet() -> dict[str, int]:
    """The characters by which byte-level BPE (GPT-2) writes the 256 bytes."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    plain = {chr(byte): byte for byte in shown}
    return plain | {chr(256 + place): byte for place, byte in enumerate(hidden)}


_BYTE_OF = _byte_alphabet()
