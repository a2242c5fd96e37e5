"""Texts that the judge is not for: other languages, letters and characters that make no words."""

# ruff: noqa: PLR2004 - shares of a recipe, said where they are used

import random
from collections.abc import Iterator, Sequence

from .sample import Sample
from .written import TEXTS

NEVER_SHOWN = ("it", "sv", "ko")
"""Languages that no lesson has, so that what the judge makes of others can be measured on them."""


def read_others() -> dict[str, tuple[str, ...]]:
    """Sentences by their language, none of them one of the judge's."""
    blocks = (TEXTS / "others.txt").read_text(encoding="utf-8").strip().split("\n\n")
    lines = [block.splitlines() for block in blocks]
    return {first[2:].strip(): tuple(rest) for first, *rest in lines}


def strange_texts(
    samples: Sequence[Sample], draw: random.Random, *, count: int
) -> Iterator[tuple[str, str]]:
    """Questions with an answer in another language, or one that is no language at all."""
    others = {name: some for name, some in read_others().items() if name not in NEVER_SHOWN}
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
