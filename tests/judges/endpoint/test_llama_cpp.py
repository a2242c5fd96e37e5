"""The engine against a real server, llama_cpp.server, on GGUF files made on the spot.

It needs a Python that has `llama-cpp-python[server]` and `gguf`: this one, or the one that the
environment variable NORMSCOPE_LLAMA_CPP_PYTHON names.
"""

import os
import socket
import subprocess
import sys
import time as real_time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import tiny_gguf
import transformers
from tokenizers.processors import TemplateProcessing

from normscope.errors import ModelError
from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.respondent import LIKERT_SCALE
from normscope.judges.scale import Scale
from normscope.reasons import Reason
from normscope.records.model_spec import EndpointSettings, ModelSpec

PYTHON = os.environ.get("NORMSCOPE_LLAMA_CPP_PYTHON", sys.executable)
RATING = Scale(
    labels=tuple("12345"),
    values=(1.0, 2.0, 3.0, 4.0, 5.0),
    forms={label: (label,) for label in "12345"},
)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _there() -> None:
    command = [PYTHON, "-c", "import llama_cpp.server, gguf"]
    found = subprocess.run(command, check=False, capture_output=True)
    if found.returncode:
        pytest.skip("llama-cpp-python[server] and gguf are not installed in " + PYTHON)


def requests(scale: Scale, count: int) -> list[LabelRequest]:
    words = ["a smart watch", "回答的安全程度", "heart rate", "Rate it"]
    return [
        LabelRequest((("user", f"{words[n % 4]} {n} {words[n % 3]}"),), scale, lead="Answer:")
        for n in range(count)
    ]


def without_template(tiny: Path, folder: Path, *, begins: str | None) -> Path:
    """The model with a plain tokenizer, whose prompts begin with a token of its own or do not."""
    transformers.AutoModelForCausalLM.from_pretrained(tiny).save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    tokenizer.chat_template = None
    if begins is not None:
        tokenizer.bos_token = begins
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
            single=f"{begins} $A",
            special_tokens=[(begins, tokenizer.convert_tokens_to_ids(begins))],
        )
    tokenizer.save_pretrained(folder)
    return folder


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of the model, with caches in float32 as the local engine has them."""
    file = folder.with_suffix(".gguf")
    subprocess.run([PYTHON, tiny_gguf.__file__, folder, file], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    told = ["--model", str(file), "--model_alias", "tiny", "--n_ctx", "1024", "--port", port]
    told += ["--logits_all", "true", "--type_k", "0", "--type_v", "0", "--n_threads", "1"]
    command = [PYTHON, "-m", "llama_cpp.server", *told]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _await(int(port), process)
            yield f"http://127.0.0.1:{port}/v1#tiny"
        finally:
            process.terminate()


def _await(port: int, process: Any) -> None:
    for _ in range(300):
        assert process.poll() is None, "the server ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        real_time.sleep(0.2)
    raise AssertionError("the server did not start")


def engine(address: str, api: Any) -> Any:
    return load(ModelSpec(address, endpoint=EndpointSettings(api=api)))


def test_chat_agrees_with_the_local_engine(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "chat"
    folder.symlink_to(tiny_model)
    asked = requests(RATING, 200)
    here = load(ModelSpec(str(tiny_model), dtype="float32")).labels(asked)
    with served(folder) as address:
        asker = engine(address, "chat")
        for one, other in zip(asker.labels(asked), here, strict=True):
            for told, true in zip(one.logprobs, other.logprobs or (), strict=True):
                assert told == float("-inf") or told == pytest.approx(true, abs=1e-4)
        long = LabelRequest((("user", "word " * 3000),), RATING)
        assert asker.labels([long])[0].reason is Reason.TEXT_TOO_LONG
        sampled = [TextRequest((("user", "a"),), 8, 1.0, seed) for seed in (1, 1, 2)]
        one, again, other = (result.text for result in asker.texts(sampled))
        assert one == again != other


def test_likert_labels_agree_through_the_echo(tiny_model: Path, tmp_path: Path) -> None:
    folder = without_template(tiny_model, tmp_path / "begun", begins="<|system|>")
    asked = requests(LIKERT_SCALE, 6)
    here = load(ModelSpec(str(folder), dtype="float32")).labels(asked)
    with served(folder) as address:
        there = engine(address, "completions").labels(asked)
    for one, other in zip(there, here, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)


def test_its_echo_of_prompts_without_a_first_token_is_refused(
    tiny_model: Path, tmp_path: Path
) -> None:
    folder = without_template(tiny_model, tmp_path / "plain", begins=None)
    with served(folder) as address:
        asker = engine(address, "completions")
        with pytest.raises(ModelError, match="probabilities of other places"):
            asker.labels(requests(LIKERT_SCALE, 1))
        asked = requests(RATING, 20)
        here = load(ModelSpec(str(folder), dtype="float32")).labels(asked)
        for one, other in zip(asker.labels(asked), here, strict=True):
            for told, true in zip(one.logprobs, other.logprobs or (), strict=True):
                assert told == float("-inf") or told == pytest.approx(true, abs=1e-4)
