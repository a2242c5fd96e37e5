"""Texts are encoded by what lies beneath a tokenizer only where that gives its own ids."""

from collections.abc import Callable
from typing import Any

import pytest

transformers = pytest.importorskip("transformers")

from tokenizers import (  # noqa: E402
    Regex,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from normscope.judges.engines.local.reads import _encoder  # noqa: E402

# the rules by which the Qwen and the Llama 3 families cut words
MODERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = [
    "A question about rain, asked twice.\nIs it wet?\n\n",
    "它下雨了吗？\n回答：是的。\n",
    "\r\n\tcode = 12345  # it's I'll\n \n  two  spaces \n",
    "e\u0301 and é, ＡＢＣ, ﬁne \u200b\n",
    "<|end|>\n<|user|> \n",
]
SPECIAL = ["<|end|>", "<|user|>"]


def _split(pattern: str) -> Any:
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def _bytes(**told: Any) -> Any:
    return pre_tokenizers.ByteLevel(**({"add_prefix_space": False} | told))


def _made(
    pre_tokenizer: Any,
    *,
    normalizer: Any = None,
    model: Callable[[], Any] = models.BPE,
    template: str | None = "{{ messages }}",
    ends: bool = False,
    added: tuple[str, ...] = (),
) -> Any:
    made = Tokenizer(model())
    if normalizer is not None:
        made.normalizer = normalizer
    if pre_tokenizer is not None:
        made.pre_tokenizer = pre_tokenizer
    kinds = {"BPE": trainers.BpeTrainer, "WordPiece": trainers.WordPieceTrainer}
    trainer = kinds[type(made.model).__name__](
        vocab_size=600,
        special_tokens=[*SPECIAL, "[UNK]"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS * 4, trainer)
    if ends:
        made.post_processor = processors.TemplateProcessing(
            single="<|user|> $A <|end|>", special_tokens=[("<|user|>", 1), ("<|end|>", 0)]
        )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=SPECIAL[0], additional_special_tokens=SPECIAL[1:]
    )
    tokenizer.add_tokens(list(added))
    tokenizer.chat_template = template
    return tokenizer


def _wordpiece() -> Any:
    return models.WordPiece(unk_token="[UNK]")  # noqa: S106 - not a password


KINDS: dict[str, Callable[[], Any]] = {
    "GPT-2": lambda: _made(_bytes()),
    "GPT-2 without a template": lambda: _made(_bytes(), template=None),
    "Qwen": lambda: _made(
        pre_tokenizers.Sequence([_split(MODERN), _bytes(use_regex=False)]),
        normalizer=normalizers.NFC(),
    ),
    "BERT": lambda: _made(
        pre_tokenizers.BertPreTokenizer(),
        normalizer=normalizers.BertNormalizer(lowercase=True),
        model=_wordpiece,
    ),
    "a space before the text": lambda: _made(_bytes(add_prefix_space=True)),
    "one word for all": lambda: _made(None, normalizer=normalizers.Replace(" ", "▁")),
    "Llama 2": lambda: _made(
        pre_tokenizers.Metaspace(prepend_scheme="first"), normalizer=normalizers.Strip()
    ),
    "rules that look back": lambda: _made(
        pre_tokenizers.Sequence([_split(r"(?<=\n)\w+|\s+|\S"), _bytes(use_regex=False)])
    ),
    "an end after every text": lambda: _made(_bytes(), template=None, ends=True),
    "an added word": lambda: _made(_bytes(), added=("A line",)),
    "an added line": lambda: _made(_bytes(), added=("\nSome words",)),
    "a rule for a phrase": lambda: _made(
        pre_tokenizers.Sequence([pre_tokenizers.Split("\nA line", "isolated"), _bytes()])
    ),
    "drawn merges": lambda: _made(_bytes(), model=lambda: models.BPE(dropout=1e-9)),
}


@pytest.fixture(scope="module", params=[*KINDS])
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return KINDS[request.param]()


def _ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    special = not tokenizer.chat_template
    return [tokenizer(text, add_special_tokens=special)["input_ids"] for text in texts]


def _prompts() -> list[str]:
    lead = "".join(TEXTS[:3]) * 3
    asked = [
        f"{lead}Question {i}: {TEXTS[i % 3] * 2}Answer:\n{TEXTS[i % 4] * 3}" for i in range(12)
    ]
    return [
        f"{text}\nReply with your {criterion}.<|end|>" for text in asked for criterion in ("a", "b")
    ]


def test_ids_are_the_tokenizers_own(tokenizer: Any) -> None:
    texts = _prompts()
    assert _encoder(tokenizer)(texts) == _ids(tokenizer, texts)
