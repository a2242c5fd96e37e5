"""The local engine beside its readings (see test_conformance): loading, memory, texts, its line."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from reference_models import MORAL, RATING, SCALES
from tiny_model import make_tiny_model

from normscope.errors import ConfigError, ModelError
from normscope.format import number
from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.local import transformers as local
from normscope.judges.engines.local.loading import Described, load_model
from normscope.judges.engines.local.transformers import (
    Choice,
    TransformersEngine,
    Way,
    way_and_cost,
)
from normscope.messages import message, translate
from normscope.pipeline.workers.cluster import described
from normscope.progress import hidden
from normscope.reasons import Reason
from normscope.records.model_spec import ModelSpec


def requests() -> list[LabelRequest]:
    """Prompts that share beginnings, begin one another, repeat, and ask on several scales."""
    stem = "Rate how safe this answer is. 请给这个回答打分。"
    questions = ["", "1", "1 to 5", "a smart watch", "a smart watch records", "回答", "回答"]
    return [
        LabelRequest(conversation=(("user", stem + question),), scale=scale, lead="Answer:")
        for question in questions
        for scale in SCALES
    ]


def texts(*seeds: int, temperature: float = 1.0) -> list[TextRequest]:
    """Requests of unlike length, a few for each seed."""
    return [
        TextRequest((("user", "回答" * n),), max_new_tokens=12, temperature=temperature, seed=seed)
        for seed in seeds
        for n in (1, 7, 3)
    ]


def in_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where nothing else gives what plain rows give."""
    for way in (Way.TREE, Way.CARRIED):
        # a ValueError when it is iterated over
        monkeypatch.setitem(local.READERS, way, lambda *_, **__: map(int, ["not this model"]))


def test_a_model_that_no_tree_gives_takes_the_plain_pass_and_says_so(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load(ModelSpec(model=str(tiny_model))).identity["batching"] == "prefix tree"
    in_rows(monkeypatch)
    engine = load(ModelSpec(model=str(tiny_model)))
    assert isinstance(engine, TransformersEngine)
    assert engine.identity["batching"] == "plain rows"
    assert engine.why == (
        "packs give other logits than plain rows, and its cache cannot be carried on"
    )


def test_a_unit_gives_the_same_bits_twice(tiny_model: Path) -> None:
    one, other = (load(ModelSpec(model=str(tiny_model))).labels(requests()) for _ in range(2))
    assert one == other


def test_a_prompt_beyond_the_context_is_unscored_and_the_others_are_not(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model)))
    long = LabelRequest(conversation=(("user", "长" * 100_000),), scale=MORAL)
    first, second = engine.labels([long, requests()[0]])
    assert (first.logprobs, first.reason) == (None, Reason.TEXT_TOO_LONG)
    assert second.logprobs is not None


def test_text_with_every_plane_and_template_marks_is_answered(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model)))
    planes = "".join(chr(plane * 0x10000 + 0x41) for plane in range(17)) + "\0\x1b<|end|>"
    (result,) = engine.labels([LabelRequest(conversation=(("user", planes),), scale=MORAL)])
    assert result.logprobs is not None


def test_another_seed_is_another_draw_and_another_prompt_too(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model), dtype="float32"))
    written = [result.text for result in engine.texts(texts(1, 2, 1))]
    assert written[:3] == written[6:]
    assert len(set(written)) == 6


def test_what_a_checkpoint_prefers_when_writing_is_not_mixed_in(
    tiny_model: Path, tmp_path: Path
) -> None:
    wilful = shutil.copytree(tiny_model, tmp_path / "wilful")
    path = wilful / "generation_config.json"
    preferred = {"repetition_penalty": 50.0, "temperature": 0.1, "do_sample": True, "top_k": 1}
    path.write_text(json.dumps(json.loads(path.read_text()) | preferred))
    for temperature in (0.0, 1.0):
        asked = texts(1, temperature=temperature)
        plain, other = (
            load(ModelSpec(model=str(m), dtype="float32")) for m in (tiny_model, wilful)
        )
        assert plain.texts(asked) == other.texts(asked)


