"""The rows of a visitor's judgements: keys, values, and what is known of their items."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from ...datasets_builders.ci_vignettes.context import bundled_contexts
from ...files import hash_value
from ...reasons import Reason
from ...records.item import Item, ItemKey
from ...records.judgement import SCHEMA
from ...records.judgements import COLUMNS
from ...untrusted import inert
from .served import BENCHMARK
from .texts import VisitorError
from .upload import LongTable
from .vignettes import vignettes

ITEM = ("area", "category", "language", "cluster", "facets", "response", "messages")
CRITERIA = ("moral", "rating", "refusal", "acceptability", "option")
TABLE = pa.schema([SCHEMA.field(name) for name in COLUMNS])


def value_of(value: Any, reason: Any) -> tuple[float | None, str | None]:
    """The value of a judgement, or why there is none: without either it is a call that failed."""
    number = _number(value)
    return number, None if number is not None else str(reason or Reason.CALL_FAILED)


def as_in_a_run(table: LongTable, keys: Sequence[ItemKey]) -> pa.Table:
    """The judgements with the columns that are read of a run's, whatever the file's format."""
    criteria = [str(name) for name in table.column("criterion")]
    sources = [str(name or "") for name in table.column("source")]
    samples = [int(_number(cell) or 0) for cell in table.column("sample")]
    distinct = set()
    for row in zip(keys, samples, criteria, sources, strict=True):
        if row in distinct:
            raise VisitorError(
                "{name} judges {item} twice under {criterion}. Take the judgements of one model "
                "and one run.",
                name=table.name,
                item=row[0][1],
                criterion=row[2][:40],
            )
        distinct.add(row)
    values = [*map(value_of, table.column("value"), table.column("reason"))]
    pairs = zip(table.column("labels"), table.column("probs"), strict=True)
    shares = [pair if _is_distribution(*pair) else None for pair in pairs]
    columns = {
        **{name: [key[at] for key in keys] for at, name in enumerate(ItemKey._fields)},
        "sample": samples,
        "criterion": criteria,
        "source": sources,
        "value": [value for value, _ in values],
        "reason": [reason for _, reason in values],
        "labels": [None if pair is None else [*map(str, pair[0])] for pair in shares],
        "probs": [None if pair is None else pair[1] for pair in shares],
    }
    unknown = [None] * len(keys)
    return pa.table(
        [pa.array(columns.get(field.name, unknown), field.type) for field in TABLE],
        schema=TABLE,
    )


def _is_distribution(labels: Any, probs: Any) -> bool:
    """Whether these are labels and the probability of each."""
    return (
        isinstance(labels, list)
        and isinstance(probs, list)
        and len(labels) == len(probs) > 0
        and all(isinstance(prob, int | float) for prob in probs)
    )


def described(items: LongTable, keys: Sequence[ItemKey]) -> dict[ItemKey, Item]:
    """What the file of items says of each."""
    columns = zip(*(items.column(name) for name in ITEM[:-1]), strict=True)
    result = {
        key: Item(
            key.benchmark,
            key.item_id,
            (),
            variant_id=key.variant_id,
            scale_order=key.scale_order,
            area=inert(str(area or "")),
            category=inert(str(category or "")),
            language=inert(str(language or "")),
            cluster=str(cluster or key[1]),
            facets={
                inert(str(name)): inert(str(level)) for name, level in dict(facets or ()).items()
            },
            response=None if response is None else "",
        )
        for key, (area, category, language, cluster, facets, response) in zip(
            keys_of(items), columns, strict=True
        )
    }
    missing = next((key for key in keys if key not in result), None)
    if missing is not None:
        raise VisitorError(
            "{name} does not describe item {item} of the judgements. Take the two "
            "files from the same run.",
            name=items.name,
            item=missing[1],
        )
    return result


def undescribed(keys: Sequence[ItemKey]) -> dict[ItemKey, Item]:
    """Items of which only the key is known, and of the vignettes of our own contexts the flow."""
    contexts = {key[0].partition(":")[2] for key in keys if key[0].startswith("ci-vignettes:")}
    flows = {
        vignette.item_id: vignette.flow
        for name in contexts & set(bundled_contexts())
        for vignette in vignettes(name)
    }
    return {
        key: Item(*key[:2], (), "", *key[2:], facets={**flows.get(key.item_id, {})}) for key in keys
    }


def keys_of(table: LongTable) -> Iterator[ItemKey]:
    columns = [table.column(name) for name in ItemKey._fields]
    for cells in zip(*columns, strict=True):
        benchmark, item_id, variant_id, scale_order = (str(cell or "") for cell in cells)
        yield ItemKey(inert(benchmark) or BENCHMARK, item_id, variant_id, scale_order)


def row_names(table: LongTable) -> Iterator[tuple[str, str]]:
    """What each row is called, the same in every file with the same questions; and its cluster."""
    ids = next((table.column(name) for name in ("item_id", "id") if table.has(name)), None)
    times: dict[str, int] = {}
    for row, question in enumerate(table.column("question")):
        cluster = hash_value(str(question or ""))[:16] if table.has("question") else str(row + 1)
        name = str(ids[row]) if ids is not None else cluster
        # a question that stands there again is another row, by its order in the file
        times[name] = times.get(name, 0) + 1
        yield (name if times[name] == 1 else f"{name}#{times[name]}", cluster)


def criteria_of(table: LongTable) -> list[str]:
    """The criteria whose values a judged file has beside its rows."""
    return [
        criterion
        for criterion in CRITERIA
        if table.has(criterion) and f"{criterion}_reason" in table.names
    ]


def _number(cell: Any) -> float | None:
    """The number in the cell; null where it is empty or none that is finite."""
    try:
        number = None if cell is None or cell == "" else float(cell)
    except (TypeError, ValueError, OverflowError):
        raise VisitorError(
            "A judgement has the value {value!r}, which is no number.", value=str(cell)[:30]
        ) from None
    return number if number is not None and math.isfinite(number) else None
