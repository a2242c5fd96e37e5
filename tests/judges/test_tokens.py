"""Labels as token sequences, on a scripted tokenizer whose ids are easy to follow."""

from collections.abc import Mapping, Sequence

import pytest

from normscope.errors import ConfigError, ModelError
from normscope.judges.scale import Scale, resolve


def characters(text: str) -> Sequence[int]:
    """One token per character."""
    return [ord(character) for character in text]


def scale(*labels: str, forms: Mapping[str, tuple[str, ...]] | None = None) -> Scale:
    values = tuple(float(index) for index in range(len(labels)))
    return Scale(labels=labels, values=values, forms=forms or {})


def test_every_spelling_of_a_label_is_a_sequence() -> None:
    tokens = resolve(scale("1", "2"), characters, end=0, unknown=None)
    assert tokens[0] == ((ord("1"),), (ord(" "), ord("1")), (ord("１"),))


def test_a_spelling_that_only_continues_another_adds_nothing() -> None:
    forms = {"yes": ("y", "yes"), "no": ("no",)}
    tokens = resolve(scale("yes", "no", forms=forms), characters, end=0, unknown=None)
    assert tokens[0] == ((ord("y"),),)


def test_labels_that_begin_one_another_all_end_with_the_turn() -> None:
    forms = {"1": ("1",), "10": ("10",)}
    tokens = resolve(scale("1", "10", forms=forms), characters, end=7, unknown=None)
    assert tokens == (((ord("1"), 7),), ((ord("1"), ord("0"), 7),))
    with pytest.raises(ModelError, match="no end token"):
        resolve(scale("1", "10", forms=forms), characters, end=None, unknown=None)


def test_labels_that_a_tokenizer_spells_alike_are_refused_by_name() -> None:
    def lower(text: str) -> Sequence[int]:
        return characters(text.lower())

    forms = {"a": ("a",), "A": ("A",)}
    with pytest.raises(ModelError, match="'a' of label 'a' and 'A' of label 'A' alike"):
        resolve(scale("a", "A", forms=forms), lower, end=0, unknown=None)


def test_a_form_with_the_unknown_token_is_dropped_and_a_label_of_them_is_refused() -> None:
    def ascii_only(text: str) -> Sequence[int]:
        return [ord(c) if c.isascii() else 1 for c in text]

    tokens = resolve(scale("1", "2"), ascii_only, end=0, unknown=1)
    assert tokens[0] == ((ord("1"),), (ord(" "), ord("1")))
    with pytest.raises(ModelError, match="cannot spell the label '好'"):
        resolve(scale("好", "a"), ascii_only, end=0, unknown=1)


def test_a_tokenizer_that_adds_a_space_to_the_first_word_is_seen_through() -> None:
    def with_dummy_space(text: str) -> Sequence[int]:
        return characters(" " + text)

    tokens = resolve(scale("1", "2"), with_dummy_space, end=0, unknown=None)
    assert tokens[0][0] == (ord("1"),)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"labels": ("a",), "values": (1.0,)}, "two labels or more"),
        ({"labels": ("a", "b"), "values": (1.0,)}, "2 labels and 1 values"),
        ({"labels": ("a", "b"), "values": (1.0, float("nan"))}, "finite"),
        ({"labels": ("a", "b"), "values": (0, 1), "forms": {"c": ("c",)}}, "not on the scale"),
        ({"labels": ("a", "b"), "values": (0, 1), "forms": {"b": (" a",)}}, "' a' stands for"),
        ({"labels": ("a", "b"), "values": (0, 1), "forms": {"b": (" ",)}}, "empty form"),
    ],
)
def test_a_scale_that_could_be_misread_is_refused(arguments: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        Scale(**arguments)  # type: ignore[arg-type]
