"""Answers as some tool wrote them, a row each, before it is known which prompts they answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa

from ...records.item import ItemKey

KEY = ItemKey._fields[1:]
"""The columns that name a prompt of a benchmark: item, prompt variant, order of the scale."""

Role = Literal[
    "item_id",
    "prompt",
    "variant_id",
    "scale_order",
    "answer",
    "model",
    "sample",
    "temperature",
    "failed",
]
"""What a column can hold; the factors of a vignette are named by themselves.

`prompt` is the text that the model was asked, of a conversation its last turn; `failed` is why a
call brought nothing back, null where it did.
"""


@dataclass(frozen=True, slots=True)
class RawAnswers:
    """A file's rows, and what its format says of them.

    `format` is how people call it (`CSV`, `lm-evaluation-harness samples`). `roles` are the columns
    whose meaning the format fixes, by what they hold; of a table nothing is fixed. `place` says of
    each row where it stands, for errors ("line 7", "sample 12, epoch 1"). `note` is what a reader
    should know, such as that of a list of choices the likeliest was taken.
    """

    format: str
    table: pa.Table
    place: pa.Array
    roles: Mapping[Role, str] = field(default_factory=dict)
    note: str = ""
