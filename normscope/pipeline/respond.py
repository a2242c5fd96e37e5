"""What the model under test does with each item: a text, or a distribution over labels.

Options and vignettes are answered in the channels that are asked for, a row per answer: the label
distribution (without a temperature, for nothing is drawn), and each reply in text. So a row of one
channel is the same whatever else was recorded beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..errors import UsageError
from ..extras import packages
from ..files import read_parquet
from ..judges.respondent import scale_hash
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, RESPONSES, SOURCES
from ..records.item import SCHEMA as ITEM_SCHEMA
from ..records.item import Item, ItemKey
from ..records.journal import PLACE, Hashes, Numbers, Unit
from ..records.provenance import BenchmarkItems, Reply, ResponsesProvenance
from ..records.response import SCHEMA
from ..records.settings import Settings
from ..records.sorted_table import write_sorted
from ..records.tables import to_table
from ..records.units import groups, hashes_of
from .inputs import beside, dense_ranks
from .requested import choose, keep_copies, requested_benchmarks
from .stage import AnyTask, RespondLabels, RespondTexts, StageWork, Workers, end_stage, worked_off

STAGE = "respond"
REFERENCE = "reference"
"""The model's name in rows whose answer the benchmark itself brings along."""

_LABELS, _BROUGHT = -1, -2


class Requested(NamedTuple):
    """The answers that are requested, as columns: of which item, and which reply in text.

    `reply` is −1 for a label distribution, and −2 where the item brings its answer along; else the
    place among the replies that are drawn.
    """

    item: Numbers
    reply: Numbers


def respond(run: RunFolder, config: Settings, workers: Workers) -> None:
    """Asks every item of the run's benchmarks and writes `responses.parquet`."""
    benchmarks = requested_benchmarks(config)
    chosen = choose(config, benchmarks)
    items, benchmark_items = chosen.items, chosen.benchmarks
    requested = requested_of(items, benchmark_items, config)
    engine = None
    if (requested.reply != _BROUGHT).any():
        if config.model is None:
            raise UsageError("no model under test is named: --model PATH_OR_HUB_ID")
        engine = workers.engine(config.model)
    labelled = requested.item[requested.reply == _LABELS]
    read = dict.fromkeys(items[at].benchmark for at in labelled)
    scales = dict.fromkeys(benchmark_items[name].criteria[0] for name in read)
    drawn = any(config.decoding.temperatures) and (requested.reply >= 0).any()
    run.begin(
        STAGE,
        config,
        ResponsesProvenance(
            benchmarks=benchmark_items,
            model=engine.identity if engine else None,
            scales={name: scale_hash(name) for name in scales},
            # each reply's temperature and seed, where something is drawn
            replies=config.decoding.replies if drawn else (),
            packages=packages(),
        ),
    )
    if run.whole:
        return
    run.reopen()
    for _, bench in benchmarks.values():
        keep_copies(bench, run.path / SOURCES)
    run.write_items(items)
    run.write_ratings(chosen.ratings)
    work = works_of(items, requested, benchmark_items, config)
    # from here on the items are columns, which the channels share
    del items, chosen
    answered = [worked_off(workers, each, engine, run.journal) for each in work if engine]
    write_sorted(run.path / RESPONSES, SCHEMA, chain(_brought(run, requested), *answered))
    end_stage(run, STAGE, engine)


def requested_of(
    items: Sequence[Item], benchmarks: Mapping[str, BenchmarkItems], config: Settings
) -> Requested:
    """The answers that are requested of each item: labels first, then the replies in text."""
    replies = config.decoding.replies
    places: dict[str, list[int]] = {
        name: [
            _LABELS if reply is None else replies.index(reply)
            for reply in config.replies(labelled=about.labelled)
        ]
        for name, about in benchmarks.items()
    }
    replies_of = [
        [_BROUGHT] if item.response is not None else places[item.benchmark] for item in items
    ]
    return Requested(
        np.repeat(np.arange(len(items)), [*map(len, replies_of)]),
        np.fromiter(chain.from_iterable(replies_of), np.int64),
    )


def works_of(
    items: Sequence[Item],
    requested: Requested,
    benchmarks: Mapping[str, BenchmarkItems],
    config: Settings,
) -> list[StageWork]:
    """What the model under test is asked in each channel in which anything is."""
    model, replies = config.model, config.decoding.replies
    labels, texts = (
        np.flatnonzero(of) for of in (requested.reply == _LABELS, requested.reply >= 0)
    )
    if model is None or not len(labels) + len(texts):
        return []
    hashes = hashes_of((each.key, each.messages) for each in items)
    # prompts that begin alike go together: what they share is read once
    ranks = dense_ranks(pa.array([f"{each.benchmark}\x1f{each.question}" for each in items]))
    table = to_table(items, ITEM_SCHEMA).combine_chunks()

    def stage_work(
        task: AnyTask, places: Numbers, more: pa.Table, kind: Numbers, of_kind: Hashes
    ) -> StageWork:
        item = requested.item[places]
        order = np.argsort(ranks[item], kind="stable")

        def units(_: Numbers | None = None) -> Iterator[Unit]:
            # in their own order: what the rows are made of stays as it is
            for rows in groups(order, size=config.unit_items):
                of_item = table.take(pa.array(item[rows]))
                beside_item = beside(of_item, more.take(pa.array(kind[rows])))
                yield Unit(places[rows], hashes[item[rows]] ^ of_kind[kind[rows]], beside_item)

        return StageWork(task, len(places), units)

    work = []
    if len(labels):
        names = list(benchmarks)
        criteria = pa.table({"criterion": [benchmarks[name].criteria[0] for name in names]})
        kinds = np.array([names.index(each.benchmark) for each in items])[requested.item[labels]]
        none = np.zeros(len(names), np.uint64)
        work.append(stage_work(RespondLabels(model), labels, criteria, kinds, none))
    if len(texts):
        columns = {name: [getattr(each, name) for each in replies] for name in Reply.__slots__}
        of_reply = hashes_of(map(astuple, replies))
        task = RespondTexts(model, config.decoding.max_new_tokens)
        kinds = requested.reply[texts]
        work.append(stage_work(task, texts, pa.table(columns), kinds, of_reply))
    return work


def _brought(run: RunFolder, requested: Requested) -> Iterator[pa.Table]:
    """The responses that items bring along, with their places."""
    places = np.flatnonzero(requested.reply == _BROUGHT)
    if not len(places):
        return
    items = read_parquet(run.path / ITEMS).take(pa.array(requested.item[places]))
    rows = items.num_rows
    values = {
        **{name: items[name] for name in ItemKey._fields},
        "sample": pa.repeat(pa.scalar(0, pa.int32()), rows),
        "model": pa.repeat(REFERENCE, rows),
        "text": items["response"],
    }
    columns = [values.get(field.name, pa.nulls(rows, field.type)) for field in SCHEMA]
    yield pa.table(columns, schema=SCHEMA).append_column(PLACE, pa.array(places))
