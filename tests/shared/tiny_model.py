"""A tiny causal model made on the spot, in transformers' own format, for tests and benchmarks.

It knows nothing: it may be shown in which form an answer is wanted, with labels drawn at random,
so that its readings fall on the scale. Its config says so, and every table and report repeats it.
"""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers
from tokenizers import decoders, models, pre_tokenizers, trainers
from tqdm import tqdm

from normscope.judges.engine import LabelRequest
from normscope.judges.engines.chat import render

NOTE = "untrained (it has seen the form of an answer, with random labels): its numbers mean nothing"
END = "<|end|>"
_TEMPLATE = (
    "{% for turn in messages %}<|{{ turn.role }}|>\n{{ turn.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
_SPECIAL = [END, "<|system|>", "<|user|>", "<|assistant|>"]
_BATCH = 8


def make_tiny_model(
    folder: Path, texts: Sequence[str], *, teach: Sequence[LabelRequest] = (), steps: int = 100
) -> Path:
    """Saves a two-layer Qwen3-shaped model with its tokenizer; the folder is whole or absent.

    The tokenizer is trained on `texts`, the weights are random, and where `teach` has requests the
    model is shown for `steps` batches that a label of the request's scale is wanted. The same
    arguments give the same files on one machine.
    """
    if (folder / "config.json").is_file():
        return folder
    # renamed when it is whole: a folder with a config counts as made
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    tokenizer = _tokenizer(texts)
    # the caller's own draws go on as if nothing had been drawn here
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = transformers.AutoModelForCausalLM.from_config(_config(len(tokenizer)))
        if teach:
            _teach(model, tokenizer, teach, steps)
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    folder.parent.mkdir(parents=True, exist_ok=True)
    part.rename(folder)
    return folder


def _tokenizer(texts: Sequence[str]) -> Any:
    result = tokenizers.Tokenizer(models.BPE())
    digits = pre_tokenizers.Digits(individual_digits=True)
    result.pre_tokenizer = pre_tokenizers.Sequence(
        [digits, pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    result.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=4096, special_tokens=_SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    result.train_from_iterator(texts, trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=result,
        eos_token=END,
        pad_token=END,
        additional_special_tokens=_SPECIAL[1:],
    )
    tokenizer.chat_template = _TEMPLATE
    return tokenizer


def _config(vocabulary: int) -> Any:
    return transformers.Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=96,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=24,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
        normscope_note=NOTE,
    )


def _teach(model: Any, tokenizer: Any, requests: Sequence[LabelRequest], steps: int) -> None:
    draw = random.Random(0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in tqdm(range(steps), desc="make a tiny model", unit="batch"):
        batch = [_lesson(tokenizer, draw.choice(requests), draw) for _ in range(_BATCH)]
        width = max(len(ids) for ids, _ in batch)
        inputs = torch.zeros((_BATCH, width), dtype=torch.long)
        # -100 is what the loss leaves out: only the label and the end are learnt
        targets = torch.full_like(inputs, -100)
        for row, (ids, start) in enumerate(batch):
            inputs[row, : len(ids)] = torch.tensor(ids)
            targets[row, start : len(ids)] = torch.tensor(ids[start:])
        loss = model(input_ids=inputs, labels=targets).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.eval()


def _lesson(tokenizer: Any, request: LabelRequest, draw: random.Random) -> tuple[list[int], int]:
    prompt = tokenizer.encode(render(tokenizer, request.conversation, request.lead))
    label = draw.choice(request.scale.labels)
    return [*prompt, *tokenizer.encode(label), tokenizer.eos_token_id], len(prompt)
