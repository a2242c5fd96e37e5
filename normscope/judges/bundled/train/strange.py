"""Texts that the judge is not for: other languages, letters and characters that make no words."""

# ruff: noqa: PLR2004 - shares of a recipe, said where they are used

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ....extras import require
from .sample import Sample
from .vocabulary import marks, said_tokens
from .written import TEXTS

NEVER_SHOWN = ("it", "sv", "ko")
"""Languages that no lesson has, so that what the judge makes of others can be measured on them."""


def read_others() -> dict[str, tuple[str, ...]]:
    """Sentences by their language, none of them one of the judge's."""
    blocks = (TEXTS / "others.txt").read_text(encoding="utf-8").strip().split("\n\n")
    lines = [block.splitlines() for block in blocks]
    return {first[2:].strip(): tuple(rest) for first, *rest in lines}


def shown_others() -> dict[str, tuple[str, ...]]:
    """The sentences of the languages that lessons have."""
    return {name: some for name, some in read_others().items() if name not in NEVER_SHOWN}


def strange_texts(
    samples: Sequence[Sample], draw: random.Random, *, count: int
) -> Iterator[tuple[str, str]]:
    """Questions with an answer in another language, or one that is no language at all."""
    others = shown_others()
    for _ in range(count):
        kind = draw.random()
        sample = draw.choice(samples)
        if kind < 0.6:
            sentences = others[draw.choice(list(others))]
            answer = " ".join(draw.sample(sentences, draw.randint(1, min(5, len(sentences)))))
            question = draw.choice((sample.question, draw.choice(sentences)))
            yield question, answer
        elif kind < 0.8 and sample.language == "en":
            yield sample.question, salad(sample.answer[: draw.randint(40, 400)], draw)
        else:
            yield sample.question, noise(draw)


def salad(text: str, draw: random.Random) -> str:
    """The words of a text with their letters in a drawn order."""
    return " ".join("".join(draw.sample(word, len(word))) for word in text.lower().split())


def noise(draw: random.Random) -> str:
    """Characters in no order: rare Chinese ones, letters and digits, or symbols."""
    first, last = draw.choice(((0x4E00, 0x9FA5), (0x21, 0x7E), (0x2190, 0x2BFF), (0x61, 0x7A)))
    size = draw.randint(10, 120)
    text = "".join(chr(draw.randint(first, last)) for _ in range(size))
    if draw.random() < 0.5:
        return text
    cuts = sorted(draw.sample(range(1, size), size // 6))
    return " ".join(text[a:b] for a, b in zip([0, *cuts], [*cuts, size], strict=True))


SELDOM = 10
"""Of fewer texts a token is not known."""

FOREIGN = 20
"""A token is foreign that so many times as large a share of foreign texts has."""


def estrange(model: Any, tokenizer: Any, samples: Sequence[Sample]) -> None:
    """Gives every token that the samples hardly have the mean row of those of other languages.

    What no lesson has shown stays as it was drawn, and says nothing: a script that was never met
    would be guessed at.
    """
    torch = require("torch", extra="judge")
    known = _texts_with(tokenizer, (f"{s.question}\n{s.answer}" for s in samples))
    sentences = [sentence for some in shown_others().values() for sentence in some]
    other = _texts_with(tokenizer, sentences)
    foreign = other / len(sentences) > FOREIGN * known / len(samples)
    seldom = (known < SELDOM) & (other == 0)
    seldom[tokenizer.convert_tokens_to_ids(marks().all())] = False
    seldom[said_tokens(tokenizer)] = False
    weight = model.lm_head.weight
    with torch.no_grad():
        mean = weight[torch.from_numpy(foreign)].mean(0)
        length = weight[torch.from_numpy(seldom)].norm(dim=1, keepdim=True)
        weight[torch.from_numpy(seldom)] = mean / mean.norm() * length


def _texts_with(tokenizer: Any, texts: Iterable[str]) -> npt.NDArray[np.int64]:
    """How many of the texts have each token."""
    result = np.zeros(len(tokenizer), dtype=np.int64)
    for ids in tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]:
        result[np.unique(np.asarray(ids, dtype=np.int64))] += 1
    return result
