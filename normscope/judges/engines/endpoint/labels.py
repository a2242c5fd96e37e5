"""From what a server tells of tokens to what is asked: the mass of each label of a scale.

Labels of one token are among the most probable ones of a reply's first place. Labels of several are
read from prompts that a server echoes with their log-probabilities: each spelling of each label is
put behind the prompt and costs one call; one more asks for the prompt alone, so that the spelling's
own tokens are those that come behind the prompt's.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import NoReturn

from ....errors import ModelError
from ....records.judgement import RawToken
from ...engine import LabelRequest, LabelResult
from ...scale import Ids, Scale, resolve
from ..chat import plain_text
from .client import Caller, Refused
from .dialect import Dialect
from .replies import TextReply, TopToken
from .server import all_answers

Echoed = Sequence[tuple[str, float | None]]
"""Tokens of a prompt with their log-probabilities."""

RAW_TOP = 5
_LONGEST_TOKEN = 256  # as long as a tokenizer's longest run of spaces; more is no token
MOST_MASS = 1.1  # bfloat16 rounds logits of about 20 by 0.06, all by the same amount at worst
_MOST_SPELLINGS = 3  # "1", "▁1" and "<0x31>" may all be shown as "1"
_AGREE = 0.5  # nats between two readings of one distribution: servers batch in low precision

# More than one: llama_cpp.server tells nothing of a reply that ends before its first token.
_CHECKS = (
    ("The capital of France is the city of", " Paris"),
    ("A dog is an animal, a rose is a flower, and an oak is a", " tree"),
    ("1, 2, 3, 4,", " 5"),
)


def is_single(scale: Scale) -> bool:
    """Whether every label is one character: digits and letters, one token in any tokenizer."""
    return all(len(label) == 1 for label in scale.labels)


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


async def label_by_echo(
    caller: Caller, dialect: Dialect, request: LabelRequest
) -> LabelResult | Refused:
    """The log-probability of each label as a continuation of the prompt, all spellings added up."""
    prompt = plain_text(request.conversation, request.lead, request.form)
    forms = [form for label in request.scale.labels for form in request.scale.forms_of(label)]
    bare, *replies = await all_answers(
        ["", *forms], lambda form: _echo(caller, dialect, prompt + form)
    )
    echoes: dict[str, Echoed] = {}
    for form, reply in zip(forms, replies, strict=True):
        if isinstance(reply, Refused):
            return reply
        echoes[form] = reply.prompt_tokens or []
    if isinstance(bare, Refused):
        return bare
    base = bare.prompt_tokens
    if not base or not all(echoes.values()):
        return Refused(None, "the server did not echo the prompt")
    # the first token of all has none
    if any(logprob is None for echo in echoes.values() for _, logprob in echo[1:]):
        return Refused(None, "a token of the echo has no log-probability")
    after = next(r for r in replies if isinstance(r, TextReply)).top_at(len(base))
    result = read_echoes(request.scale, base, echoes, raw_tokens(after))
    if math.fsum(map(math.exp, result.logprobs or ())) > MOST_MASS:
        return Refused(None, "probabilities of labels add up to more than 1")
    return result


async def check_echo(caller: Caller, dialect: Dialect) -> None:
    """An error unless an echo says of a token what the server says when it writes it.

    llama_cpp.server gives each token of an echo the probability of the place after it, where
    prompts do not begin with a token of the model's own (Qwen).
    """
    for text, more in _CHECKS:
        body = dialect.label_body((("user", text),), "")
        plain = await caller.ask(dialect.path, body | {"prompt": text}, TextReply)
        bare, full = [await _echo(caller, dialect, prompt) for prompt in (text, text + more)]
        if isinstance(plain, Refused) or isinstance(bare, Refused) or isinstance(full, Refused):
            refused = [reply.message for reply in (plain, bare, full) if isinstance(reply, Refused)]
            _cannot(caller, f"does not echo prompts with log-probabilities ({refused[0]})")
        base, whole = bare.prompt_tokens, full.prompt_tokens
        if not base or not whole:
            _cannot(caller, "does not echo prompts with log-probabilities")
        written = plain.top_at(0)
        if not written:
            continue
        spelt = [token_bytes(TopToken(token=t, logprob=0)) for t, _ in tail_of(base, whole)]
        if b"".join(spelt).strip() == more.strip().encode() and agree(
            written, full.top_at(len(base))
        ):
            return
        _cannot(caller, "echoes prompts with the probabilities of other places")
    _cannot(caller, "cannot be checked for its echo: it ends every reply before the first token")


def read_echoes(
    scale: Scale, base: Echoed, echoes: Mapping[str, Echoed], raw_top: tuple[RawToken, ...]
) -> LabelResult:
    """The mass of each label by the sequence log-probability of every spelling after the prompt.

    `base` is the prompt alone, `echoes` the prompt with each form behind it. A form whose first
    letters merge with the end of the prompt into one token has no tokens of its own: it is left
    out, and `unseen` says that what is left over may be its.
    """
    tails = {form: tail_of(base, echo) for form, echo in echoes.items()}
    spelling: dict[str, int] = {}
    value: dict[tuple[str, ...], float] = {}
    ids: dict[str, Ids] = {}
    for form, tail in tails.items():
        if tail:
            names = tuple(_name(form, place, token) for place, (token, _) in enumerate(tail))
            value[names] = math.fsum(logprob or 0.0 for _, logprob in tail)
            ids[form] = tuple(spelling.setdefault(name, len(spelling)) for name in names)
    longest = sorted(ids, key=len, reverse=True)

    def encode(text: str) -> Ids:  # `resolve` writes a form behind something that is no form
        return next((ids[form] for form in longest if text.endswith(form)), ())

    tokens = resolve(scale, encode, end=None, unknown=None)
    # ids of our own, in the order in which the names were first seen
    name_of = list(spelling)
    totals = [
        math.fsum(math.exp(value[tuple(name_of[i] for i in sequence)]) for sequence in forms)
        for forms in tokens
    ]
    lost = any(not tail for tail in tails.values())
    return LabelResult(
        logprobs=tuple(math.log(total) if total > 0 else -math.inf for total in totals),
        unseen=max(0.0, 1.0 - math.fsum(totals)) if lost else 0.0,
        raw_top=raw_top,
    )


def _name(form: str, place: int, token: str) -> str:
    """The token's text; where that is a part of a character, which many tokens share, its place."""
    return f"{form}\0{place}" if not token or "\ufffd" in token else token


