"""The tokenizer: byte-level BPE of both languages, single digits, one token per mark.

Marks are where the tokenizer is told to cut the prompt as the engine will write it: the rubric's
turn marks, and each criterion's instruction with the mark before it. `⟦` and `⟧` are taken out of
untrusted text, so that no answer can hold such a token.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ....extras import require
from ...rubric import Rubric
from ...rubric_files import load_rubric
from .. import LANGUAGES, rubric_path
from .sample import CRITERIA

END = "<|end|>"
_SLOT = "\x00"


@dataclass(frozen=True, slots=True)
class Marks:
    """The pieces of a rendered prompt that are single tokens.

    `asks` maps (criterion, language, backwards) to the end of the prompt, from the answer's closing
    mark on.
    """

    opens: dict[str, str]
    closes: dict[str, str]
    asks: dict[tuple[str, str, bool], str]

    def all(self) -> list[str]:
        """Every piece, the same order in every run."""
        return [*self.opens.values(), *self.closes.values(), *dict.fromkeys(self.asks.values())]


def said_tokens(tokenizer: Any) -> list[int]:
    """What the model says: the digits 0 to 5, and last the end, where no label fits.

    The labels are digits, and ratings begin at 1.
    """
    digits: list[int] = [tokenizer.convert_tokens_to_ids(str(digit)) for digit in range(6)]
    return [*digits, tokenizer.convert_tokens_to_ids(END)]


def mark_tokens(tokenizer: Any) -> Any:
    """The marks' tokens, without those that ask: what stands in every text."""
    torch = require("torch", extra="judge")
    used = marks()
    turns = [*used.opens.values(), *used.closes.values()]
    return torch.tensor(tokenizer.convert_tokens_to_ids(turns))


@cache
def bundled_rubric() -> Rubric:
    """The rubric of the bundled judge."""
    return load_rubric(rubric_path())


@cache
def marks() -> Marks:
    """The pieces, read off the rubric's own rendering."""
    used = bundled_rubric()
    turns = used.languages["en"].turns
    opens = {role: f"⟦{label}⟧" for role, label in turns.items()}
    closes = {role: f"⟦/{label}⟧" for role, label in turns.items()}
    asks: dict[tuple[str, str, bool], str] = {}
    for language in LANGUAGES:
        for backwards in (False, True):
            for criterion in CRITERIA:
                prompt = used.render(
                    criterion, language=language, conversation=(), answer=_SLOT, backwards=backwards
                )
                end = prompt.partition(f"{_SLOT}\n")[2]
                asks[criterion, language, backwards] = f"{end}\n{used.lead(language)}"
    return Marks(opens, closes, asks)


def train_tokenizer(texts: Iterable[str], *, size: int) -> Any:
    """A fast tokenizer of transformers' own class; the same texts give the same one."""
    tokenizers = require("tokenizers", extra="judge")
    transformers = require("transformers", extra="judge")
    result = tokenizers.Tokenizer(tokenizers.models.BPE())
    result.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    result.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        # the marks are added afterwards, and count
        vocab_size=size - len(marks().all()),
        special_tokens=[END],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=24,
        show_progress=False,
    )
    result.train_from_iterator(texts, trainer)
    result.add_tokens([tokenizers.AddedToken(mark, normalized=False) for mark in marks().all()])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=result, eos_token=END, pad_token=END, model_max_length=2048
    )
