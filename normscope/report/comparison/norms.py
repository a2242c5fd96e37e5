"""The norms of vignettes in a comparison: how many of each, where runs agree, and the tests."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from ... import format as fmt
from ...builders.taxonomy import LIKERT
from ...comparison.norms import STATES, factors_of, farthest_apart
from ...comparison.result import Agreement, NormsCompared
from ...format import MISSING
from ...messages import joined, message
from ...metrics.vignette_norms import NormState
from ...pipeline.anchors import EXPECTED, is_as_expected
from ...records.item import VIGNETTE
from ..blocks import Block, Column, Details, Label, Record, Table, columns
from ..names import name_of
from ..norms import anchors_table

STATE_NAMES = tuple(map(Label, (*LIKERT, "no majority", "no answer", "unscored")))
"""What `STATES` are called."""

_FARTHEST = 12
"""Vignettes that are named because runs differ on them; all stand in `norms.csv`."""


def norms_details(norms: NormsCompared) -> Details:
    """The norms of the runs, folded; every vignette and LLM-CI's tests stand in files."""
    return Details(
        message("Norms of the vignettes"),
        tuple(_blocks(norms)),
        note=message("{n} vignettes", n=fmt.count(norms.table.num_rows)),
    )


def _blocks(norms: NormsCompared) -> Iterator[Block]:
    yield Table(
        columns(message("run"), *STATE_NAMES),
        tuple(
            (run, *(fmt.count(counts[state]) for state in STATES))
            for run, counts in norms.states.items()
        ),
        title=message("Vignettes by their norm"),
        brief=False,
    )
    yield Table.of(
        map(_agreement, norms.agreements),
        title=message("Vignettes on which runs agree"),
        brief=False,
    )
    runs = list(norms.states)
    yield from _anchors(norms.table, runs)
    apart = farthest_apart(norms.table, runs, _FARTHEST)
    yield apart_table(apart, runs, factors_of(norms.table))


def _agreement(agreement: Agreement) -> Record:
    """How many vignettes have the same norm; exact where all were asked and scored."""
    share = fmt.estimate(agreement.share, "rate")
    exact = agreement.share.method == "exact"
    return {
        message("runs"): joined(agreement.runs),
        message("same norm"): fmt.count(sum(agreement.labels)),
        Column(message("share of all"), "number", tone="strong"): share.value,
        message("95 % interval"): message("exact") if exact else share.interval,
        "n": share.n,
    }


def _anchors(table: pa.Table, runs: Sequence[str]) -> Iterator[Table]:
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
    return Table(
        (
            *columns(*map(name_of, varied), texts=len(varied)),
            *(Column(run, "number") for run in runs),
            Column(message("difference"), "number", tone="strong"),
        ),
        tuple(
            (
                *(row[name] or MISSING for name in varied),
                *(fmt.number(row[f"{run}: mean"]) for run in runs),
                fmt.number(row["spread"]),
            )
            for row in rows.to_pylist()
        ),
        title=message("Vignettes on which runs differ most"),
        note=message("mean answer of each, from −2 to +2; the highest less the lowest"),
        brief=False,
    )
