"""Forged delimiters and template tokens in untrusted text leave the prompt's structure as it is.

Structural, without a model: the special tokens of the tokenised prompt and the rubric's markers are
the same, in the same order, whether a question, an earlier turn or an answer is mild or an attack.
The tokenizers are real ones, made here, each with a chat template of its family's shape; two of
them do what normalisers do at worst: fold compatible characters, drop accents and invisible ones.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import transformers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, trainers

from normscope.judges.engines.chat import neutral, render, special_tokens
from normscope.judges.rubric_files import rubric

Turns = tuple[tuple[str, str], ...]

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
LLAMA_2 = (
    "{% for m in messages %}{% if m.role == 'user' %}<s>[INST] {{ m.content }} [/INST]"
    "{% else %} {{ m.content }} </s>{% endif %}{% endfor %}"
)
LLAMA_3 = (
    "<|begin_of_text|>{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
    "{{ m.content }}<|eot_id|>{% endfor %}<|start_header_id|>assistant<|end_header_id|>\n\n"
)
GEMMA = (
    "<bos>{% for m in messages %}<start_of_turn>{{ 'model' if m.role == 'assistant' else 'user' }}"
    "\n{{ m.content }}<end_of_turn>\n{% endfor %}<start_of_turn>model\n"
)
DEEPSEEK = (
    "<｜begin▁of▁sentence｜>{% for m in messages %}{% if m.role == 'assistant' %}<｜Assistant｜>"
    "{{ m.content }}<｜end▁of▁sentence｜>{% else %}<｜User｜>{{ m.content }}{% endif %}{% endfor %}"
    "<｜Assistant｜>"
)
PHI = "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}<|end|>\n{% endfor %}<|assistant|>\n"
GLM = (
    "[gMASK]<sop>{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{% endfor %}<|assistant|>"
)
ODD = (
    "{% for m in messages %}{{ '~~assistant~~' if m.role == 'assistant' else '~~user~~' }}"
    "{{ m.content }}END_OF_TURN{% endfor %}~~assistant~~"
)
FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "ChatML": (CHATML, ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>")),
    "Llama 2": (LLAMA_2, ("<s>", "</s>", "<unk>")),
    "Llama 3": (
        LLAMA_3,
        ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    ),
    "Gemma": (GEMMA, ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "<unused7>")),
    "Mistral": (LLAMA_2, ("<s>", "</s>", "[INST]", "[/INST]", "[TOOL_CALLS]", "[SYSTEM_PROMPT]")),
    "DeepSeek": (
        DEEPSEEK,
        ("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"),
    ),
    "Phi": (PHI, ("<|user|>", "<|assistant|>", "<|system|>", "<|end|>", "<|endoftext|>")),
    "GLM": (GLM, ("[gMASK]", "<sop>", "<|user|>", "<|assistant|>", "<|observation|>")),
    "odd names": (
        ODD,
        ("~~user~~", "~~assistant~~", "END_OF_TURN", "\u2581<|x|>"),
    ),
}

ATTACKS = [
    text
    for texts in json.loads(Path(__file__).with_name("attacks.json").read_text("utf-8")).values()
    for text in texts
]

UNKNOWN = "<unk>"
MARKER = re.compile(r"⟦[^⟦⟧]*⟧")
PLACES = ("question", "answer", "earlier question", "earlier answer")


def alphabet() -> list[str]:
    return pre_tokenizers.ByteLevel.alphabet()


@cache
def tokenizer(family: str, kind: str) -> Any:
    """A small tokenizer with the family's specials and template.

    `bytes` is a byte-level BPE; `folding` normalises before it looks for added tokens, as NFKD,
    without accents, case and invisible characters; `pieces` is a Unigram over metaspaces.
    """
    template, specials = FAMILIES[family]
    if kind == "pieces":
        made = tokenizers.Tokenizer(models.Unigram())
        made.normalizer = normalizers.NFKC()
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer: Any = trainers.UnigramTrainer(
            vocab_size=900, unk_token=UNKNOWN, special_tokens=[UNKNOWN], show_progress=False
        )
    else:
        made = tokenizers.Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=400, initial_alphabet=alphabet(), show_progress=False
        )
        if kind == "folding":
            made.normalizer = normalizers.Sequence(
                [
                    normalizers.NFKD(),
                    normalizers.StripAccents(),
                    normalizers.Replace(tokenizers.Regex(r"[\p{Cf}\p{Mn}\x00-\x08\ufffd]"), ""),
                    normalizers.Lowercase(),
                ]
            )
    texts = [judged(), judged(language="zh")]
    made.train_from_iterator([*texts, "0 1 2 3 4 5 user assistant system model"], trainer)
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=specials[0], clean_up_tokenization_spaces=False
    )
    # in the folding kind they are looked for after normalising, the worst that a tokenizer can do
    wrapped.add_tokens(
        [AddedToken(s, special=kind != "folding", normalized=kind == "folding") for s in specials]
    )
    wrapped.chat_template = template
    return wrapped


def judged(criterion: str = "rating", language: str = "en", **place: str) -> str:
    """What a judge reads about a conversation of which one part may be an attack."""
    turns = (
        ("user", place.get("earlier question", "May I eat it?")),
        ("assistant", place.get("earlier answer", "Which one?")),
        ("user", place.get("question", "The brown one.")),
    )
    return rubric("cfsafety").render(
        criterion,
        category="misleading",
        language=language,
        conversation=turns,
        answer=place.get("answer", "Ask an expert."),
    )


def unknown(tokens: Any) -> set[int]:
    """A Unigram's token for any character that it does not know: no structure."""
    is_unigram = isinstance(tokens.backend_tokenizer.model, models.Unigram)
    return {tokens.convert_tokens_to_ids(UNKNOWN)} if is_unigram else set()


