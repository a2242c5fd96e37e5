"""Rotary positions that a long text stretches: a model then reads its tokens in another way.

With longrope and dynamic rotary positions, what a token becomes hangs on how long the text is that
it begins. With attention that is tuned to long texts (Llama 4), it hangs on the place in the row.
Texts up to the length at which that sets in are alike; a longer one shares nothing with them, and
is read alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from .devices import main_device

_STRETCHING = ("longrope", "dynamic")


def max_stable_length(model: Any) -> int | None:
    """The most tokens of which positions do not hang on the text's length; null if they never do.

    >>> from transformers import LlamaConfig
    >>> from types import SimpleNamespace
    >>> rope = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
    >>> config = LlamaConfig(rope_parameters=rope, max_position_embeddings=64)
    >>> max_stable_length(SimpleNamespace(config=config))
    64
    """
    config = model.config.get_text_config()
    lengths = [
        each.get("original_max_position_embeddings") or config.max_position_embeddings
        for each in _rotary(getattr(config, "rope_parameters", None) or {})
        if each.get("rope_type") in _STRETCHING
    ]
    if (tuned := max_untuned_length(config)) is not None:
        lengths.append(tuned)
    return min(lengths, default=None)


@torch.inference_mode()
def reset_rope(model: Any) -> None:
    """Undoes what a long text has stretched, so that the next one is read as if it were the first.

    Dynamic positions stay as far stretched as they were until a short text is read.
    """
    config = model.config.get_text_config()
    parameters = _rotary(getattr(config, "rope_parameters", None) or {})
    if any(each.get("rope_type") == "dynamic" for each in parameters):
        model(input_ids=torch.zeros((1, 1), dtype=torch.long, device=main_device(model)))


def max_untuned_length(config: Any) -> int | None:
    """The most tokens that are attended without being scaled by their places; null if all are."""
    if not getattr(config, "attn_temperature_tuning", None):
        return None
    # the scale is 1 + c × log(1 + ⌊(place + 1) / floor_scale⌋)
    return int(config.floor_scale) - 1


def split_by_length(lengths: Sequence[int], longest: int | None) -> tuple[list[int], list[int]]:
    """The numbers of what is at most so long, and of what is longer.

    >>> split_by_length([1, 3, 2], 2)
    ([0, 2], [1])
    """
    parts: tuple[list[int], list[int]] = ([], [])
    for number, length in enumerate(lengths):
        parts[longest is not None and length > longest].append(number)
    return parts


def _rotary(parameters: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The rotary parameters, which some models have for each kind of layer."""
    if "rope_type" in parameters:
        yield parameters
    else:
        yield from (each for each in parameters.values() if isinstance(each, Mapping))
