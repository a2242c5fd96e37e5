"""The measurement of judging itself (benchmarks/judge_throughput.py), on a few prompts."""

from importlib import import_module
from pathlib import Path

import pytest
import torch
import transformers

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_the_shapes_of_families_are_of_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    cases = import_module("throughput_cases")
    sizes = {}
    for name in ("A", *cases.FAMILIES):
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(cases.SHAPES[name]())
        sizes[name] = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    assert all(60 < size < 80 for size in sizes.values()), sizes
