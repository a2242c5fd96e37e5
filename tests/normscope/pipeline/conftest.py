"""Scripted engines, and items made on the spot."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from mild_questions import mcq_source
from undrawn import undrawn

from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.records.item import Item, Option, Turn
from normscope.records.model_spec import ModelSpec

__all__ = ["mcq_source", "undrawn"]


@pytest.fixture
def item() -> Callable[..., Item]:
    """Makes a multiple-choice item; its options are texts or letters with texts."""

    def make(number: int = 1, options: Any = ("bread", "stones"), **other: Any) -> Item:
        pairs = (
            options if isinstance(options, dict) else dict(zip("ABCDEFGH", options, strict=False))
        )
        return Item(
            **{
                "benchmark": "chisafetybench:mcq",
                "item_id": f"q{number}",
                "messages": (Turn("user", "?"),),
                "language": "en",
                "options": tuple(Option(letter, text) for letter, text in pairs.items()),
                "answer": "A",
                **other,
            }
        )

    return make


class Engines:
    """Loads one scripted engine per model name and remembers them."""

    def __init__(self, **scripts: Any) -> None:
        self.made: dict[str, FakeEngine] = {}
        self.scripts = scripts

    def __call__(self, spec: ModelSpec) -> FakeEngine:
        labels, text = self.scripts.get(spec.model, (None, None))
        self.made[spec.model] = FakeEngine(labels or first, text or silent, name=spec.model)
        return self.made[spec.model]


def first(request: LabelRequest) -> LabelResult:
    """Nearly all of the mass on the first label."""
    k = len(request.scale.labels)
    return LabelResult(tuple(math.log(0.9 if not at else 0.05 / k) for at in range(k)))


def silent(request: TextRequest) -> TextResult:
    """Nothing."""
    return TextResult("")


@pytest.fixture
def engines() -> type[Engines]:
    """The class of loaders of scripted engines: a pair of scripts (labels, text) per model."""
    return Engines
