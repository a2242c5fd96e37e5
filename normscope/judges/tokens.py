"""A scale's labels as token sequences of one tokenizer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

from ..errors import ModelError
from .scale import Scale

Ids = tuple[int, ...]
Encode = Callable[[str], Sequence[int]]
"""Text to token ids, without special tokens."""

# A form is encoded behind each of these in turn, since many tokenizers glue a space to the first
# word of a text; the first anchor whose own ids come out unchanged in front is used. One that the
# tokenizer does not know is passed over: unknown characters in a row become a single token.
_ANCHORS = ("\n", ":", "a")


@dataclass(frozen=True, slots=True)
class LabelTokens:
    """For each label of a scale, the token sequences whose probabilities add up to it."""

    sequences: tuple[tuple[Ids, ...], ...]

    @property
    def prefixes(self) -> tuple[Ids, ...]:
        """Every distinct context after which a next token is read; the empty one is first."""
        beginnings = (s[:cut] for forms in self.sequences for s in forms for cut in range(len(s)))
        return tuple(sorted(set(beginnings)))


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
        return LabelTokens(tuple(tuple((*ids, end) for ids in forms) for forms in sequences))
    return LabelTokens(tuple(_shortest(forms) for forms in sequences))


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
