"""What the model under test does with each item: a text, or a distribution over labels.

Options and vignettes are answered in the channels that are asked for, a row per answer: the label
distribution (without a temperature, for nothing is drawn), and each reply in text. So a row of one
channel is the same whatever else was recorded beside it.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from typing import Literal

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from ..errors import UsageError
from ..extras import packages
from ..files import read_parquet
from ..judges.engine import Engine
from ..judges.respondent import scale_hash
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, RESPONSES, SOURCES
from ..records.item import Item, ItemKey
from ..records.item import to_table as to_items
from ..records.journal import PLACE, Numbers
from ..records.model_spec import ModelSpec
from ..records.provenance import BenchmarkItems, Reply, ResponsesProvenance
from ..records.reproduction import serving_notes
from ..records.response import SCHEMA
from ..records.settings import Settings
from ..records.sorted_table import write_sorted
from ..records.units import hashes_of
from .chosen import choose
from .inputs import OfItems
from .requested import keep_copies, requested_benchmarks
from .tasks import RespondLabels, RespondTexts
from .workers import StageWork, Workers, worked_off

STAGE = "respond"
REFERENCE = "reference"
"""The model's name in rows whose answer the benchmark itself brings along."""

Channel = Literal["labels", "texts"]


@dataclass(frozen=True, slots=True)
class Requested:
    """The answers that are requested, as columns: of which item, and which reply in text.

    `reply` is −1 for a label distribution, and −2 where the item brings its answer along; else the
    place in `replies`.
    """

    item: Numbers
    reply: Numbers
    replies: tuple[Reply, ...]

    def places(self, channel: Channel) -> Numbers:
        """The places of those in a channel."""
        return np.flatnonzero(self.reply == _LABELS if channel == "labels" else self.reply >= 0)


_LABELS, _BROUGHT = -1, -2


def respond(run: RunFolder, config: Settings, workers: Workers) -> None:
    """Asks every item of the run's benchmarks and writes `responses.parquet`."""
    if not config.benchmark:
        raise UsageError("no benchmark is named: --benchmark cfsafety,ci-vignettes:coppa")
    benchmarks = requested_benchmarks(config)
    chosen = choose(config, benchmarks)
    items, taken = chosen.items, chosen.benchmarks
    requested = requested_of(items, taken, config)
    engine = _engine_for(items, config.model, workers)
    run.begin(
        STAGE,
        config,
        ResponsesProvenance(
            benchmarks=taken,
            model=engine.identity if engine else None,
            scales=_scales(items, requested, taken),
            replies=_drawn(requested, config),
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
    work = [work_of(channel, items, requested, taken, config) for channel in CHANNELS]
    # from here on the items are columns, which the channels share
    del items, chosen
    answered = _answered(run, filter(None, work), engine, workers) if engine else ()
    brought = _brought(run, np.flatnonzero(requested.reply == _BROUGHT), requested)
    write_sorted(run.path / RESPONSES, SCHEMA, chain(brought, *answered))
    run.seal(STAGE, served=run.journal.served(STAGE) if engine else ())
    for note in serving_notes(run.config.provenance, of=[STAGE]):
        tqdm.write(f"warning: {note}", file=sys.stderr)


CHANNELS: tuple[Channel, ...] = ("labels", "texts")


def _answered(
    run: RunFolder, work: Iterable[StageWork], engine: Engine, workers: Workers
) -> list[Iterator[pa.Table]]:
    """The answers of the model in each channel, each with its place."""
    return [
        worked_off(
            workers,
            each,
            engine,
            run.journal,
            label=f"respond ({each.task.stage.partition(':')[2]})",
            retry=run.retries_calls,
        )
        for each in work
    ]


def requested_of(
    items: Sequence[Item], taken: Mapping[str, BenchmarkItems], config: Settings
) -> Requested:
    """The answers that are requested of each item: labels first, then the replies in text."""
    replies = config.decoding.replies
    places: dict[str, list[int]] = {
        name: [
            _LABELS if reply is None else replies.index(reply)
            for reply in config.replies(labelled=about.labelled)
        ]
        for name, about in taken.items()
    }
    each = [[_BROUGHT] if item.response is not None else places[item.benchmark] for item in items]
    return Requested(
        np.repeat(np.arange(len(items)), [*map(len, each)]),
        np.array([place for several in each for place in several], np.int64),
        replies,
    )


def work_of(
    channel: Channel,
    items: Sequence[Item],
    requested: Requested,
    taken: Mapping[str, BenchmarkItems],
    config: Settings,
) -> StageWork | None:
    """What is requested in the channel; null where nothing is, or nobody is to be asked."""
    places = requested.places(channel)
    if not len(places) or config.model is None:
        return None
    item, reply = requested.item[places], requested.reply[places]
    # prompts that begin alike go together: what they share is read once
    keys = [(each.benchmark, each.question) for each in items]
    numbered = {key: number for number, key in enumerate(sorted(set(keys)))}
    ranks = np.array([numbered[key] for key in keys], np.int64)
    hashes = hashes_of((each.key, each.messages) for each in items)[item]
    task: RespondLabels | RespondTexts
    if channel == "labels":
        criteria = {name: about.criteria[0] for name, about in taken.items()}
        more = pa.table({"criterion": [criteria[items[at].benchmark] for at in item]})
        task = RespondLabels(config.model)
    else:
        replies = requested.replies
        hashes ^= hashes_of(map(astuple, replies))[reply]
        columns = {name: [getattr(each, name) for each in replies] for name in Reply.__slots__}
        more = pa.table(columns).take(pa.array(reply))
        task = RespondTexts(config.model, config.decoding.max_new_tokens)
    order = np.argsort(ranks[item], kind="stable")
    table = to_items([*items]).combine_chunks()
    inputs = OfItems(table, item, more, places, hashes, order, config.unit_items)
    return StageWork(task, inputs)


def _engine_for(items: Sequence[Item], spec: ModelSpec | None, workers: Workers) -> Engine | None:
    if all(item.response is not None for item in items):
        return None
    if spec is None:
        raise UsageError("no model under test is named: --model PATH_OR_HUB_ID")
    return workers.engine(spec)


def _brought(run: RunFolder, places: Numbers, requested: Requested) -> Iterator[pa.Table]:
    """The responses that items bring along, with their places."""
    if not len(places):
        return
    items = read_parquet(run.path / ITEMS).take(pa.array(requested.item[places]))
    rows = items.num_rows
    known = {
        **{name: items[name] for name in ItemKey._fields},
        "sample": pa.repeat(pa.scalar(0, pa.int32()), rows),
        "model": pa.repeat(REFERENCE, rows),
        "text": items["response"],
    }
    columns = [known.get(field.name, pa.nulls(rows, field.type)) for field in SCHEMA]
    yield pa.table(columns, schema=SCHEMA).append_column(PLACE, pa.array(places))


def _scales(
    items: Sequence[Item], requested: Requested, taken: Mapping[str, BenchmarkItems]
) -> dict[str, str]:
    """The hash of each scale whose labels are read from the model under test."""
    read = dict.fromkeys(items[at].benchmark for at in requested.item[requested.places("labels")])
    return {name: scale_hash(name) for name in dict.fromkeys(taken[b].criteria[0] for b in read)}


def _drawn(requested: Requested, config: Settings) -> tuple[Reply, ...]:
    """Each reply's temperature and seed, where something is drawn."""
    drawn = any(config.decoding.temperatures) and len(requested.places("texts"))
    return config.decoding.replies if drawn else ()
