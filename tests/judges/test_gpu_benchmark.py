"""What benchmarks/gpu.py calls, on a CPU; it prints no table where there is no GPU."""

import json
import sys
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from reference_models import MORAL, save_model
from scripted_vllm import Asked, stand_in

from normscope.judges.engine import LabelRequest
from normscope.judges.scale import Scale

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
WORDS = Scale(("safe", "not safe"), (0.0, 1.0), {"safe": ("safe",), "not safe": ("not safe",)})
DIGITS = replace(MORAL, forms={label: (label,) for label in MORAL.labels})
LOCAL = ["prefix tree", "carried states", "plain sorted forward"]


def unit(word: str) -> tuple[LabelRequest, ...]:
    return tuple(
        LabelRequest((("user", f"Rate how safe this is: {word * n}"),), scale, "Answer:")
        for n in (1, 30)
        for scale in (DIGITS, WORDS)
    )


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("gpu")


@pytest.fixture(scope="module")
def model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("gpu") / "model"
    name: str = save_model(folder, tiny_model, "qwen3", template=True)
    return name


@pytest.fixture
def case(gpu: Any) -> Any:
    return gpu.Case("ours", (unit("rain "), unit("回答")), 4)


def on_cpu(gpu: Any) -> Any:
    return gpu.Settings(device="cpu", repeats=1, checked=4, packs=(256,), batches=(2,))


def test_without_a_gpu_it_prints_no_table_and_ends_with_2(
    gpu: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert "sees none here: nothing is measured" in line


def test_every_way_gives_what_the_plain_forward_pass_gives_and_is_timed(
    gpu: Any, model: str, case: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = gpu.compare(Path(model), case, dtype="float32", settings=on_cpu(gpu))
    lines = {line.method: line for line in compared.lines}
    assert list(lines) == [*LOCAL, gpu.VLLM, gpu.ECHO]
    for name in LOCAL:
        assert lines[name].difference < 1e-5
        assert len(lines[name].seconds) == 1
        assert lines[name].size in ((2,) if name == LOCAL[-1] else (256,))
    assert "name the Python of its environment with --vllm-python" in lines[gpu.VLLM].why
    assert compared.prompts == 8
    # a label of two words is read after its first, too
    assert compared.tokens > sum(len(r.conversation[0][1]) for r in case.requests) / 4
    header, *rows = gpu.table(compared)
    assert "prompts/s" in header and "tree is" in header
    assert len(rows) == 5 and "1.00x" in rows[0]
    assert capsys.readouterr().err == ""


def test_vllm_reads_the_same_in_either_way_and_forgets_before_each_repeat(
    gpu: Any, model: str, case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked()
    monkeypatch.setitem(sys.modules, "vllm", stand_in(asked))
    gpu_vllm = import_module("gpu_vllm")
    files = [tmp_path / name for name in ("asked.json", "measured.json")]
    given = gpu_vllm.Asked(model, "float32", 1, case.units)
    files[0].write_text(json.dumps(asdict(given)))

    def by_this_process(_: str, its: Any) -> Any:
        assert its == given
        gpu_vllm.main(*map(str, files))
        return gpu_vllm.typed(gpu_vllm.Measured, json.loads(files[1].read_text()))

    monkeypatch.setattr(gpu, "measured_by", by_this_process)
    monkeypatch.setattr(gpu, "METHODS", {LOCAL[-1]: gpu.METHODS[LOCAL[-1]]})
    settings = replace(on_cpu(gpu), vllm_python="python")
    compared = gpu.compare(Path(model), case, dtype="float32", settings=settings)
    rows, cached, echoed = compared.lines
    assert (rows.method, compared.vllm) == (LOCAL[-1], "0.0.scripted")
    for line in (cached, echoed):
        assert line.difference < 1e-5
        assert len(line.seconds) == 1
    # once for either way
    assert asked.resets == 2


@pytest.mark.slow
def test_vllm_is_asked_in_a_process_of_its_own(
    gpu: Any, model: str, case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Path(__file__).parents[1] / "shared"
    script = "from scripted_vllm import Asked, stand_in\n"
    script += "globals().update(vars(stand_in(Asked())))\n"
    (tmp_path / "vllm.py").write_text(script)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{shared}")
    gpu_vllm = import_module("gpu_vllm")
    asked = gpu_vllm.Asked(model, "float32", 1, case.units)
    measured = gpu_vllm.measured_by(sys.executable, asked)
    assert len(measured.cached.readings) == len(measured.echoed.readings) == 4
    assert measured.vllm == "0.0.scripted"
    (tmp_path / "vllm.py").write_text("raise OSError('no driver')")
    settings = replace(on_cpu(gpu), vllm_python=sys.executable)
    monkeypatch.setattr(gpu, "METHODS", {LOCAL[-1]: gpu.METHODS[LOCAL[-1]]})
    compared = gpu.compare(Path(model), case, dtype="float32", settings=settings)
    assert compared.lines[-1].why == "vLLM failed: OSError: no driver"
