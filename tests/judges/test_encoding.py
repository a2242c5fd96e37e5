"""Texts are encoded in parts only where that gives the ids of the whole."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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

from normscope.judges.engines.local.encoding import TextEncoder  # noqa: E402

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


PARTED: dict[str, Callable[[], Any]] = {
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
}
WHOLE: dict[str, Callable[[], Any]] = {
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


@pytest.fixture(scope="module", params=[*PARTED, *WHOLE])
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return (PARTED | WHOLE)[request.param]()


class Counting:
    """An encoder that counts the characters it is given."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.characters = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def encode_batch(self, texts: Iterable[str], **told: Any) -> Any:
        return self._count("encode_batch", texts, told)

    def encode_batch_fast(self, texts: Iterable[str], **told: Any) -> Any:
        return self._count("encode_batch_fast", texts, told)

    def _count(self, name: str, texts: Iterable[str], told: dict[str, Any]) -> Any:
        kept = list(texts)
        self.characters += sum(map(len, kept))
        return getattr(self._backend, name)(kept, **told)


def _ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    special = not tokenizer.chat_template
    return [tokenizer(text, add_special_tokens=special)["input_ids"] for text in texts]


def _counted(encoder: TextEncoder, texts: list[str]) -> int:
    encoder._backend = counting = Counting(encoder._backend)
    encoder(texts)
    encoder._backend = counting._backend
    return counting.characters


def _prompts() -> list[str]:
    lead = "".join(TEXTS[:3]) * 3
    asked = [
        f"{lead}Question {i}: {TEXTS[i % 3] * 2}Answer:\n{TEXTS[i % 4] * 3}" for i in range(12)
    ]
    return [
        f"{text}\nReply with your {criterion}.<|end|>" for text in asked for criterion in ("a", "b")
    ]


@pytest.mark.parametrize("kind", PARTED)
def test_what_prompts_have_in_common_is_encoded_once(kind: str) -> None:
    tokenizer, texts = PARTED[kind](), _prompts()
    encoder = TextEncoder(tokenizer)
    assert encoder(texts) == _ids(tokenizer, texts)
    assert _counted(encoder, texts) < sum(map(len, texts)) / 3


@pytest.mark.parametrize("kind", WHOLE)
def test_a_tokenizer_that_does_not_go_word_by_word_gets_whole_texts(kind: str) -> None:
    tokenizer, texts = WHOLE[kind](), _prompts()
    encoder = TextEncoder(tokenizer)
    assert encoder(texts) == _ids(tokenizer, texts)
    assert _counted(encoder, texts) == sum(map(len, texts))


_SIGNS = [*"ab1 \n\t.'_", "它", "。", "e\u0301", "\u0301", "\u200b", "ﬁ", "＜", "\xa0", "\u2028"]
_RUNS = ["\n\n", "\r\n", " \n", "  ", "'ll", "12345", "\nA line.\n", "<|end|>"]
PIECES = st.sampled_from([*_SIGNS, *_RUNS])


@settings(max_examples=settings().max_examples // 2)
@given(
    lead=st.lists(PIECES, max_size=6).map("".join),
    rests=st.lists(st.lists(PIECES, max_size=8).map("".join), min_size=2, max_size=6),
)
def test_ids_are_those_of_the_whole_texts(tokenizer: Any, lead: str, rests: list[str]) -> None:
    common = "Some words that all of them begin with, and a line.\n" * 2
    texts = [common + lead + rest + (common + rest) * 2 + lead for rest in rests]
    assert TextEncoder(tokenizer)(texts) == _ids(tokenizer, texts)


class Letters:
    """Cuts a text into letters, in Python."""

    def pre_tokenize(self, text: Any) -> None:
        text.split(lambda _, whole: [whole[i : i + 1] for i in range(len(str(whole)))])


def test_words_that_are_cut_in_python_are_not_looked_into() -> None:
    tokenizer, texts = PARTED["GPT-2"](), _prompts()
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Letters())
    encoder = TextEncoder(tokenizer)
    assert encoder(texts) == _ids(tokenizer, texts)
    assert _counted(encoder, texts) == sum(map(len, texts))


def test_many_lines_in_common_are_no_matter() -> None:
    tokenizer = PARTED["Qwen"]()
    texts = [
        "".join(f"line {i} of the text, which has many\n" for i in range(cut)) * 2
        for cut in range(1, 40)
    ]
    texts += texts[:5]
    assert TextEncoder(tokenizer)(texts) == _ids(tokenizer, texts)
