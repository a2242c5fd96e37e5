"""Published results beside those of runs: the same statistics, and what was measured otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..builders.published import (
    PublishedResult,
    PublishedSource,
    published_results,
    published_source,
)
from ..categorical import combined, first_rows
from ..format import count
from ..messages import Text, joined, message
from ..metrics.estimate import Statistic
from ..metrics.options import named
from ..pipeline.published import PREFIX
from ..pipeline.score import read_scores
from ..records.items import Items
from ..records.run import Run
from .result import NormsCompared

AGREEMENT = "norm_agreement"
"""The share of all vignettes that have the same norm in several models."""

_OVERALL = ("", "open")
"""Of what an overall statistic is that stands beside a published one: of all, of open prompts."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A run's statistic beside the published one of the name `beside`; of several, their agreement.

    It may have another name: by the authors' arithmetic, with another answer key.
    """

    run: str
    beside: str
    statistic: Statistic


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper printed for a benchmark overall, and the runs' own statistics of the same name.

    `differs` says for each run in what it was measured otherwise, as far as that is known; a run
    that was measured alike has nothing. No test and no interval takes in a published number.
    """

    benchmark: str
    source: PublishedSource
    results: tuple[PublishedResult, ...]
    own: tuple[OwnResult, ...]
    differs: Mapping[str, tuple[Text, ...]]


def published_beside(
    runs: Sequence[Run], norms: Mapping[str, NormsCompared] | None = None
) -> tuple[Published, ...]:
    """The published results of every benchmark that some run has, the runs' own beside them.

    The agreements of models stand beside those of these `norms`, which are of several runs.
    """
    scores = {run.name: read_scores(run).by_benchmark for run in runs}
    beside = []
    for name in dict.fromkeys(name for of_run in scores.values() for name in of_run):
        source = published_source(name)
        results = tuple(result for result in published_results(name) if not result.group)
        if source is None or not results:
            continue
        measured = [run for run in runs if name in scores[run.name]]
        own = [
            OwnResult(run.name, statistic, row)
            for run in measured
            for statistic in dict.fromkeys(result.statistic for result in results)
            if (row := _own(scores[run.name][name], statistic, source)) is not None
        ]
        if norms and name in norms:
            # the agreement of these runs is a result of theirs together
            own += [
                OwnResult(" and ".join(of.runs), AGREEMENT, Statistic(AGREEMENT, "rate", of.share))
                for of in norms[name].agreements
            ]
        differs = {run.name: tuple(_differs(run, name, source)) for run in measured}
        beside.append(Published(name, source, results, tuple(own), differs))
    return tuple(beside)


def _own(rows: Sequence[Statistic], name: str, source: PublishedSource) -> Statistic | None:
    """The run's overall statistic that stands beside a published one."""
    names = [name]
    if source.rule is not None:
        # by the authors' arithmetic, where the run was scored by it
        names.insert(0, f"{PREFIX}{name}")
    if source.key:
        names.append(named(name, "silver"))
    overall = {(row.name, row.member): row for row in rows if not row.group}
    keys = ((each, of) for each in names for of in _OVERALL)
    return next((overall[key] for key in keys if key in overall), None)


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
