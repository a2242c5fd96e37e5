"""The norms of a vignette benchmark: what most prompt variants say, by the flow's factors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..comparison.norms import factors_of, farthest_apart
from ..comparison.result import NormsCompared
from ..format import MISSING, count, number, percent
from ..messages import joined, message
from ..metrics.majority import majority_share
from ..metrics.shift import NormShift
from ..metrics.vignette_norms import NormState, VignetteNorms
from ..pipeline.norms import EXPECTED, VignetteAnswers, anchors, is_as_expected
from ..records.item import VIGNETTE, varying
from ..records.judgement import Source
from ..records.judgements import Judgements, by_temperature, counting, headline
from ..records.settings import Settings
from .blocks import (
    Beside,
    Block,
    Chart,
    Column,
    Details,
    Paragraph,
    Section,
    Table,
    titled,
)
from .charts import Plot
from .names import name_of
from .norm_charts import (
    Levels,
    answer_shares,
    mean_norms,
    norm_maps,
    norm_shares,
    norm_values,
    variance_ridges,
)
from .scores import Scored, Scores

if TYPE_CHECKING:
    import pandas as pd

States = NDArray[np.intp]

_FARTHEST = 12
"""Vignettes that are named because runs differ on them; all stand in `norms.csv`."""

_MOST_PRINTED = 12
"""Maps: more of them would be a stack of paper."""


def norm_blocks(judgements: Judgements, config: Settings) -> Iterator[Block]:
    """The norms of each benchmark that asks for acceptability: their means, then every vignette.

    Where both the model's logits and its text were read, the logits are shown.
    """
    sections = []
    answered = judgements.of_criterion("acceptability")
    for benchmark in answered.benchmark.seen().names:
        rows = answered.of_benchmark(benchmark)
        source = counting(rows.source.seen().names)
        # a judgement without its item has no factors by which it could be placed
        placed = rows[rows.item >= 0]
        answers = headline(placed)
        if len(answers):
            blocks = (
                *_blocks(source, answers, config),
                *_temperatures(placed, config),
            )
            sections.append(Section(benchmark, blocks))
    if sections:
        about = message("A vignette's norm is what the majority of its prompt variants say.")
        yield Paragraph(about, note=True)
    yield from sections


def _blocks(source: str, rows: Judgements, config: Settings) -> Iterator[Block]:
    answered = VignetteAnswers.of(rows)
    facets = [item.facets for item in answered.items]
    norms = answered.norms(config.majority)
    states, factors = norms.states, varying(facets)
    yield Paragraph(joined(_about(source, norms, facets, config), " "))
    missed = [anchor for anchor in anchors(answered, norms) if not anchor.as_expected]
    if missed:
        yield anchors_table(
            ((of.vignette, of.expected, [(of.state.name.lower(), of.valid)]) for of in missed),
            [message("norm")],
        )
    yield norm_spread(norms)
    if len(factors) > 2:  # noqa: PLR2004 - a map shows two factors as they are
        means = titled(mean_norms([""], [states], factors))
        yield Section(message("Mean norm"), (means,), note=_summary(states))
    maps = list(norm_maps(facets, states))
    yield Section(
        message("Every vignette"),
        tuple(
            Details(
                (held := _levels(levels)) or message("All vignettes"),
                (Chart(chart, alt=message("Norms: {held}", held=held)),),
                note=_summary(np.asarray(chart.states)),
                open=not at,
                printed=len(maps) <= _MOST_PRINTED,
            )
            for at, (levels, chart) in enumerate(maps)
        ),
        note=message("{n} panels", n=len(maps)) if len(maps) > 1 else "",
    )


def anchors_table(
    rows: Iterable[tuple[str, str, Sequence[tuple[str, int]]]], runs: Sequence[str]
) -> Table:
    """The anchors with what is expected and, of each run, the norm and how many answers it has."""
    records = (
        {
            message("vignette"): vignette,
            message("expected"): name_of(expected),
            **{
                Column(run): message("{norm} ({n} answers)", norm=name_of(norm), n=count(n))
                for run, (norm, n) in zip(runs, norms, strict=True)
            },
        }
        for vignette, expected, norms in rows
    )
    title = message("Anchors that are not answered as expected")
    return Table.of(records, texts=2, title=title)


def norm_spread(norms: VignetteNorms) -> Beside:
    """How many vignettes have each norm, and how far the answers to each vary."""
    drawn: list[Plot] = [norm_shares([""], [norms.states])]
    if not np.isnan(norms.variance).all():
        # of one reply to each vignette there is no variance
        drawn.append(variance_ridges([""], [norms.variance]))
    return Beside(tuple(map(titled, drawn)))


def _temperatures(rows: Judgements, config: Settings) -> Iterator[Block]:
    """The answers in text at each temperature of several, and how far those to a vignette vary."""
    at_each = by_temperature(rows)
    if not at_each:
        return
    names = [message("temperature {t}", t=f"{level:g}") for level in at_each]
    if counting(rows.source.seen().names) == Source.TEXT_RULE:
        text = message(
            "The norms above are of the answers at {lowest}; those at each temperature are in "
            "norms.csv.",
            lowest=names[0],
        )
        yield Paragraph(text, note=True)
    norms = [VignetteAnswers.of(of).norms(config.majority) for of in at_each.values()]
    drawn = answer_shares(names, norms), variance_ridges(names, [of.variance for of in norms])
    yield Details(
        message("By temperature"), (Beside(tuple(map(titled, drawn))),), note=joined(names)
    )


def _about(
    source: str, norms: VignetteNorms, facets: Sequence[Mapping[str, str]], config: Settings
) -> Iterator[str]:
    """How many vignettes have no norm and why, by which rule, and what is the same in all."""
    counts = np.bincount(norms.states, minlength=len(NormState))
    yield message(
        "{n} vignettes, read from {source}: {split} without a majority, {silent} without an "
        "answer, {unscored} unscored. A majority, by the rule {rule}, is {share} of the valid "
        "answers, where at least {needed} of {variants} are valid.",
        n=count(len(norms.states)),
        source=name_of(source),
        split=count(int(counts[NormState.NO_MAJORITY])),
        silent=count(int(counts[NormState.NO_ANSWER])),
        unscored=count(int(counts[NormState.UNSCORED])),
        rule=name_of(config.rule),
        share=percent(float(majority_share(*config.majority[:2]))),
        needed=norms.needed,
        variants=norms.requested,
    )
    for factor, level in facets[0].items():
        if len({facet.get(factor, "") for facet in facets}) == 1:
            yield message("{name} in all of them: {level}.", name=name_of(factor), level=level)


def _summary(states: States) -> str:
    norms = norm_values(states)
    defined = norms[~np.isnan(norms)]
    return message(
        "mean norm {mean}, {n} of {m} with a majority",
        mean=number(float(defined.mean()) if len(defined) else None),
        n=count(len(defined)),
        m=count(len(states)),
    )


def _levels(levels: Levels) -> str:
    """The levels that the vignettes of a map share."""
    return joined(
        message("{name}: {level}", name=name_of(name), level=level or MISSING)
        for name, level in levels
    )


def norms_details(norms: NormsCompared) -> Details:
    """Where the norms of the runs part, folded; what they share is drawn and stands in files."""
    runs = list(norms.states)
    apart = farthest_apart(norms.table, runs, _FARTHEST)
    return Details(
        message("Norms of the vignettes"),
        (*_anchors_of(norms.table, runs), apart_table(apart, runs, factors_of(norms.table))),
        note=message("{n} vignettes", n=count(norms.table.num_rows)),
    )


def _anchors_of(table: pa.Table, runs: Sequence[str]) -> Iterator[Table]:
    """The anchors that some run does not answer as expected, with the norm of each run."""
    if {VIGNETTE, EXPECTED} <= {*table.column_names}:
        rows = (
            (row, [(row[f"{run}: state"], row[f"{run}: valid"]) for run in runs])
            for row in table.to_pylist()
        )
        yield anchors_table(
            (
                (row[VIGNETTE], row[EXPECTED], norms)
                for row, norms in rows
                if not all(is_as_expected(row[EXPECTED], NormState[n.upper()]) for n, _ in norms)
            ),
            runs,
        )


def apart_table(rows: pa.Table, runs: Sequence[str], factors: Sequence[str]) -> Table:
    """The vignettes of `farthest_apart` by their factors, with the mean answer of each run."""
    varied = [name for name in factors if rows[name].null_count < len(rows)]
    records = (
        {
            **{Column(name_of(name)): row[name] or MISSING for name in varied},
            **{Column(run, "number"): number(row[f"{run}: mean"]) for run in runs},
            Column(message("difference"), "number", tone="strong"): number(row["spread"]),
        }
        for row in rows.to_pylist()
    )
    return Table.of(
        records,
        title=message("Vignettes on which runs differ most"),
        note=message("mean answer of each, from −2 to +2; the highest less the lowest"),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Shifts(Scored):
    """How norms move from model to model: the differences (`scores`), and their `tests`.

    Tests are over prompt variants; those `as published`, over flows, are no evidence of a sample.
    """

    result: NormShift

    @cached_property
    def scores(self) -> Scores:
        """The differences of every pair, overall and by level."""
        return Scores.of(self.result.statistics())

    @cached_property
    def tests(self) -> "pd.DataFrame":
        """The tests of every pair and of all models at once, a row each."""
        import pandas as pd

        pairs = [(f"{pair.first}, {pair.second}", pair) for pair in self.result.pairs]
        tests = [(names, pair.over_variants, pair.p_adjusted) for names, pair in pairs]
        tests += [(names, test, None) for names, pair in pairs for test in pair.as_published]
        tests += [("all", test, None) for test in self.result.omnibus]
        rows = [{"models": of, **asdict(test), "p_corrected": p} for of, test, p in tests]
        return pd.DataFrame(rows)
