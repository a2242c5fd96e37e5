"""A scale: the labels a judge may answer with, what each is worth, and how each may be spelt."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from ..errors import ConfigError, ModelError
from ..records.judgement import likeliest

_FULL_WIDTH = {ord(c): ord(c) + 0xFEE0 for c in map(chr, range(0x21, 0x7F))}
_CHINESE = dict(zip("0123456789", "〇一二三四五六七八九", strict=True)) | {"10": "十"}
_CHINESE_ZERO = "零"


@dataclass(frozen=True, slots=True)
class Scale:
    """Labels in their order, the value of each, and the surface forms that count as it.

    `forms` maps a label to every spelling whose probability is added up for it; a label without
    an entry gets the label itself, the label after a space, its full-width form if it is a single
    character or a number, and, with `numerals`, the Chinese numeral of a number up to ten. That
    is not the default: 一 also begins many words that begin a sentence. Labels may be several
    tokens long.

    >>> Scale(labels=("0", "1"), values=(0.0, 1.0)).forms_of("1")
    ('1', ' 1', '１')
    >>> Scale(labels=("0", "1"), values=(0.0, 1.0), numerals=True).forms_of("0")
    ('0', ' 0', '０', '〇', '零')
    """

    labels: tuple[str, ...]
    values: tuple[float, ...]
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numerals: bool = False

    def __post_init__(self) -> None:
        """Refuses a scale on which a reading could be ambiguous."""
        if len(self.labels) < 2:  # noqa: PLR2004 - one label is no choice
            raise ConfigError(f"a scale needs two labels or more, not {list(self.labels)}")
        if len(self.values) != len(self.labels):
            message = f"{len(self.labels)} labels and {len(self.values)} values"
            raise ConfigError(f"a scale needs a value for each label, not {message}")
        if not all(math.isfinite(value) for value in self.values):
            raise ConfigError(f"the values of a scale are finite numbers, not {list(self.values)}")
        for label in self.forms:
            if label not in self.labels:
                raise ConfigError(f"forms are given for {label!r}, which is not on the scale")
        owner: dict[str, str] = {}
        for label in self.labels:
            for form in self.forms_of(label):
                if not form.strip():
                    raise ConfigError(f"the label {label!r} has an empty form")
                if owner.setdefault(form, label) != label:
                    raise ConfigError(f"the form {form!r} stands for {owner[form]!r} and {label!r}")

    def forms_of(self, label: str) -> tuple[str, ...]:
        """Every spelling of the label, the plain one first, without repeats."""
        if forms := self.forms.get(label):
            return tuple(dict.fromkeys(forms))
        single = len(label) == 1 or (label.isascii() and label.isdecimal())
        wide = (full_width(label),) if single else ()
        numeral = (_CHINESE[label],) if self.numerals and label in _CHINESE else ()
        zero = (_CHINESE_ZERO,) if numeral and label == "0" else ()
        return tuple(dict.fromkeys((label, f" {label}", *wide, *numeral, *zero)))

    def expected(self, probs: Sequence[float]) -> float:
        """The probability-weighted sum of the values, Σ p·k (CFSafety, scoring).

        >>> Scale(labels=("0", "1"), values=(0.0, 1.0)).expected([0.25, 0.75])
        0.75
        """
        return math.fsum(p * value for p, value in zip(probs, self.values, strict=True))

    def favourite(self, probs: Sequence[float]) -> str | None:
        """The most probable label; null at a tie (`likeliest`)."""
        place = likeliest(probs)
        return None if place is None else self.labels[place]

    def mode(self, probs: Sequence[float]) -> float | None:
        """The value of the most probable label; null at a tie (`likeliest`).

        >>> scale = Scale(labels=("a", "b", "c"), values=(0.0, 1.0, 2.0))
        >>> scale.mode([0.2, 0.5, 0.3]), scale.mode([0.2, 0.4, 0.4])
        (1.0, None)
        """
        place = likeliest(probs)
        return None if place is None else self.values[place]


def full_width(text: str) -> str:
    """The text with every printable ASCII character in its full-width form.

    >>> full_width("B")
    'Ｂ'
    """
    return text.translate(_FULL_WIDTH)


Ids = tuple[int, ...]
Encode = Callable[[str], Sequence[int]]
"""Text to token ids, without special tokens."""

# A form is encoded behind each of these in turn, since many tokenizers glue a space to the first
# word of a text; the first anchor whose own ids come out unchanged in front is used. One that the
# tokenizer does not know is passed over: unknown characters in a row become a single token.
_ANCHORS = ("\n", ":", "a")

LabelTokens = tuple[tuple[Ids, ...], ...]
"""For each label of a scale, the token sequences whose probabilities add up to it."""


def resolve(scale: Scale, encode: Encode, *, end: int | None, unknown: int | None) -> LabelTokens:
    """The scale's labels as token sequences that cannot be mistaken for one another.

    A form that the tokenizer cannot spell is dropped, and one that only continues another form of
    its label adds nothing. Where one label is a prefix of another, every label ends with the
    `end` of the turn. Two labels that come out as the same tokens are refused by name.
    """
    sequences = [_forms(scale, label, encode, unknown) for label in scale.labels]
    for (first, ours), (second, theirs) in permutations(
        zip(scale.labels, sequences, strict=True), 2
    ):
        for ids in set(ours) & set(theirs):
            forms = f"{ours[ids]!r} of label {first!r} and {theirs[ids]!r} of label {second!r}"
            raise ModelError(
                f"this tokenizer spells {forms} alike: give the scale other labels or forms"
            )
    if _is_prefixed(sequences):
        if end is None:
            raise ModelError(
                f"among the labels {', '.join(scale.labels)} one begins another, and this "
                "tokenizer has no end token to tell them apart: use labels of other tokens"
            )
        return tuple(tuple((*ids, end) for ids in forms) for forms in sequences)
    return tuple(_shortest(forms) for forms in sequences)


def _forms(scale: Scale, label: str, encode: Encode, unknown: int | None) -> dict[Ids, str]:
    result: dict[Ids, str] = {}
    for form in scale.forms_of(label):
        ids = _encode_after_text(form, encode, unknown)
        if ids and unknown not in ids:
            result.setdefault(ids, form)
    if not result:
        message = ", ".join(repr(form) for form in scale.forms_of(label))
        raise ModelError(f"this tokenizer cannot spell the label {label!r} (tried {message})")
    return result


def _encode_after_text(form: str, encode: Encode, unknown: int | None) -> Ids:
    for anchor in _ANCHORS:
        alone, both = tuple(encode(anchor)), tuple(encode(anchor + form))
        if unknown not in alone and both[: len(alone)] == alone:
            return both[len(alone) :]
    return tuple(encode(form))


def _is_prefixed(sequences: list[dict[Ids, str]]) -> bool:
    return any(
        len(ids) < len(longer) and longer[: len(ids)] == ids
        for ours, theirs in permutations(sequences, 2)
        for ids in ours
        for longer in theirs
    )


def _shortest(forms: dict[Ids, str]) -> tuple[Ids, ...]:
    return tuple(
        ids
        for ids in forms
        if not any(len(other) < len(ids) and ids[: len(other)] == other for other in forms)
    )
