"""Chat templates that lose what is said, and those that ask for the time."""

import datetime
import shutil
from pathlib import Path
from typing import Any

import pytest
import transformers
from transformers.utils import chat_template_utils

from normscope.errors import ConfigError, ModelError
from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.chat import at_date, render
from normscope.judges.engines.local.loading import describe
from normscope.judges.scale import Scale
from normscope.records.model_spec import DATE, ModelSpec

SCALE = Scale(labels=("0", "1"), values=(0.0, 1.0))
EACH = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}<|end|>{% endfor %}<|assistant|>"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ 1 / 0 }}{% endif %}" + EACH
LAST = "<|user|>{{ messages[-1].content }}<|end|><|assistant|>"
# as in Llama 3.2 and Granite
DATED = "{% set day = strftime_now('%d %b %Y') %}Today Date: {{ day }}\n" + EACH
QUESTION = (("user", "Is it a bun?"),)
DIALOGUE = (("user", "Hello."), ("assistant", "Hello!"), *QUESTION)
INSTRUCTED = (("system", "Be brief."), *QUESTION)


def without(role: str) -> str:
    return EACH.replace("messages %}", f"messages if m.role != '{role}' %}}")


@pytest.fixture
def model_with(tiny_model: Path, tmp_path: Path) -> Any:
    """Makes a model whose own chat template is the one given."""

    def make(template: str) -> Path:
        folder = tmp_path / f"model-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(tiny_model, folder)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        tokenizer.chat_template = template
        tokenizer.save_pretrained(folder)
        return folder

    return make


def a_tokenizer(model_with: Any, template: str) -> Any:
    return describe(ModelSpec(str(model_with(template)))).tokenizer


def at(monkeypatch: pytest.MonkeyPatch, day: datetime.datetime) -> None:
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return day.astimezone(tz) if tz else day

    monkeypatch.setattr(chat_template_utils, "datetime", Clock)
    chat_template_utils._compile_jinja_template.cache_clear()


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (without("user"), "leaves out what the user says in a conversation of user"),
        ("Answer the question.", "leaves out what the user says"),
        ("{{ messages[0].content[:3] }}", "leaves out what the user says"),
        ("{{ raise_exception('no user') }}", r"fails on a conversation of user \(no user\)"),
        (EACH + "{{ ['A', 'B'] | random }}", "draws lots"),
        # as Python shows it: with its place in memory
        (EACH + "{{ raise_exception }}", "does not write the same text twice"),
        ("{% if messages[0].content == 'what turn 1 says' %}" + EACH + "{% endif %}", "leaves out"),
    ],
)
def test_a_template_of_the_models_own_that_loses_the_question_is_refused(
    template: str, told: str, model_with: Any
) -> None:
    folder = model_with(template)
    with pytest.raises(ModelError, match=told) as refused:
        render(describe(ModelSpec(str(folder))).tokenizer, QUESTION, "")
    assert "give another with chat_template=FILE" in str(refused.value)
    remedy = folder / "chat.jinja"
    remedy.write_text(EACH)
    assert describe(ModelSpec(str(folder), chat_template=str(remedy))).identity["chat_template"]


@pytest.mark.parametrize(
    ("template", "lost"), [(LAST, "user"), (without("assistant"), "assistant")]
)
def test_a_dialogue_of_which_a_turn_is_lost_is_refused_and_a_question_is_not(
    template: str, lost: str, model_with: Any
) -> None:
    tokenizer = a_tokenizer(model_with, template)
    assert "Is it a bun?" in render(tokenizer, QUESTION, "")
    told = f"leaves out what the {lost} says in a conversation of user, assistant, user"
    with pytest.raises(ModelError, match=told):
        render(tokenizer, DIALOGUE, "")


def test_a_question_that_a_template_leaves_out_for_its_words_is_an_error(model_with: Any) -> None:
    buns = EACH.replace("messages %}", "messages if 'bun' not in m.content %}")
    tokenizer = a_tokenizer(model_with, buns)
    assert "Is it a cake?" in render(tokenizer, (("user", "Is it a cake?"),), "")
    with pytest.raises(ModelError, match="leaves out what the user says in this conversation"):
        render(tokenizer, QUESTION, "")


