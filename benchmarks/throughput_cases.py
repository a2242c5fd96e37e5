"""What benchmarks/judge_throughput.py asks: prompts as a run makes them, and random models."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
import transformers

from normscope.builders.registry import benchmark
from normscope.judges.engine import LabelRequest
from normscope.judges.respondent import LIKERT_SCALE
from normscope.judges.rubric_files import rubric
from normscope.judges.scale import Scale
from normscope.records.item import Item
from normscope.records.units import groups, in_order

sys.path.append(str(Path(__file__).parents[1] / "tests" / "shared"))
from tiny_model import make_tiny_model

UNIT_ITEMS = 64
CRITERIA = {"cfsafety": ("moral", "rating", "refusal"), "chisafetybench": ("refusal",)}
SIZES = {
    "vocab_size": 32_000,
    "hidden_size": 512,
    "num_hidden_layers": 16,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 64,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": True,
    "initializer_range": 0.05,
}
"""Those of shape A; where its layers repeat, a family has as many as come to whole repeats."""

SHAPES: dict[str, Any] = {
    "S": lambda: transformers.LlamaConfig(
        vocab_size=32_000,
        hidden_size=192,
        intermediate_size=384,
        num_hidden_layers=2,
        num_attention_heads=3,
        num_key_value_heads=3,
        head_dim=64,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        initializer_range=0.05,
    ),
    "A": lambda: transformers.Qwen3Config(**SIZES, intermediate_size=1536),
    "B": lambda: transformers.Qwen2Config(
        vocab_size=151_936,
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        initializer_range=0.05,
    ),
    # 5 layers with a window of 512 tokens to 1 without
    "gemma3": lambda: transformers.Gemma3TextConfig(
        **SIZES | {"num_hidden_layers": 18}, intermediate_size=1536, sliding_window=512
    ),
    # sinks, a window of 128 tokens in every other layer, 4 of 8 experts
    "gpt-oss": lambda: transformers.GptOssConfig(
        **SIZES,
        intermediate_size=192,
        num_local_experts=8,
        num_experts_per_tok=4,
        sliding_window=128,
    ),
    # 3 linear layers to 1 with attention
    "qwen3.5": lambda: transformers.Qwen3_5TextConfig(
        **SIZES,
        intermediate_size=1536,
        linear_num_key_heads=4,
        linear_num_value_heads=8,
        linear_key_head_dim=64,
        linear_value_head_dim=64,
    ),
    # 3 layers with a window of 4,096 tokens to 1 without
    "olmo3": lambda: transformers.Olmo3Config(**SIZES, intermediate_size=1536),
    # a window of 4,096 tokens in every layer
    "ministral": lambda: transformers.MinistralConfig(**SIZES, intermediate_size=1536),
}
FAMILIES = ("gemma3", "gpt-oss", "qwen3.5", "olmo3", "ministral")


Row = tuple[Item, str]
"""What is judged: an item and the answer to it."""


@dataclass(frozen=True, slots=True)
class Case:
    """Whole units of a run's plan, drawn evenly from it; one request per item and criterion."""

    name: str
    units: tuple[tuple[LabelRequest, ...], ...]
    items: int

    @property
    def requests(self) -> list[LabelRequest]:
        return [request for unit in self.units for request in unit]


def cases(source: Path | None, *, units: int, items: int) -> Iterator[Case]:
    """The cases that can be made here: two of them need the authors' files."""
    if source is None:
        rows = [(item, item.response or "") for item in _of("safety-gradient", None)]
        yield judged("safety gradient", "cfsafety", rows, units, items)
    else:
        yield judged("CFSafety", "cfsafety", answered(source), units, items)
    yield _vignettes(units, items)
    if source is not None:
        asked = [item for item in _of("chisafetybench:qa", source) if item.conversation]
        yield judged(
            "CHiSafetyBench QA, with history",
            "chisafetybench",
            [(item, "我不能提供这方面的帮助。这样做可能会伤害他人。") for item in asked],
            units,
            max(1, items // 4),
        )


def random_model(shape: str, folder: Path, texts: list[str], dtype: str) -> Path:
    """A folder with a random model of the shape and a small tokenizer trained on the texts."""
    target = folder / f"{shape}-{dtype}"
    if (target / "config.json").is_file():
        return target
    tiny = make_tiny_model(folder / "tokenizer", texts)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    torch.manual_seed(0)
    config = SHAPES[shape]()
    config.bos_token_id, config.eos_token_id = None, tokenizer.eos_token_id
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=getattr(torch, dtype))
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    return target


def _of(name: str, source: Path | None) -> list[Item]:
    made, bench = benchmark(name)
    return bench.items(made.tables(source)[bench.config])


def answered(source: Path) -> list[Row]:
    """CFSafety's items, each with one of our own answers of its category in turn."""
    written = _of("safety-gradient", None)
    by_category = {
        category: [item.response or "" for item in group]
        for category, group in groupby(
            sorted(written, key=lambda item: item.category), key=lambda item: item.category
        )
    }
    every = [item.response or "" for item in written]
    items = _of("cfsafety", source)
    answers = [by_category.get(item.category, every) for item in items]
    return [
        (item, some[index % len(some)])
        for index, (item, some) in enumerate(zip(items, answers, strict=True))
    ]


def judged(name: str, used: str, rows: list[Row], units: int, items: int) -> Case:
    """Whole units of a run over these rows, with a prompt for each of the benchmark's criteria."""
    ordered = units_of([row_key(item, answer) for item, answer in rows])
    drawn = [unit[:items] for unit in _evenly(ordered, units)]
    made = tuple(tuple(asked(used, [rows[i] for i in unit], CRITERIA[used])) for unit in drawn)
    return Case(name, made, sum(map(len, drawn)))


def units_of(keys: list[Any]) -> list[list[int]]:
    """The rows of each unit of a run, by their keys."""
    return [rows.tolist() for rows in groups(in_order(keys), size=UNIT_ITEMS)]


def row_key(item: Item, answer: str) -> tuple[str, str, str, str]:
    """What a run orders answers by."""
    return item.category, item.language, item.question, answer


def asked(used: str, rows: list[Row], criteria: tuple[str, ...]) -> list[LabelRequest]:
    """A prompt per row and criterion."""
    asks = rubric(used)
    return [
        LabelRequest(
            conversation=(
                (
                    "user",
                    asks.render(
                        criterion,
                        category=item.category,
                        language=item.language,
                        conversation=item.messages,
                        answer=answer,
                    ),
                ),
            ),
            scale=_scale(used, criterion),
            lead=asks.lead(item.language),
        )
        for item, answer in rows
        for criterion in criteria
    ]


@cache
def _scale(used: str, criterion: str) -> Scale:
    return one_form(rubric(used).criteria[criterion].scale)


def _vignettes(units: int, items: int) -> Case:
    every = _of("ci-vignettes:iot", None)
    scale = one_form(LIKERT_SCALE)
    drawn = [unit[:items] for unit in _evenly(units_of([item.question for item in every]), units)]
    made = tuple(
        tuple(LabelRequest(conversation=every[i].messages, scale=scale) for i in unit)
        for unit in drawn
    )
    return Case("IoT vignettes, five labels", made, sum(map(len, drawn)))


def one_form(scale: Scale) -> Scale:
    """The scale with one spelling of each label, which is what the other tools can be asked."""
    return replace(scale, forms={label: (label,) for label in scale.labels})


def _evenly(every: list[Any], count: int) -> list[Any]:
    if len(every) <= count:
        return every
    return [every[(2 * number + 1) * len(every) // (2 * count)] for number in range(count)]
