"""From samples to a trained model, in one thread, the same each time."""

import copy
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ....extras import require
from ....files import read_json, write_json
from .. import RUBRIC, rubric_path
from . import fit
from .encoding import Encoded, Encoder
from .lessons import Course
from .sample import Sample
from .strange import estrange
from .vocabulary import train_tokenizer


def train_judge(
    samples: Sequence[Sample],
    recipe: fit.Recipe,
    *,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Any, Any, list[dict[str, Any]]]:
    """The trained model, its tokenizer and the rows of its log."""
    torch = require("torch", extra="judge")
    torch.set_num_threads(1)
    tokenizer = train_tokenizer(
        (f"{s.question}\n{s.answer}" for s in samples), size=recipe.vocabulary
    )
    course = Course(samples, seed=recipe.seed)
    model, encoder = fit.new_model(recipe, tokenizer), Encoder(tokenizer, recipe.seed)
    tell(f"{len(samples)} samples, {sum(p.numel() for p in model.parameters())} parameters")
    log: list[dict[str, Any]] = []

    def next_round(turn: int) -> list[Encoded]:
        return encoder.encode(course.round(turn))

    def report(row: dict[str, Any]) -> None:
        log.append(row)
        tell(f"{row['stage']} {row['used']:.0%} step {row['step']} loss {row['loss']:.4f}")

    model = fit.train(model, tokenizer, next_round, recipe, report=report)
    estrange(model, tokenizer, samples)
    return model, tokenizer, log


def save(model: Any, tokenizer: Any, out: Path) -> None:
    """The weights, the config and the tokenizer in transformers' own format, and the rubric.

    The weights are stored in bfloat16, which halves the file; the config says float32, in which
    they are loaded, because so small a model is read better in it and is fast enough.
    """
    torch = require("torch", extra="judge")
    saved = copy.deepcopy(model).to(torch.bfloat16)
    saved.save_pretrained(out)
    saved.config.dtype = "float32"
    saved.config.save_pretrained(out)
    tokenizer.save_pretrained(out)
    settings = out / "tokenizer_config.json"
    # its name in transformers 4, under which 5 finds it as well
    write_json(settings, read_json(settings) | {"tokenizer_class": "PreTrainedTokenizerFast"})
    shutil.copyfile(rubric_path(), out / RUBRIC)