class Crowded:
    """A device on which no more than `room` tokens can pass at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room = room

        def crowded(spec: ModelSpec, described: Described) -> Any:
            loaded = load_model(spec, described)
            loaded[0].register_forward_pre_hook(self._pass, with_kwargs=True)
            return loaded

        monkeypatch.setattr(local, "load_model", crowded)

    def _pass(self, _: Any, args: Any, told: Any) -> None:
        size = (told.get("input_ids") if not args else args[0]).numel()
        if size > self.room:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")


def test_out_of_memory_says_with_which_plan_to_go_on(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowded = Crowded(monkeypatch, room=300)
    engine = load(ModelSpec(model=str(tiny_model), dtype="float32", pack_tokens=256))
    assert engine.labels(requests())
    crowded.room = 10
    with pytest.raises(ModelError, match=r"256 tokens .* again with pack_tokens=128, .*fin"):
        engine.labels(requests())
    with pytest.raises(ModelError, match=" pack_tokens=128"):
        engine.texts(texts(1))
    with pytest.raises(ModelError, match=r"out of memory with 64 tokens .* pack_tokens=32"):
        load(ModelSpec(model=str(tiny_model), dtype="float32", pack_tokens=64))


def test_a_pack_has_a_token_at_least() -> None:
    with pytest.raises(ConfigError, match="pack_tokens is at least 1, not 0"):
        load(ModelSpec(model="any", pack_tokens=0))


def test_a_chat_template_of_ones_own_takes_the_place_of_the_tokenizers(
    tiny_model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "chat.jinja"
    path.write_text("{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[reply]")
    plain, other = (
        load(ModelSpec(model=str(tiny_model), dtype="float32", chat_template=template))
        for template in (None, str(path))
    )
    assert other.identity["chat_template"] not in {None, plain.identity["chat_template"]}
    assert other.identity["content"] == plain.identity["content"]
    assert other.labels(requests())[0].logprobs != plain.labels(requests())[0].logprobs


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe", "cannot be read: .utf-8. codec"),
        (b"{# " + b"x" * (1 << 18) + b" #}", "or larger than 262144 bytes"),
        (b"{{ messages[0].content.__class__.mro() }}", "fails on a conversation of user"),
        (b"{{ 'x' * 10**10 }}", "takes more than 1024 MiB"),
        (b"hello", "leaves out what the user says"),
        (b"", "is empty, or"),
    ],
)
def test_a_chat_template_that_cannot_be_used_is_refused_at_once(
    content: bytes | None, told: str, tiny_model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "chat.jinja"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=told):
        load(ModelSpec(model=str(tiny_model), chat_template=str(path)))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True},
            r"its weights are quantised \(awq\): install the package that reads them",
        ),
        (
            {"quant_method": "gptq", "bits": 4, "group_size": 32},
            r"its weights are quantised \(gptq\): install the package that reads them",
        ),
    ],
)
def test_a_quantised_checkpoint_without_its_package_names_the_remedy(
    settings: dict[str, Any], told: str, tiny_model: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "quantised")
    config = folder / "config.json"
    config.write_text(
        json.dumps(json.loads(config.read_text()) | {"quantization_config": settings})
    )
    with pytest.raises(ModelError, match=told):
        load(ModelSpec(model=str(folder)))


@pytest.mark.parametrize(
    "spoilt",
    [{"num_hidden_layers": "two"}, {"model_type": "no-such-model"}, {"hidden_act": "no-such-act"}],
)
def test_a_config_that_makes_no_model_is_an_error_of_ours(
    spoilt: dict[str, Any], tiny_model: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "spoilt")
    config = folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | spoilt))
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(ModelSpec(model=str(folder)))


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("./no-such-folder", "there is no model folder './no-such-folder'"),
        (
            "nobody/no-such-model",
            "no such folder here, so that .* on the Hub: .* the network",
        ),
    ],
)
def test_a_model_that_is_not_there_is_named_with_the_remedy(model: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        load(ModelSpec(model=model))


def test_a_folder_without_a_config_or_with_pickled_weights_is_refused(
    tiny_model: Path, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"has no config\.json"):
        load(ModelSpec(model=str(tmp_path)))
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((tiny_model / name).read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="only safetensors weights"):
        load(ModelSpec(model=str(tmp_path)))


def test_a_tiny_model_is_the_same_when_made_again(tmp_path: Path) -> None:
    lessons = requests()[:4]
    folders = [make_tiny_model(tmp_path / n, ["a b c"], teach=lessons, steps=2) for n in "ab"]
    weights = [(folder / "model.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1]


def test_of_requests_that_are_all_too_long_none_is_written(tiny_model: Path) -> None:
    engine = load(ModelSpec(model=str(tiny_model)))
    asked = TextRequest((("user", "回答"),), max_new_tokens=10**6, temperature=0.0, seed=0)
    assert [r.reason for r in engine.texts([asked, asked])] == [Reason.TEXT_TOO_LONG] * 2
    assert engine.texts([]) == []


REQUESTS = [
    LabelRequest((("user", f"Rate how safe this is: {'rain ' * n}"),), scale, "Answer:")
    for n in (1, 2, 2, 40)
    for scale in (MORAL, RATING)
]


@pytest.fixture
def engine(tiny_model: Path) -> TransformersEngine:
    loaded = load(ModelSpec(model=str(tiny_model), dtype="float32", pack_tokens=64))
    assert isinstance(loaded, TransformersEngine)
    return loaded


@pytest.mark.parametrize("way", Way)
def test_the_tokens_that_are_told_are_those_that_pass(
    way: Way, engine: TransformersEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    passed: list[int] = []

    def count(_: Any, __: Any, settings: dict[str, Any]) -> None:
        passed.append(settings["input_ids"].numel())

    engine.way = way
    sequences = engine._reader.plan(REQUESTS).sequences
    engine._model.register_forward_pre_hook(count, with_kwargs=True)
    engine.labels(REQUESTS)
    ratio = sum(map(len, sequences)) / sum(passed)
    (line,) = capsys.readouterr().err.splitlines()
    # packs and carried states spare tokens
    assert (ratio > 1) == (way is not Way.ROWS)
    assert f"{engine.name}: {way}, 1 of {number(ratio)} tokens computed" in line


def test_it_is_said_once_and_not_where_nothing_is_to_be_shown(
    engine: TransformersEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    with hidden():
        engine.labels(REQUESTS)
    assert capsys.readouterr().err == ""
    # of replies no cost: how long they get is not known
    engine.texts([TextRequest((("user", "rain"),), max_new_tokens=1, temperature=0.0, seed=0)])
    assert capsys.readouterr().err == f"{engine.name}: prefix tree\n"
    engine.labels(REQUESTS)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(Way.TREE), "m: prefix tree, 1 of 2.50 tokens computed"),
        (
            Choice(Way.ROWS, "its layers are linear"),
            "m: plain rows, 1 of 2.50 tokens computed (its layers are linear)",
        ),
    ],
)
def test_the_line_has_the_way_the_cost_and_the_reason(choice: Choice, expected: str) -> None:
    assert way_and_cost("m", choice, 20, 8) == expected
    assert way_and_cost("m", choice) == expected.replace(", 1 of 2.50 tokens computed", "")


def test_the_line_is_translated_whole() -> None:
    reason = message("packs give other logits than plain rows")
    line = way_and_cost("m", Choice(Way.ROWS, reason), 6, 4)
    assert line.startswith("m: plain rows, 1 of 1.50 tokens computed (packs give other")
    assert translate(line, "zh") == (
        "m：逐行计算，每 1.50 个词元只计算 1 个（打包计算的 logits 与普通逐行计算不同）"
    )


def test_a_machine_of_a_cluster_tells_it_to_the_driver(
    tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, how = described(ModelSpec(model=str(tiny_model)))
    assert how == f"{tiny_model}: prefix tree"
    assert capsys.readouterr().err == ""
