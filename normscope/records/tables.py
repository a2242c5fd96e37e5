"""The columns of a run's tables."""

import pyarrow as pa

_TEXT = pa.string()
_PROBS = pa.list_(pa.float64())

KEYS = ("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature", "model")
"""What identifies a response; a judgement has the same and a criterion."""

_KEY_FIELDS = [
    pa.field("benchmark", _TEXT, nullable=False),
    pa.field("item_id", _TEXT, nullable=False),
    pa.field("variant_id", _TEXT, nullable=False),
    pa.field("scale_order", _TEXT, nullable=False),
    pa.field("sample", pa.int32(), nullable=False),
    pa.field("temperature", pa.float64()),
    pa.field("model", _TEXT, nullable=False),
]

RESPONSES = pa.schema(
    [
        *_KEY_FIELDS,
        pa.field("text", _TEXT),
        pa.field("labels", pa.list_(_TEXT)),
        pa.field("label_probs", _PROBS),
        pa.field("coverage", pa.float64()),
        pa.field("coverage_high", pa.float64()),
        pa.field("reason", _TEXT),
    ]
)

JUDGEMENTS = pa.schema(
    [
        *_KEY_FIELDS,
        pa.field("judge", _TEXT),
        pa.field("rubric_hash", _TEXT),
        pa.field("criterion", _TEXT, nullable=False),
        pa.field("source", _TEXT, nullable=False),
        pa.field("labels", pa.list_(_TEXT)),
        pa.field("probs", _PROBS),
        pa.field("value", pa.float64()),
        pa.field("coverage", pa.float64()),
        pa.field("coverage_high", pa.float64()),
        pa.field("windows", pa.int32()),
        pa.field("raw_top", pa.list_(pa.struct([("token", _TEXT), ("prob", pa.float64())]))),
        pa.field("reason", _TEXT),
    ]
)
