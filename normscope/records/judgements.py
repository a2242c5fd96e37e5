"""The judgements of a run in columns, beside the items that they are about."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..categorical import Categorical, Codes, combined
from ..files import unreadable_parquet
from ..format import count
from ..messages import marked, message
from ..reasons import Reason
from .item import Item
from .items import Items, OfItems
from .judgement import TIE, Judgement, Source

Floats = NDArray[np.float64]

_NAMES = ("benchmark", "item_id", "variant_id", "scale_order", "criterion", "source", "reason")
CHANNELS = (Source.JUDGE_LOGITS, Source.MODEL_LOGITS, Source.JUDGE_TEXT, Source.TEXT_RULE)
"""Who can speak of one criterion; of several the first counts."""

_NUMBERS = ("temperature", "value")
_DISTRIBUTION = ("labels", "probs")
COLUMNS = (*_NAMES, *_NUMBERS, "sample", *_DISTRIBUTION)
"""The columns of `judgements.parquet` that are read; `raw_top`, the widest, is not."""

RAW_TOP = "raw_top"
"""The column of the most probable tokens, for who reads them."""

_ACCEPTABILITY = "acceptability"


@dataclass(frozen=True, slots=True, eq=False)
class Judgements(OfItems):
    """Judgements, a row each. A number that is not there is NaN.

    `favourite` is the label that the distribution favours, null at a `TIE`. `raw_top` is null
    in every row unless the column was read.
    """

    benchmark: Categorical
    item_id: Categorical
    variant_id: Categorical
    scale_order: Categorical
    sample: NDArray[np.int32]
    temperature: Floats
    criterion: Categorical
    source: Categorical
    raw_top: pa.Array
    favourite: Categorical
    value: Floats
    reason: Categorical

    def __getitem__(self, rows: Any) -> "Judgements":
        """These rows, by their places or by a mask."""
        if isinstance(rows, np.ndarray) and rows.dtype == np.bool_:
            if rows.all():
                return self
            rows = np.flatnonzero(rows)
        columns = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if field.name not in {"items", "raw_top"}
        }
        tokens = self.raw_top
        columns["raw_top"] = (
            tokens[rows] if isinstance(rows, slice) else tokens.take(pa.array(rows))
        )
        return Judgements(self.items, **columns)

    def of_criterion(self, criterion: str) -> "Judgements":
        """The judgements of one criterion."""
        return self[self.criterion.equals(criterion)]

    def of_benchmark(self, benchmark: str) -> "Judgements":
        """The judgements of one benchmark."""
        return self[self.benchmark.equals(benchmark)]

    @property
    def replies(self) -> Codes:
        """The replies to one item told apart: variant, order of the scale, sample, temperature."""
        return combined(self.variant_id, self.scale_order, self.sample, self.temperature)

    @property
    def across_channels(self) -> Codes:
        """The rows that say the same in labels and in text, by the same number.

        Those about the same item and criterion where the model under test answered it, once in
        labels and perhaps several times in text; those about the same response where a judge did.
        """
        of_judge = self.source.isin(name for name in Source if name.is_judge)
        replies = np.where(of_judge, self.replies, 0)
        item = combined(self.benchmark, self.item_id, self.variant_id, self.scale_order)
        return combined(item, self.criterion, of_judge, replies)

    def side_by_side(self, first: str, *others: str) -> "tuple[Judgements, Floats]":
        """The first criterion's judgements of a benchmark, and the values of all beside them.

        The values are criteria × responses, NaN where one is absent.
        """
        places = self.places_side_by_side(first, *others)
        values = np.where(places < 0, np.nan, self.value[places])
        return self[places[0]], values

    def places_side_by_side(self, first: str, *others: str) -> Codes:
        """The rows of a benchmark's judgements of the same response: criteria × responses.

        A criterion that a response was not judged by has −1; one without the first has no column.
        """
        response = combined(self.item_id, self.replies)
        places = np.full((1 + len(others), response.max(initial=-1) + 1), -1, dtype=np.intp)
        for at, criterion in enumerate((first, *others)):
            rows = np.flatnonzero(self.criterion.equals(criterion))
            places[at, response[rows]] = rows
        # the first criterion leads, in the order of its rows
        firsts: Codes = places[:, response[self.criterion.equals(first)]]
        return firsts


def counting(sources: Iterable[str]) -> str:
    """Of the sources of one criterion's judgements the one that counts.

    Labels before text: of an answer that was read in both channels the probabilities say more.

    >>> counting(["text_rule", "model_logits"])
    'model_logits'
    """
    return min(sources, key=_rank)


def _rank(source: str) -> int:
    return CHANNELS.index(Source(source)) if source in {*CHANNELS} else len(CHANNELS)


def counted_verdicts(judgements: Sequence[Judgement]) -> list[Judgement]:
    """The judge's of these judgements, of each criterion of a benchmark those that count."""
    of_judge = [row for row in judgements if row.source.is_judge]
    sources: dict[tuple[str, str], set[str]] = {}
    for row in of_judge:
        sources.setdefault((row.key.benchmark, row.criterion), set()).add(row.source)
    counts = {place: counting(names) for place, names in sources.items()}
    return [row for row in of_judge if row.source == counts[row.key.benchmark, row.criterion]]


