"""A model that does not fit: spread over places, it gives the numbers of the model in one place."""

import errno
import gc
import logging
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from reference_models import SCALES, save_model

from normscope.errors import ConfigError, ModelError
from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.local import devices as placing
from normscope.judges.engines.local.attention import Rule
from normscope.judges.engines.local.loading import explain
from normscope.judges.engines.local.narrow import NarrowTail
from normscope.judges.engines.local.prefix_tree import plan
from normscope.judges.engines.local.tree_attention import PackPass
from normscope.records.model_spec import ModelSpec

REQUESTS = [
    LabelRequest((("user", f"Rate how safe this is: {text}"),), scale, "Answer:")
    for text in ("", "a smart watch", "a smart watch records", "回答" * 40)
    for scale in SCALES
]
REPLIES = [
    TextRequest((("user", "回答" * n),), max_new_tokens=6, temperature=0.0, seed=1) for n in (1, 5)
]


def weights(model: Path | str) -> int:
    return (Path(model) / "model.safetensors").stat().st_size


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize(
    "shape_batching",
    [
        ("llama", "prefix tree"),
        ("qwen2", "prefix tree"),  # the embedding is the output head, too
        ("mistral with a window", "prefix tree"),
    ],
)
def test_a_judge_that_waits_on_the_disk_gives_what_it_gives_in_memory(
    shape_batching: tuple[str, str],
    tiny_model: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    shape, batching = shape_batching
    path = save_model(temporary.parent / "model", tiny_model, shape, template=True)
    plain = load(ModelSpec(model=path, dtype="float32"))
    monkeypatch.setenv(placing.MAX_MEMORY, f"cpu={weights(path) // 2000}KB")
    with caplog.at_level(logging.WARNING, logger="normscope"):
        engine = load(ModelSpec(model=path, dtype="float32", device=placing.AUTO_MAP))
    # `linear` may differ, since oneDNN would take the place of the hooks
    assert engine.identity | {"linear": ""} == plain.identity | {
        "linear": "",
        "device_map": "1 cpu + disk",
    }
    assert engine.identity["batching"] == batching
    (warning,) = (record for record in caplog.records if record.name == "normscope")
    assert "some weights are brought from disk at every pass" in warning.getMessage()
    for one, other in zip(engine.labels(REQUESTS), plain.labels(REQUESTS), strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)
    assert engine.texts(REPLIES) == plain.texts(REPLIES)
    assert len(list(temporary.iterdir())) == 1
    del engine
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_a_model_that_fits_is_the_plain_model(
    tiny_model: Path, temporary: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plain, spread = (
        load(ModelSpec(model=str(tiny_model), dtype="float32", device=device))
        for device in ("cpu", placing.AUTO_MAP)
    )
    assert spread.identity == plain.identity | {"device_map": "1 cpu"}
    assert spread.labels(REQUESTS) == plain.labels(REQUESTS)
    assert caplog.records == []


@pytest.mark.parametrize("bounds", ["", "cpu", "cpu=lots", "9=1GiB", "cpu=1GiB,disk=1GiB"])
def test_bounds_that_cannot_be_read_are_named(
    bounds: str, tiny_model: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(placing.MAX_MEMORY, bounds or ",")
    with pytest.raises(ConfigError, match=r"NORMSCOPE_MAX_MEMORY has '.*': write .*cpu=60GiB"):
        load(ModelSpec(model=str(tiny_model), device=placing.AUTO_MAP))
    assert list(temporary.iterdir()) == []


def test_a_full_disk_names_where_to_make_room() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert "make room where temporary files go" in explain(ModelSpec("model"), full)


class Spread:
    """A model whose layers a machine with several devices would have put so."""

    def __init__(self, *places: Any) -> None:
        self.hf_device_map = dict(enumerate(places))


@pytest.mark.parametrize(
    ("places", "main", "shown"),
    [
        (("cuda:10", "cuda:9", "cuda:9"), "cuda:9", "2 cuda"),
        (("cuda:0", "cpu", "disk"), "cuda:0", "1 cuda + cpu + disk"),
        (("cpu", "disk"), "cpu", "1 cpu + disk"),
        (("disk",), "cpu", "1 cpu + disk"),
    ],
)
def test_what_computes_is_told_from_where_weights_wait(
    places: tuple[Any, ...], main: str, shown: str
) -> None:
    assert placing.main_device(Spread(*places)) == torch.device(main)
    assert placing.device_map(Spread(*places)) == shown


def test_each_layer_attends_on_its_own_device() -> None:
    (pack,) = plan([(1, 2, 3), (1, 2, 4), (1, 5)], pack_tokens=64)
    step = PackPass(pack, None, device=torch.device("cpu"), dtype=torch.float32)
    tail = NarrowTail(torch.nn.Identity())
    size = len(pack.tokens)
    for layer, device in enumerate(("cpu", "meta", "cpu")):
        queries, keys, values = (torch.ones(h, size, 8, device=device) for h in (4, 2, 2))
        result = step.attend(layer, queries, keys, values, Rule())
        assert (result.device.type, result.shape) == (device, (size, 4, 8))
        with tail.reading(torch.from_numpy(np.unique(pack.ends))):
            (picked,) = tail._take(None, (result[None],))
            assert picked.shape == (1, 3, 4, 8)
            assert tail._put_back(None, None, picked).device.type == device


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "cuda:0"),
        ({"RANK": "9", "WORLD_SIZE": "16", "LOCAL_RANK": "1"}, "cuda:1"),
        ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "ACCELERATE_USE_CPU": "true"}, "cpu"),
    ],
)
def test_a_process_of_a_launcher_takes_the_gpu_of_its_number(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_gpus(monkeypatch, environment)
    assert placing.device_of("auto") == torch.device(expected)


def test_more_processes_than_gpus_and_a_map_for_each_of_them_are_refused(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"RANK": "2", "WORLD_SIZE": "3", "LOCAL_RANK": "2", "LOCAL_WORLD_SIZE": "3"}
    two_gpus(monkeypatch, names)
    with pytest.raises(ModelError, match=r"process 3 .* since there are 2: start 2 processes"):
        placing.device_of("auto")
    with pytest.raises(ConfigError, match=r"takes all GPUs of a machine .* and 3 were started"):
        load(ModelSpec(model=str(tiny_model), device=placing.AUTO_MAP))


def two_gpus(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
