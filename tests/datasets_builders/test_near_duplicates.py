import random
import sys
import time
from collections.abc import Iterator
from itertools import combinations, islice, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.datasets_builders.near_duplicates import (
    Pair,
    find_near_duplicates,
    jaccard,
    pairs_by_characters,
)
from normscope.errors import MissingExtraError, ModelError, UsageError

WORDS = str.split(
    "the smart watch records its owner's heart rate and sends it to a doctor manufacturer "
    "friend when nobody asked 手表 记录 心率 并 发送 给 医生 朋友 如果 没有 同意"
)


def trigrams(text: str) -> set[str]:
    """Written apart from the code under test: zip instead of slices."""
    plain = " ".join(text.lower().split())
    return {"".join(three) for three in zip(plain, plain[1:], plain[2:], strict=False)} or {plain}


def brute_force(lefts: list[str], rights: list[str]) -> dict[tuple[int, int], float]:
    found = {}
    for (i, a), (j, b) in product(
        enumerate(map(trigrams, lefts)), enumerate(map(trigrams, rights))
    ):
        found[i, j] = len(a & b) / len(a | b)
    return found


def sentences(seed: int, count: int) -> list[str]:
    """Random sentences, half of them an earlier one with a word or two exchanged."""
    random_ = random.Random(seed)
    made: list[str] = []
    while len(made) < count:
        if made and random_.random() < 0.5:
            words = random_.choice(made).split(" ")
            for _ in range(random_.randint(0, 2)):
                words[random_.randrange(len(words))] = random_.choice(WORDS)
        else:
            words = random_.choices(WORDS, k=random_.randint(3, 25))
        made.append(" ".join(words))
    return made


@pytest.mark.parametrize(("seed", "threshold"), [(1, 0.5), (2, 0.7), (3, 0.8), (4, 0.9), (5, 1.0)])
def test_the_pairs_within_texts_are_those_of_brute_force(seed: int, threshold: float) -> None:
    texts = sentences(seed, 150)
    every = brute_force(texts, texts)
    expected = {
        (i, j): every[i, j]
        for i, j in combinations(range(len(texts)), 2)
        if every[i, j] >= threshold
    }
    assert len(expected) > 5
    found = find_near_duplicates(texts, threshold=threshold)
    assert {(pair.left, pair.right): pair.similarity for pair in found} == expected
    assert [(pair.left, pair.right) for pair in found] == sorted(expected)


def test_the_pairs_with_others_are_those_of_brute_force_and_none_lies_within() -> None:
    texts, others = sentences(6, 60), sentences(6, 90)[30:]
    expected = {key: s for key, s in brute_force(texts, others).items() if s >= 0.8}
    assert len(expected) > 30
    found = find_near_duplicates(texts, others=others)
    assert {(pair.left, pair.right): pair.similarity for pair in found} == expected


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet="ab \n雨", max_size=12), max_size=12))
def test_short_and_empty_texts_are_compared_like_any(texts: list[str]) -> None:
    every = brute_force(texts, texts)
    found = {(p.left, p.right): p.similarity for p in find_near_duplicates(texts, threshold=0.6)}
    assert found == {(i, j): s for (i, j), s in every.items() if i < j and s >= 0.6}