@pytest.mark.parametrize(
    ("template", "turns", "text"),
    [
        # white space that a template trims is not what is said
        (EACH, (("user", "  Is it\n a bun? \n"),), "<|user|>Is it\n a bun?<|end|><|assistant|>"),
        # a system turn that is lost or refused goes before the user's
        *(
            (each, INSTRUCTED, "<|user|>Be brief.\n\nIs it a bun?<|end|><|assistant|>")
            for each in (without("system"), NO_SYSTEM)
        ),
        (
            EACH,
            (INSTRUCTED[0], *DIALOGUE),
            (
                "<|system|>Be brief.<|end|><|user|>Hello.<|end|><|assistant|>Hello!<|end|>"
                "<|user|>Is it a bun?<|end|><|assistant|>"
            ),
        ),
    ],
)
def test_every_turn_is_written(template: str, turns: Any, text: str, model_with: Any) -> None:
    assert render(a_tokenizer(model_with, template), turns, "") == text


def test_the_clock_is_not_in_the_prompts(model_with: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = model_with(DATED)
    told = []
    for day in (datetime.datetime(2026, 11, 22, 9), datetime.datetime(2027, 1, 1)):
        at(monkeypatch, day)
        plain = transformers.AutoTokenizer.from_pretrained(folder)
        shown = plain.apply_chat_template([{"role": "user", "content": "x"}], tokenize=False)
        assert day.strftime("Today Date: %d %b %Y") in shown, "the template does ask"
        engine = load(ModelSpec(str(folder), dtype="float32"))
        (label,) = engine.labels([LabelRequest(QUESTION, SCALE)])
        (text,) = engine.texts([TextRequest(QUESTION, 8, 1.0, 0)])
        prompt = render(describe(ModelSpec(str(folder))).tokenizer, QUESTION, "")
        told.append((prompt, label, text, engine.identity))
    assert told[0] == told[1]
    assert told[0][0].startswith("Today Date: 01 Jan 2026\n")
    assert told[0][3]["date"] == DATE == "2026-01-01"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("%d %b %Y", "05 Mar 2026"),
        ("%B %d, %Y", "March 05, 2026"),
        ("%Y-%m-%d", "2026-03-05"),
        ("%A, %-d %B %Y %H:%M:%S", "Thursday, 5 March 2026 00:00:00"),
    ],
)
def test_every_way_to_write_a_day_is_known(asked: str, told: str, model_with: Any) -> None:
    """What follows is said by the template: line breaks, too."""
    template = f"\n{{{{ strftime_now('{asked}') }}}}\n{EACH}"
    spec = ModelSpec(str(model_with(template)), date="2026-03-05")
    text = render(describe(spec).tokenizer, QUESTION, "")
    assert text == f"\n{told}\n<|user|>Is it a bun?<|end|><|assistant|>"


def test_templates_that_have_names_are_dated_each() -> None:
    dated = at_date({"default": DATED, "tool_use": EACH}, DATE)
    assert dated == {"default": at_date(DATED, DATE), "tool_use": EACH}
    assert at_date(None, DATE) is None


def test_the_date_is_a_setting_and_part_of_what_the_template_is(model_with: Any) -> None:
    folder = model_with(DATED)
    engines = [
        load(ModelSpec(str(folder), dtype="float32", date=day)) for day in (DATE, "2025-05-31")
    ]
    first, other = (engine.identity for engine in engines)
    assert other["date"] == "2025-05-31"
    differ = {name for name in first if first[name] != other[name]}
    assert differ == {"date", "chat_template"}
    labels = [engine.labels([LabelRequest(QUESTION, SCALE)])[0].logprobs for engine in engines]
    assert labels[0] != labels[1]


@pytest.mark.parametrize("day", ["", "today", "2026-13-01", "20260101", "2026-01-01T00:00"])
def test_a_date_that_is_none_is_refused(day: str) -> None:
    with pytest.raises(ConfigError, match="date is a day as in 2026-01-01, not"):
        ModelSpec("m", date=day)
