"""What the model under test gave for an item: a text, a distribution over labels, or neither."""

from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from ..reasons import Reason
from .item import Item, ItemKey
from .tables import KEY_FIELDS, PROBS, TEXT


class ResponseKey(NamedTuple):
    """What identifies a response, in `responses.parquet` as in `judgements.parquet`."""

    benchmark: str
    item_id: str
    variant_id: str = ""
    scale_order: str = ""
    sample: int = 0
    temperature: float | None = None
    model: str = ""

    @property
    def item(self) -> ItemKey:
        """What identifies the item that was answered."""
        return ItemKey(self.benchmark, self.item_id, self.variant_id, self.scale_order)


@dataclass(frozen=True, slots=True)
class Response:
    """What the model under test gave for an item; nothing with a `reason`.

    `labels` and `label_probs` stand where its labels were read, `text` where it wrote. `coverage`
    is the mass on the labels before renormalising, `coverage_high` the most it can have been where
    a server tells only its top tokens.
    """

    key: ResponseKey
    text: str | None = None
    labels: tuple[str, ...] | None = None
    label_probs: tuple[float, ...] | None = None
    coverage: float | None = None
    coverage_high: float | None = None
    reason: Reason | None = None

    @classmethod
    def to(
        cls, item: Item, text: str | None, *, reason: Reason | None = None, model: str = ""
    ) -> "Response":
        """A text that answers the item, wherever it is from."""
        return cls(ResponseKey(*item.key, model=model), text, reason=reason)


SCHEMA = pa.schema(
    [
        *KEY_FIELDS,
        pa.field("text", TEXT),
        pa.field("labels", pa.list_(TEXT)),
        pa.field("label_probs", PROBS),
        pa.field("coverage", pa.float64()),
        pa.field("coverage_high", pa.float64()),
        pa.field("reason", TEXT),
    ]
)