def tail_of(base: Echoed, echo: Echoed) -> Echoed:
    """The tokens that the echo has after those of the prompt; none if they are not apart.

    >>> tail_of([("a", None)], [("a", None), ("b", -0.5)])
    [('b', -0.5)]
    """
    prompt, both = [name for name, _ in base], [name for name, _ in echo]
    return echo[len(prompt) :] if both[: len(prompt)] == prompt else []


def agree(first: Sequence[TopToken], second: Sequence[TopToken]) -> bool:
    """Whether two lists of top tokens can be of one distribution.

    They have the same best token, as probable in both, and half of the shorter list in common.
    """
    first_top, second_top = (
        {entry.token: entry.logprob for entry in top} for top in (first, second)
    )
    if not first_top or not second_top:
        return False
    best = max(first_top, key=lambda name: first_top[name])
    near = best in second_top and abs(first_top[best] - second_top[best]) <= _AGREE
    return near and 2 * len(first_top.keys() & second_top.keys()) >= min(
        len(first_top), len(second_top)
    )


async def _echo(caller: Caller, dialect: Dialect, prompt: str) -> TextReply | Refused:
    return await caller.ask(dialect.path, dialect.echo_body(prompt), TextReply)


def _cannot(caller: Caller, why: str) -> NoReturn:
    raise ModelError(
        f"{caller.where} {why}, so labels of several tokens cannot be read there: use a scale of "
        "digits or letters, a vLLM server, or a local engine"
    )
