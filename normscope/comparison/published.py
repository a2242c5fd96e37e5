"""Published results beside those of runs: the same statistics, and what was measured otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..builders.published import (
    PublishedSource,
    published_results,
    published_source,
    published_sources,
)
from ..categorical import combined, first_rows
from ..errors import UsageError
from ..format import count
from ..messages import Text, joined, message
from ..metrics.estimate import Statistic
from ..metrics.options import named
from ..pipeline.published import PREFIX
from ..pipeline.score import read_scores
from ..records.items import Items
from ..records.run import Run
from .result import Compared, NormsCompared, OwnResult, Published, PublishedBeside

AGREEMENT = "norm_agreement"
"""The share of all vignettes that have the same norm in several models."""

_OVERALL = ("", "open")
"""Of what an overall statistic is that stands beside a published one: of all, of open prompts."""


def alone(run: Run) -> Compared:
    """A run that is compared with no other, only with what was published of its benchmarks.

    A `UsageError` where that is nothing.
    """
    beside = published_beside([run])
    if not beside.benchmarks:
        known = ", ".join(n for s in published_sources() for n in (*s.items, *s.also))
        names = ", ".join(beside.without) or "no benchmark"
        raise UsageError(f"there are no published results for {names}; there are for {known}")
    return Compared({run.name: run.model}, (), (), {}, (), published=beside)


def with_published(compared: Compared, runs: Sequence[Run]) -> Compared:
    """The comparison of these runs, with what the papers printed beside what was measured."""
    return replace(compared, published=published_beside(runs, compared.norms))


def published_beside(
    runs: Sequence[Run], norms: Mapping[str, NormsCompared] | None = None
) -> PublishedBeside:
    """The published results of every benchmark that some run has, the runs' own beside them.

    The agreements of models stand beside those of these `norms`, which are of several runs.
    """
    scores = {run.name: read_scores(run).by_benchmark for run in runs}
    names = dict.fromkeys(name for of_run in scores.values() for name in of_run)
    beside, without = [], []
    for name in names:
        source, results = published_source(name), published_results(name)
        if source is None or not results:
            without.append(name)
            continue
        measured = [run for run in runs if name in scores[run.name]]
        own = [
            OwnResult(run.name, key[0], row)
            for run in measured
            for key in dict.fromkeys((r.statistic, r.group, r.member) for r in results)
            if (row := _own(scores[run.name][name], *key, source)) is not None
        ]
        if norms and name in norms:
            # the agreement of these runs is a result of theirs together
            own += [
                OwnResult(" and ".join(of.runs), AGREEMENT, Statistic(AGREEMENT, "rate", of.share))
                for of in norms[name].agreements
            ]
        differs = {run.name: tuple(_differs(run, name, source)) for run in measured}
        beside.append(Published(name, source, results, tuple(own), differs))
    return PublishedBeside(tuple(beside), tuple(without))


def _own(
    rows: Sequence[Statistic], name: str, group: str, member: str, source: PublishedSource
) -> Statistic | None:
    """The run's statistic that stands beside a published one."""
    names = [name]
    if source.rule is not None:
        # by the authors' arithmetic, where the run was scored by it
        names.insert(0, f"{PREFIX}{name}")
    if source.key:
        names.append(named(name, "silver"))
    by_key = {(row.name, row.group, row.member): row for row in rows}
    keys = ((each, group, of) for each in names for of in ((member,) if group else _OVERALL))
    return next((by_key[key] for key in keys if key in by_key), None)


def _differs(run: Run, benchmark: str, source: PublishedSource) -> Iterator[Text]:
    """In what the run was measured otherwise than the published results, each in a few words."""
    provenance = run.config.provenance
    scope = provenance.benchmarks.get(benchmark)
    if source.judge is not None:
        judge = str((provenance.judge or {}).get("model") or "")
        # a folder or a Hub id ends with the model's name
        if judge.rstrip("/").rpartition("/")[2].lower() != source.judge.lower():
            yield message(
                "judge {model} instead of {theirs}",
                model=judge or message("unknown"),
                theirs=source.judge,
            )
        rubric = provenance.rubrics.get(benchmark)
        name = rubric.name if rubric else ""
        # what the authors asked their judge is not published word for word
        yield message("rubric {name} instead of theirs", name=name or message("unknown"))
    if source.characters is not None:
        yield message(
            "whole answers instead of their first {n} characters", n=count(source.characters)
        )
    if scope is None:
        yield message("how the answers were drawn and read is not known")
    else:
        if source.rule is not None and run.config.rule != source.rule:
            yield message("scored by our rules instead of the published")
        channels = run.config.judge_channels if source.judge else run.config.channels
        ours = "text" if scope.written or "labels" not in channels else "labels"
        if ours != source.channel:
            yield _CHANNELS[ours]
        if source.variants is not None and len(scope.variants) != source.variants:
            yield message(
                "{n} instead of {m} prompt variants", n=len(scope.variants), m=source.variants
            )
    yield from _items(run.items, benchmark, source)
    if source.key:
        yield message("another answer key: theirs is not published")


_CHANNELS = {
    "labels": message("read from the probabilities of labels instead of text"),
    "text": message("read from text instead of the probabilities of labels"),
}


def _items(items: Items, benchmark: str, source: PublishedSource) -> Iterator[Text]:
    """How the items differ from those of the published results, and their languages."""
    rows = np.flatnonzero(items.column("benchmark").equals(benchmark))
    # of the prompts of an item any: what is asked about here is the same in all of them
    first = items.take(rows[first_rows(combined(items.column("item_id")[rows]))])
    total = source.items[source.as_published(benchmark)]
    theirs = [item for item in first if item.facets.get(source.subset, "true") == "true"]
    others = len(first) - len(theirs)
    if len(theirs) != total or others:
        text = message("{n} of {m} items", n=count(len(theirs)), m=count(total))
        more = message("{n} other items", n=count(others))
        yield joined((text, more), " + ") if others else text
    strange = {item.language for item in first} - {*source.languages, ""}
    orders = len(items.column("scale_order")[rows].seen().names)
    if orders > 1:
        yield message("answers listed in {n} orders", n=orders)
    if strange and not others:
        yield message("items in {languages}", languages=", ".join(sorted(strange)))