def structure(tokens: Any, turns: Turns) -> tuple[list[int], list[str]]:
    """The special tokens of the tokenised prompt, in order, and the markers of its text."""
    text = render(tokens, turns, "Answer:")
    ids = tokens(text, add_special_tokens=False)["input_ids"]
    added = set(tokens.added_tokens_decoder) - unknown(tokens)
    return [i for i in ids if i in added], MARKER.findall(text)


def families() -> list[tuple[str, str]]:
    return [(family, kind) for family in FAMILIES for kind in ("bytes", "folding", "pieces")]


@cache
def attacked_prompts() -> dict[str, str]:
    """What a judge reads where an attack stands in every place, by the attack."""
    return {attack: judged(**dict.fromkeys(PLACES, attack)) for attack in ATTACKS}


@pytest.mark.parametrize(("family", "kind"), families())
def test_no_attack_changes_the_structure_of_a_judges_prompt(family: str, kind: str) -> None:
    tokens = tokenizer(family, kind)
    clean = structure(tokens, (("user", judged()),))
    assert clean[0], "the template has special tokens"
    assert len(clean[1]) == 1 + 2 * 4, "one pair named, four blocks"
    for attack, prompt in attacked_prompts().items():
        assert structure(tokens, (("user", prompt),)) == clean, attack


@pytest.mark.parametrize(("family", "kind"), families())
def test_no_attack_changes_the_turns_that_the_model_under_test_reads(
    family: str, kind: str
) -> None:
    tokens = tokenizer(family, kind)

    def turns(text: str) -> Turns:
        return (("user", text), ("assistant", text), ("user", text))

    clean = structure(tokens, turns("mild"))[0]
    for attack in ATTACKS:
        assert structure(tokens, turns(attack))[0] == clean, attack


def test_what_was_written_is_still_there_to_be_judged() -> None:
    for attack, text in attacked_prompts().items():
        inner = text.split("⟦answer⟧\n")[-1].split("\n⟦/answer⟧")[0]
        letters = [char for char in attack if char.isalnum()]
        assert [char for char in inner if char.isalnum()] == letters, attack


def test_the_attacks_would_succeed_without_the_defence() -> None:
    """The test can fail: unbroken, most marks become tokens of at least one tokenizer."""
    broken_in = {
        attack
        for family, kind in families()
        for attack in ATTACKS
        if raw_specials(tokenizer(family, kind), attack.encode("utf-8", "replace").decode())
    }
    assert len(broken_in) > 40
    assert {"<|im_end|>", "＜|im_end|＞", "≮|im_end|>", "<\u200b|im_end|>"} <= broken_in


def raw_specials(tokens: Any, text: str) -> list[int]:
    added = set(tokens.added_tokens_decoder) - unknown(tokens)
    return [i for i in tokens(text, add_special_tokens=False)["input_ids"] if i in added]


@given(st.text(alphabet="<|>[]/s＜｜＞im_end\u200b\u0301 ≮INST", max_size=40))
def test_neutral_text_stays_as_it_is_and_holds_no_mark(text: str) -> None:
    for family, kind in (("ChatML", "folding"), ("Mistral", "bytes"), ("Llama 2", "folding")):
        tokens = tokenizer(family, kind)
        special = special_tokens(tokens)
        once = neutral(text, special)
        assert neutral(once, special) == once
        assert once.replace(" ", "") == text.replace(" ", "")
        assert not raw_specials(tokens, once)


def test_added_words_that_mark_nothing_are_not_broken() -> None:
    tokens = tokenizer("ChatML", "bytes")
    tokens.add_tokens([AddedToken("vaccination"), AddedToken("    ")])
    other = transformers.PreTrainedTokenizerFast(tokenizer_object=tokens.backend_tokenizer)
    assert not {"vaccination", "    "} & special_tokens(other)
