"""The vLLM engine: on a scripted stand-in everywhere, and on vLLM itself where it is installed."""

import json
import math
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import transformers
from reference_models import (
    NEAR,
    RATING,
    label_tokens,
    plain_logprobs,
    prompt_of,
    requests,
    save_model,
)
from scripted_vllm import Asked, stand_in

from normscope.errors import MissingExtraError, ModelError
from normscope.judges.engine import Engine, LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.local.reads import branches_of
from normscope.reasons import Reason
from normscope.records.model_spec import ModelSpec


@pytest.fixture(scope="module")
def model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("vllm") / "model"
    name: str = save_model(folder, tiny_model, "qwen3", template=True)
    return name


def scripted(
    monkeypatch: pytest.MonkeyPatch, model: str, *, spec: Any = None, **how: Any
) -> tuple[Engine, Asked]:
    asked = Asked()
    monkeypatch.setitem(sys.modules, "vllm", stand_in(asked, **how))
    settings = {"dtype": "float32", **(spec or {})}
    return load(ModelSpec(model=f"vllm:{model}", **settings)), asked


def test_the_engine_reads_what_a_plain_forward_pass_reads(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, _ = scripted(monkeypatch, model)
    asked, expected = requests()[::7], plain_logprobs(model, 7)
    for result, plain in zip(engine.labels(asked), expected, strict=True):
        assert result.logprobs == pytest.approx(plain, abs=NEAR)


def test_the_five_likeliest_tokens_are_read_right_after_each_prompt(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what CFSafety's published arithmetic needs, as the local engine records it
    engine, asked = scripted(monkeypatch, model)
    mine = requests()[:12]
    local = load(ModelSpec(model=model, dtype="float32", device="cpu")).labels(mine)
    for result, other in zip(engine.labels(mine), local, strict=True):
        assert result.raw_top is not None
        assert other.raw_top is not None
        assert [t.token for t in result.raw_top] == [t.token for t in other.raw_top]
        assert [t.prob for t in result.raw_top] == pytest.approx(
            [t.prob for t in other.raw_top], abs=NEAR
        )
        assert len(result.raw_top) == 5
    assert sum(p.logprobs == 5 for p in asked.params) == len(mine)


def test_prompts_are_our_own_tokens_each_read_once_and_neighbours_share_their_beginning(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, asked = scripted(monkeypatch, model)
    mine = requests()[:12]
    engine.labels(mine)
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    expected = [
        prompt_of(tokenizer, request) + prefix
        for request in mine
        for prefix in (*branches_of(label_tokens(tokenizer, request.scale)), ())
    ]
    # in sorted order, where what begins alike stands together
    assert asked.prompts == sorted(expected)
    assert {(p.max_tokens, p.temperature, p.detokenize) for p in asked.params} == {(1, 0.0, False)}
    # prompt log-probabilities would switch the prefix cache off
    assert {p.prompt_logprobs for p in asked.params} == {None}


def test_vllm_is_told_to_cache_prefixes_to_run_no_code_and_to_read_safetensors_only(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, asked = scripted(monkeypatch, model, spec={"tensor_parallel": 2})
    told = {
        "model": model,
        "tokenizer": model,
        "trust_remote_code": False,
        "load_format": "safetensors",
        "enable_prefix_caching": True,
        "logprobs_mode": "raw_logprobs",
        "tensor_parallel_size": 2,
        "dtype": "float32",
        "seed": 0,
    }
    assert {name: asked.settings[name] for name in told} == told
    identity = json.loads(json.dumps(engine.identity))
    assert identity["engine"] == "vllm"
    assert identity["vllm"] == "0.0.scripted"
    assert identity["model"] == engine.name == f"vllm:{model}"
    assert identity["tensor_parallel"] == 2
    assert len(identity["content"]) == len(identity["chat_template"]) == 64


def test_dtype_auto_is_the_checkpoints_own_which_vllm_would_halve(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, asked = scripted(monkeypatch, model, spec={"dtype": "auto"})
    assert asked.settings["dtype"] == "float32"
    assert engine.identity["dtype"] == "float32"


def test_a_prompt_beyond_the_context_is_unscored_and_the_others_are_not(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, _ = scripted(monkeypatch, model, context=60)
    long, short = (LabelRequest((("user", "长" * n),), RATING) for n in (60, 1))
    first, second = engine.labels([long, short])
    assert (first.logprobs, first.reason) == (None, Reason.TEXT_TOO_LONG)
    assert second.logprobs is not None
    text = TextRequest((("user", "a"),), max_new_tokens=60, temperature=0.0, seed=0)
    assert engine.texts([text])[0].reason is Reason.TEXT_TOO_LONG
    assert engine.labels([]) == []
    assert engine.texts([]) == []


def test_a_reply_is_sampled_with_a_seed_of_its_own_prompt_and_decoded_by_us(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    script = [*tokenizer.encode("neutral", add_special_tokens=False), tokenizer.eos_token_id]
    engine, asked = scripted(monkeypatch, model, script=script)
    written = engine.texts(
        [
            TextRequest((("user", text),), max_new_tokens=20, temperature=0.7, seed=seed)
            for text, seed in (("a", 1), ("b", 1), ("a", 1), ("a", 2))
        ]
    )
    assert [result.text for result in written] == ["neutral"] * 4
    seeds = [params.seed for params in asked.params]
    assert seeds[0] == seeds[2]
    assert len(set(seeds)) == 3
    assert {(p.temperature, p.max_tokens, p.top_p, p.top_k) for p in asked.params} == {
        (0.7, 20, 1.0, 0)
    }


def test_an_empty_reply_is_no_answer(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, _ = scripted(monkeypatch, model)
    (result,) = engine.texts([TextRequest((("user", "a"),), 5, temperature=0.0, seed=0)])
    assert (result.text, result.reason) == ("", Reason.NO_ANSWER)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"old": True}, r"vLLM 0\.0\.scripted cannot read .* install vllm>=0\.28"),
        ({"dies": True}, r"EngineCore encountered an issue.*finished units are kept"),
        ({"left_out": 0}, "left out the log-probability of token 0"),
    ],
)
def test_what_vllm_cannot_do_is_an_error_with_the_remedy(
    how: Any, told: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match=told):
        scripted(monkeypatch, model, **how)[0].labels(requests()[:6])


def test_one_vllm_runs_at_a_time(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, asked = scripted(monkeypatch, model)
    engine.labels(requests()[:1])
    assert not asked.ended
    other, _ = scripted(monkeypatch, model)
    assert asked.ended
    assert other.labels(requests()[:1])
    with pytest.raises(ModelError, match="was ended when another vLLM was started"):
        engine.labels(requests()[:1])


def test_a_model_that_is_not_there_is_named_before_vllm_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ModelError, match=r"there is no model folder '\./none'"):
        scripted(monkeypatch, "./none")


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vllm is installed")
def test_without_vllm_the_extra_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r"normscope\[vllm\]"):
        load(ModelSpec(model="vllm:some/model"))


@pytest.mark.vllm
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(find_spec("vllm") is None, reason="vllm is not installed in this environment")
def test_vllm_itself_reads_what_a_plain_forward_pass_reads(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # read by vLLM's build for processors only: GiB of keys and values
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    engine: Any = load(ModelSpec(model=f"vllm:{model}", dtype="float32"))
    asked, expected = requests(), plain_logprobs(model)
    for request, result, plain in zip(asked, engine.labels(asked), expected, strict=True):
        assert result.logprobs == pytest.approx(plain, abs=NEAR), request
    # the same by vLLM's prompt log-probabilities, for a scale of several tokens
    tokenizer = engine._tokenizer
    request = next(r for r in asked if "somewhat acceptable" in r.scale.labels)
    prompt, tokens = prompt_of(tokenizer, request), label_tokens(tokenizer, request.scale)
    for forms, logprob in zip(tokens, expected[asked.index(request)], strict=True):
        read = engine._llm.generate(
            [{"prompt_token_ids": [*prompt, *ids]} for ids in forms],
            engine._vllm.SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=0),
            use_tqdm=False,
        )
        total = sum(
            math.exp(
                sum(
                    places[token].logprob
                    for places, token in zip(
                        output.prompt_logprobs[len(prompt) :], ids, strict=True
                    )
                )
            )
            for output, ids in zip(read, forms, strict=True)
        )
        assert math.log(total) == pytest.approx(logprob, abs=NEAR)
    texts = [
        TextRequest((("user", text),), max_new_tokens=8, temperature=1.0, seed=seed)
        for text, seed in (("a", 1), ("a", 1), ("a", 2))
    ]
    first, again, other = (result.text for result in engine.texts(texts))
    assert first == again != other