@settings(derandomize=True, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_the_index_is_symmetric_bounded_and_one_for_a_text_and_itself(a: str, b: str) -> None:
    assert jaccard(a, b) == jaccard(b, a)
    assert 0 <= jaccard(a, b) <= 1
    assert jaccard(a, a) == 1


def test_case_width_and_white_space_make_no_difference() -> None:
    assert jaccard("Who  has\nthe KEY of room 12?", "who has the key of room １２?") == 1


def test_one_changed_word_is_found_and_another_question_is_not() -> None:
    texts = [
        "Is it acceptable that the thermostat sends the owner's location to its manufacturer?",
        "Which flowers bloom in March?",
        "Is it acceptable that the thermostat sends the owner's location to a manufacturer?",
    ]
    (pair,) = find_near_duplicates(texts)
    assert (pair.left, pair.right, pair.method) == (0, 2, "characters")
    assert pair.similarity == len(trigrams(texts[0]) & trigrams(texts[2])) / len(
        trigrams(texts[0]) | trigrams(texts[2])
    )


def test_lone_surrogates_and_control_characters_are_texts_too() -> None:
    assert find_near_duplicates(["\ud800 abc\x00", "\ud800 abc\x00"])[0].similarity == 1


@pytest.mark.parametrize("threshold", [0.0, 0.05, 1.01, -1, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="where 1 means equal"):
        find_near_duplicates(["a"], threshold=threshold)


def test_nothing_gives_nothing() -> None:
    assert find_near_duplicates([]) == []
    assert find_near_duplicates([], others=["a"]) == []
    assert find_near_duplicates(["a"], others=[]) == []


def test_a_caller_that_has_enough_of_a_product_can_stop() -> None:
    # 3,000 equal texts have 4.5 million pairs: listing them would take many times as long
    start = time.perf_counter()
    some = list(islice(pairs_by_characters(["the same words"] * 3_000), 10))
    assert len(some) == 10
    assert time.perf_counter() - start < 20


VECTORS = {"rain": (1.0, 0.0), "wet": (0.96, 0.28), "dry": (-1.0, 0.0), "sun": (0.0, 2.0)}


class ScriptedEncoder:
    """Stands in for SentenceTransformer: every word has its vector."""

    asked: ClassVar[dict[str, Any]] = {}

    def __init__(self, model: str, **options: Any) -> None:
        ScriptedEncoder.asked = {"model": model, **options}
        if model == "missing":
            raise OSError("missing is not a local folder\nmore lines")

    def encode(self, texts: list[str], *, show_progress_bar: bool) -> Any:
        assert not show_progress_bar
        return np.array([VECTORS[text] for text in texts])


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = SimpleNamespace(SentenceTransformer=ScriptedEncoder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    yield


@pytest.mark.usefixtures("scripted")
def test_embeddings_find_what_characters_do_not() -> None:
    texts = list(VECTORS)
    assert find_near_duplicates(texts) == []
    (pair,) = find_near_duplicates(texts, embed_with="words")
    # (1, 0)·(0.96, 0.28) = 0.96; sun's vector is of length 2: its cosine with wet is 0.28
    assert (pair.left, pair.right, pair.method) == (0, 1, "embeddings")
    assert pair.similarity == pytest.approx(0.96)
    lower = find_near_duplicates(texts, embed_with="words", embed_threshold=0.25)
    assert [(p.left, p.right, round(p.similarity, 2)) for p in lower] == [
        (0, 1, 0.96),
        (1, 3, 0.28),
    ]


@pytest.mark.usefixtures("scripted")
def test_a_pair_that_both_passes_find_is_reported_by_both() -> None:
    found = find_near_duplicates(["rain"], others=["sun", "rain"], embed_with="words")
    assert found == [Pair(0, 1, 1.0, "characters"), Pair(0, 1, 1.0, "embeddings")]


@pytest.mark.usefixtures("scripted")
def test_the_encoder_is_loaded_from_safetensors_and_without_its_code() -> None:
    find_near_duplicates(["rain"], embed_with="words")
    assert ScriptedEncoder.asked == {
        "model": "words",
        "trust_remote_code": False,
        "model_kwargs": {"use_safetensors": True},
    }


@pytest.mark.usefixtures("scripted")
def test_an_encoder_that_does_not_load_is_named_in_one_line() -> None:
    with pytest.raises(ModelError, match=r"^missing cannot be loaded .*local folder\); name"):
        find_near_duplicates(["rain"], embed_with="missing")


@pytest.mark.usefixtures("scripted")
def test_a_threshold_that_is_no_cosine_is_refused() -> None:
    with pytest.raises(UsageError, match="a cosine lies in"):
        find_near_duplicates(["rain"], embed_with="words", embed_threshold=90)


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"normscope\[dedup\]"):
        find_near_duplicates(["rain"], embed_with="words")


def test_a_real_encoder_gives_equal_texts_a_cosine_of_one(tiny_model: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra [dedup]")
    texts = ["a smart watch", "neutral, somewhat acceptable", "a smart watch"]
    found = find_near_duplicates(texts, embed_with=str(tiny_model), embed_threshold=0.9999)
    assert [(pair.left, pair.right, pair.method) for pair in found] == [
        (0, 2, "characters"),
        (0, 2, "embeddings"),
    ]
    assert found[1].similarity == pytest.approx(1, abs=1e-5)
