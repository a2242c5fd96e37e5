"""The same model behind a server and loaded here: the same labels, and the same texts."""

from pathlib import Path
from typing import Any

import pytest
import scripted_server as s
import transformers

from normscope.errors import ModelError
from normscope.judges.engine import Conversation, LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.respondent import LIKERT_SCALE
from normscope.judges.scale import Scale
from normscope.records.model_spec import ModelSpec


def plainly(labels: str) -> Scale:
    """One spelling for each label: the tokenizer of these tests has no token ' 4' or '４'."""
    return Scale(
        labels=tuple(labels),
        values=tuple(map(float, range(len(labels)))),
        forms={label: (label,) for label in labels},
    )


MORAL, RATING = plainly("01"), plainly("12345")
WORDS = ("a smart watch", "回答", "打分", "rate", "safe?", "<|end|>", "1 to 5", "\n", "heart rate")


def requests(scales: tuple[Scale, ...], count: int) -> list[LabelRequest]:
    """Prompts of several lengths, languages and turns, each on the next of the scales."""
    made = []
    for n in range(count):
        question = " ".join(WORDS[(n * k) % len(WORDS)] for k in range(1, 2 + n % 7)) + f" {n}"
        turns: Conversation = (("user", question),)
        if n % 5 == 4:
            turns = (("user", "hello"), ("assistant", "a reply"), *turns)
        made.append(LabelRequest(conversation=turns, scale=scales[n % len(scales)], lead="Answer:"))
    return made


@pytest.fixture(scope="module")
def plain(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model without its chat template: both engines then write plain text."""
    folder = tmp_path_factory.mktemp("models") / "plain"
    transformers.AutoModelForCausalLM.from_pretrained(tiny_model).save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_model)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_single_token_requests_agree_with_the_local_engine(
    api: str, tiny_model: Path, plain: Path, engine_for: Any
) -> None:
    folder = tiny_model if api == "chat" else plain
    asked = requests((MORAL, RATING), 60)
    here = load(ModelSpec(str(folder), dtype="float32")).labels(asked)
    whole = len(transformers.AutoTokenizer.from_pretrained(folder))
    with s.serve(Everything(s.TinyVoice(folder), whole)) as server:
        there = engine_for(server, api=api).labels(asked)
    for one, other in zip(there, here, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
        assert one.unseen <= 1e-4
        assert one.raw_top is not None
        assert other.raw_top is not None
        # in completions all parts of characters are one entry, the last of them
        best = other.raw_top[0].token
        assert best in ("\ufffd", one.raw_top[0].token)


class Everything:
    """A voice that tells every token, however few it is asked for."""

    def __init__(self, voice: s.TinyVoice, whole: int) -> None:
        self._voice, self._whole = voice, whole
        self.chat_prompt, self.echo, self.write = voice.chat_prompt, voice.echo, voice.write

    def next_top(self, prompt: str, _most: int) -> s.Top:
        return self._voice.next_top(prompt, self._whole)


def test_likert_labels_agree_through_the_echo(plain: Path, engine_for: Any) -> None:
    asked = requests((LIKERT_SCALE,), 6)
    here = load(ModelSpec(str(plain), dtype="float32")).labels(asked)
    with s.serve_model(plain) as server:
        there = engine_for(server, api="completions").labels(asked)
        # 5 labels in 4 spellings and the prompt alone, 6 times; the check of the echo is 3
        assert len(server.bodies) == 21 * 6 + 3
    for one, other in zip(there, here, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
        assert one.unseen == 0.0
        assert one.raw_top is not None
        assert other.raw_top is not None
        assert one.raw_top[0].token == other.raw_top[0].token


@pytest.mark.parametrize(
    ("echoes", "told"),
    [
        ("none", "does not echo prompts with log-probabilities, so labels of several tokens"),
        ("shifted", "echoes prompts with the probabilities of other places"),
    ],
)
def test_an_echo_that_is_none_or_wrong_is_an_error(
    echoes: str, told: str, plain: Path, engine_for: Any
) -> None:
    with s.serve_model(plain, echoes=echoes) as server:
        engine = engine_for(server, api="completions")
        with pytest.raises(ModelError, match=told):
            engine.labels(requests((LIKERT_SCALE,), 2))
        assert engine.labels(requests((MORAL,), 2))[0].reason is None


def test_a_server_that_refuses_an_echo_is_an_error(plain: Path, engine_for: Any) -> None:
    with s.serve_model(plain, refuses=["echo"]) as server:
        engine = engine_for(server, api="completions")
        with pytest.raises(ModelError, match=r"does not echo prompts .*'echo' is not supported"):
            engine.labels(requests((LIKERT_SCALE,), 1))


def test_texts_agree_and_sampling_goes_by_the_seed(tiny_model: Path, engine_for: Any) -> None:
    asked = [
        TextRequest((("user", f"question {n}"),), max_new_tokens=6, temperature=0.0, seed=0)
        for n in range(4)
    ]
    here = load(ModelSpec(str(tiny_model), dtype="float32")).texts(asked)
    with s.serve_model(tiny_model) as server:
        engine = engine_for(server)
        assert engine.texts(asked) == here
        sampled = [TextRequest((("user", "a"),), 12, 2.0, seed) for seed in (1, 1, 2)]
        one, again, other = [result.text for result in engine.texts(sampled)]
        assert one == again != other
