"""The settings that calls from Python take by keyword, so that type checkers know them.

They are the fields of `records.settings`, by which names are looked up again in a call.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict

from ..records.model_spec import Dtype, EndpointSettings
from ..records.settings import Channel

Path = str | os.PathLike[str]
Names = str | Iterable[str]


def listed_names(names: Names | None) -> tuple[str, ...]:
    """One name or several as a tuple: a text alone is no list of its letters.

    >>> listed_names("hr"), listed_names(["hr", "rr1"]), listed_names(None)
    (('hr',), ('hr', 'rr1'), ())
    """
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


class Loading(TypedDict, total=False):
    """How a model is loaded: the fields of `ModelSpec`."""

    revision: str | None
    lineage: str | None
    dtype: Dtype
    device: str
    attention: Literal["auto", "sdpa", "eager"]
    chat_template: Path | None
    date: str
    pack_tokens: int
    tensor_parallel: int
    endpoint: EndpointSettings | Mapping[str, object]


class RunSettings(Loading, total=False):
    """The fields of `Settings`, `Decoding` and `EndpointSettings` that `ns.run` does not name."""

    variants: Names
    rubric: Path | None
    label_orders: Literal["given", "both"]
    channels: Channel | Sequence[Channel]
    judge_channels: Channel | Sequence[Channel]
    option_orders: Literal["given", "cyclic"]
    key: Path | None
    unpinned: bool
    min_coverage: float
    max_unscored: float
    rule: Literal["default", "published"]
    threshold: float | None
    unit_items: int
    max_new_tokens: int
    temperature: float | Sequence[float]
    samples: int
    seed: int
    api: Literal["auto", "chat", "completions"]
    concurrency: int
    timeout_s: float
    max_requests: int | None
    api_key_env: str
    marks: Names