def headline(judgements: Judgements) -> Judgements:
    """The judgements that count, of each criterion of a benchmark those of one source.

    Of vignettes those at the lowest temperature: a norm is made of answers at one.
    """
    return at_lowest_temperature(of_counting_source(judgements))


def of_counting_source(judgements: Judgements) -> Judgements:
    """Of each criterion of a benchmark the judgements of the source that counts."""
    sources, of = judgements.source, combined(judgements.benchmark, judgements.criterion)
    rank = np.array([*map(_rank, sources.names), len(CHANNELS)])[sources.codes]
    first = np.full(of.max(initial=-1) + 1, len(CHANNELS))
    np.minimum.at(first, of, rank)
    return judgements[rank == first[of]]


def at_lowest_temperature(judgements: Judgements) -> Judgements:
    """The judgements, of the answers to each prompt of vignettes those at its lowest temperature.

    An answer of which no temperature is known, as one in labels, stays.
    """
    drawn = np.where(judgements.criterion.equals(_ACCEPTABILITY), judgements.temperature, np.nan)
    if len(np.unique(drawn[~np.isnan(drawn)])) < 2:  # noqa: PLR2004 - nothing to choose from
        return judgements
    prompts = combined(
        *(judgements.benchmark, judgements.item_id, judgements.variant_id, judgements.scale_order)
    )
    lowest = np.full(prompts.max() + 1, np.inf)
    np.fmin.at(lowest, prompts, drawn)
    return judgements[np.isnan(drawn) | (drawn == lowest[prompts])]


def by_temperature(judgements: Judgements) -> dict[float, Judgements]:
    """The answers in text at each temperature, the lowest first; empty unless there are several."""
    drawn = judgements.temperature
    temperatures = np.unique(drawn[~np.isnan(drawn)]).tolist()
    several = temperatures if len(temperatures) > 1 else []
    return {temperature: judgements[drawn == temperature] for temperature in several}


def read_judgements(rows: pa.Table | Path, items: Iterable[Item] = ()) -> Judgements:
    """The rows of a table with the columns `COLUMNS` and perhaps `RAW_TOP`, or of such a file.

    They are in its order; what is not finite is read as null. Of a file the distributions, which
    are its bulk, are never in memory as a whole.
    """
    all_items = items if isinstance(items, Items) else Items.of(items)
    favourite = _favourites(rows)
    if isinstance(rows, Path):
        with unreadable_parquet(rows):
            narrow = [name for name in COLUMNS if name not in _DISTRIBUTION]
            rows = pq.read_table(rows, columns=narrow, read_dictionary=_NAMES, partitioning=None)
    columns: dict[str, Any] = {name: Categorical.of(rows.column(name)) for name in _NAMES}
    columns |= {name: _numbers(rows.column(name)) for name in _NUMBERS}
    tokens = rows.column(RAW_TOP).combine_chunks() if RAW_TOP in rows.column_names else None
    return Judgements(
        items=all_items,
        item=all_items.places_of(rows),
        sample=rows.column("sample").to_numpy().astype(np.int32, copy=False),
        raw_top=pa.nulls(rows.num_rows) if tokens is None else tokens,
        favourite=favourite,
        **columns,
    )


def _numbers(column: pa.ChunkedArray) -> Floats:
    numbers: Floats = column.cast(pa.float64()).to_numpy()
    # a foreign file may hold infinities: they are no value of any scale
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _favourites(rows: pa.Table | Path) -> Categorical:
    """The label that each row's distribution favours (`likeliest`); null at a tie and for none."""
    import duckdb  # 0.3 s

    with duckdb.connect() as database:
        if isinstance(rows, Path):
            source = database.read_parquet(escape(str(rows)), hive_partitioning=False)
        else:
            source = database.from_arrow(rows.select(_DISTRIBUTION))
        return Categorical.of(source.project(_TOP).project(_ALONE).to_arrow_table()["favourite"])


# NaN is above every number
_TOP = (
    "[pair[1] for pair in list_zip(labels, probs) "
    f"if pair[2] >= list_max(probs) * {1 - TIE} and not isnan(pair[2])] as top"
)
_ALONE = "case when len(top) = 1 then top[1] end as favourite"


def off_scale(counted: Mapping[str, Judgements]) -> Iterator[str]:
    """Which benchmarks have hardly any numbers, and what mends that.

    There half of what counts or more had too little probability on the labels.
    """
    for benchmark, judged in counted.items():
        of_model = judged.source.isin([Source.MODEL_LOGITS])
        for rows, reason, pattern in (
            (of_model, Reason.OFF_SCALE, _OFF_SCALE),
            (~of_model, Reason.LOW_COVERAGE, _LOW_COVERAGE),
        ):
            n = int(rows.sum())
            lacking = int((rows & judged.reason.equals(reason)).sum())
            if n and 2 * lacking >= n:
                yield message(pattern, benchmark=benchmark, n=count(lacking), m=count(n))


_OFF_SCALE = marked(
    "{benchmark}: at {n} of {m} prompts the model puts hardly any probability on the labels: ask "
    "it in text (--channels text)."
)
_LOW_COVERAGE = marked(
    "{benchmark}: at {n} of {m} judgements the judge puts too little probability on the labels: "
    "take another judge, or ask it in text (--set judge_channels=text)."
)
