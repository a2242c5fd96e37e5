"""Replies by transformers' own `generate`: rows padded on the left, which wait for their longest.

For models that do not read packs: any cache, and any attention, will do.
"""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import torch
import transformers

from .devices import main_device
from .prefix_tree import Ids
from .rope import reset_rope
from .rows import PLAIN_BATCH
from .sampling import Prompt


def write(
    model: Any,
    prompts: Sequence[Prompt],
    *,
    ends: frozenset[int],
    pack_tokens: int,
    batch_size: int | None = None,
) -> list[Ids]:
    """The tokens of each reply, with the end token where it ended of itself.

    A batch takes at most `PLAIN_BATCH` × `pack_tokens` tokens, or one reply.
    """
    said: list[Ids] = [()] * len(prompts)
    # a model that is not told the places counts what fills a row up, or reads it
    told = "position_ids" in inspect.signature(model.forward).parameters
    for batch in _batches(prompts, batch_size, PLAIN_BATCH * pack_tokens, filled_up=told):
        reset_rope(model)
        for index, tokens in zip(
            batch, _rows(model, [prompts[i] for i in batch], ends), strict=True
        ):
            end = next((n for n, token in enumerate(tokens, 1) if token in ends), len(tokens))
            said[index] = tuple(tokens[:end])
    return said


def _batches(
    prompts: Sequence[Prompt], batch_size: int | None, batch_tokens: int, *, filled_up: bool
) -> Iterator[list[int]]:
    """What is written together: replies of the same length, after prompts of like length.

    Of the very same, if rows are not to be filled up.
    """

    def kind(prompt: Prompt) -> tuple[int, int]:
        return prompt.max_new_tokens, 0 if filled_up else prompt.width

    for each in sorted({kind(prompt) for prompt in prompts}):
        alike = [i for i, prompt in enumerate(prompts) if kind(prompt) == each]
        alike.sort(key=lambda i: (prompts[i].width, i))
        cuts = row_batches(
            [prompts[i].width for i in alike], batch_size=batch_size, batch_tokens=batch_tokens
        )
        yield from (alike[start:end] for start, end in cuts)


@torch.inference_mode()
def _rows(model: Any, prompts: list[Prompt], ends: frozenset[int]) -> list[list[int]]:
    width = max(len(prompt.ids) for prompt in prompts)
    ids = torch.zeros((len(prompts), width), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        # on the left, so that every reply begins at the same place
        ids[row, width - len(prompt.ids) :] = torch.tensor(prompt.ids)
        mask[row, width - len(prompt.ids) :] = 1
    device = main_device(model)
    draws = [prompt.draw() for prompt in prompts]

    def draw(_: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return torch.stack([own(row) for own, row in zip(draws, scores, strict=True)])

    written = model.generate(
        ids.to(device),
        attention_mask=mask.to(device),
        generation_config=transformers.GenerationConfig(
            max_new_tokens=prompts[0].max_new_tokens,
            # the draw is in the noise of `draw`
            do_sample=False,
            # what pads is masked, or comes after the end: any token will do
            pad_token_id=0,
            eos_token_id=sorted(ends) or None,
        ),
        logits_processor=transformers.LogitsProcessorList([draw]),
    )
    tokens: list[list[int]] = written[:, width:].tolist()
    return tokens


def row_batches(
    widths: Sequence[int], *, batch_size: int | None = None, batch_tokens: int | None = None
) -> Iterator[tuple[int, int]]:
    """Where to cut rows, whose widths grow, so that no batch is too large when padded.

    A row that is too wide for `batch_tokens` goes alone.

    >>> list(row_batches([2, 2, 4, 9], batch_size=8, batch_tokens=8))
    [(0, 2), (2, 3), (3, 4)]
    """
    start = 0
    for end, width in enumerate(widths):
        rows = end - start
        wide = batch_tokens is not None and (rows + 1) * width > batch_tokens
        if rows and (rows == batch_size or wide):
            yield start, end
            start = end
    if widths:
        yield start, len(widths)
