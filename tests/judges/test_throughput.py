"""The measurement of judging itself (benchmarks/judge_throughput.py), on a few prompts."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from normscope.datasets_builders.registry import benchmark

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def scale(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    throughput_scale = import_module("throughput_scale")

    made, graded = benchmark("safety-gradient")
    items = graded.items(made.tables(None)[graded.config])
    rows = [(replace(item, benchmark="cfsafety"), item.response) for item in items]
    # in the place of CFSafety's, which need the authors' files
    monkeypatch.setattr(throughput_scale, "answered", lambda _: rows)
    return throughput_scale


def test_prompts_are_planned_and_units_of_them_judged_at_a_benchmarks_size(
    scale: Any, tiny_model: Path
) -> None:
    nowhere = Path("unused")
    planned = scale.plan_prompts(tiny_model, nowhere, 30, None)
    assert (planned.prompts, planned.seconds > 0) == (30, True)
    judged = scale.judge_part(tiny_model, nowhere, 70, 1, None)
    # one of the two units: that of what is left over
    assert (judged.planned, judged.judged) == (70, 6)
    assert 0 < judged.beside_the_model_mib < judged.peak_mib


def test_the_shapes_of_families_are_of_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    cases = import_module("throughput_cases")
    sizes = {}
    for name in ("A", *cases.FAMILIES):
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(cases.SHAPES[name]())
        sizes[name] = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    assert all(60 < size < 80 for size in sizes.values()), sizes
