"""A stratified random sample of judged answers for people to label, and the folder that it is in.

It is drawn in proportion to strata of the judge's label, language and category; of several runs,
equally many rows of each. `sample.json` and `frame.parquet` stay with whoever asked for the labels.
Raters get the sheets alone, which show neither the judge's labels nor the strata made of them.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from ... import __version__
from ...categorical import group_by
from ...errors import DataError, UsageError
from ...files import (
    hash_file,
    hash_value,
    read_json,
    read_parquet,
    replacing,
    typed_of_file,
    write_json,
    write_parquet,
    write_text,
)
from ...records.run import Run
from .frame import Frame, FrameRow, SampledRun, read_frame
from .sheet import Sheet, sheet_name

Stratum = tuple[str, ...]

FACTS, FRAME, SHEETS = "sample.json", "frame.parquet", "sheets"
STRATA = ("label", "language", "category")
FEWEST = 2
"""Rows of a stratum without which its spread cannot be told."""

_ALL = "*"
_BETWEEN = " · "


@dataclass(frozen=True, slots=True)
class SampledRow:
    """A row that could be drawn: its stratum, whether it was drawn, with which chance."""

    row: str
    stratum: str
    drawn: bool
    probability: float
    cluster: str


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn, from which runs, under which rubric, and which labels each criterion has.

    `frame` is the hash of the table of its `rows`.
    """

    runs: tuple[SampledRun, ...]
    benchmark: str
    rubric: str
    rubric_hash: str
    criteria: Mapping[str, tuple[str, ...]]
    n: int
    seed: int
    raters: int
    frame: str
    normscope: str
    rows: tuple[SampledRow, ...] = ()
    format: Literal[1] = 1

    @property
    def names(self) -> str:
        """The names of the runs."""
        return ", ".join(run.run for run in self.runs)

    @property
    def facts(self) -> dict[str, Any]:
        """Everything but the rows, whose hash is in it."""
        facts = asdict(replace(self, rows=()))
        del facts["rows"]
        return facts

    @property
    def hash(self) -> str:
        """What sheets and labels carry to say which sample they belong to."""
        # a letter first: a spreadsheet would take some hashes for numbers
        return "s" + hash_value(self.facts)[:16]

    @property
    def drawn(self) -> tuple[SampledRow, ...]:
        """The rows that people label."""
        return tuple(row for row in self.rows if row.drawn)

    def of(self, rows: Collection[str]) -> "Sample":
        """The same with these rows alone, such as those of one run of several."""
        return replace(self, rows=tuple(row for row in self.rows if row.row in rows))


def draw_sample(
    frame: Frame,
    out: Path,
    *,
    n: int,
    raters: int = 3,
    seed: int = 0,
    pages: Callable[[Sequence[Sheet]], Mapping[str, str]],
) -> tuple[Sample, list[Path]]:
    """Draws a sample and writes `out`, whole or not at all, with a sheet for each rater.

    `pages` makes of the sheets the raters' pages, by file name. Returns the sample and these files.
    """
    if n < FEWEST:
        raise UsageError(f"--n {n}: a sample has two answers or more, better 100")
    if raters < 1:
        raise UsageError(f"--raters {raters}: somebody must label; three is usual")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DataError(f"{out} holds something already: name a new folder for the sample")
    if out.exists() and out.samefile(Path.cwd()):
        raise DataError(f"{out} is the folder that you are in: name a new one for the sample")
    rows = frame.readable
    if not rows:
        raise DataError(f"{frame.runs[0].where}: the model gave no answer that could be labelled")
    strata, quotas = strata_and_quotas(rows, frame.names, n)
    drawn = draw(strata, quotas, seed=seed)
    sizes, chosen = Counter(strata), set(drawn)
    table = tuple(
        SampledRow(
            row=row.row_id,
            stratum=_BETWEEN.join(level or "–" for level in stratum),
            drawn=at in chosen,
            probability=quotas[stratum] / sizes[stratum],
            cluster=row.item.cluster_or_id,
        )
        for at, (row, stratum) in enumerate(zip(rows, strata, strict=True))
    )
    # the texts of the rows that were drawn alone: a frame may have very many
    sheet_rows = [frame.sheet_row(rows[at]) for at in drawn]
    with replacing(out) as folder:
        folder.mkdir()
        write_parquet(folder / FRAME, pa.Table.from_pylist([*map(asdict, table)]))
        sample = Sample(
            runs=tuple(replace(run, where=os.path.relpath(run.where, out)) for run in frame.runs),
            benchmark=frame.benchmark,
            rubric=frame.rubric.name,
            rubric_hash=frame.rubric.hash,
            criteria={name: frame.rubric.criteria[name].scale.labels for name in frame.names},
            n=len(drawn),
            seed=seed,
            raters=raters,
            frame=hash_file(folder / FRAME),
            normscope=__version__,
            rows=table,
        )
        write_json(folder / FACTS, sample.facts)
        sheets = [
            Sheet(
                sheet_name(sample.hash, rater),
                frame.names,
                tuple(sheet_rows[at] for at in shuffled(len(sheet_rows), seed=seed, rater=rater)),
            )
            for rater in range(1, raters + 1)
        ]
        written = pages(sheets)
        for name, text in written.items():
            write_text(folder / SHEETS / name, text)
    return sample, [out / SHEETS / name for name in written]


def read_sample(folder: Path) -> Sample:
    """The sample in the folder; a `DataError` if it is none, or its table is not as it was."""
    path, table = folder / FACTS, folder / FRAME
    if not path.is_file():
        raise DataError(
            f"{folder} has no {FACTS}: name the folder that `normscope annotate sample` wrote"
        )
    remedy = "restore it, or draw the sample anew"
    sample = typed_of_file(Sample, read_json(path), path=path, remedy=remedy)
    if not table.is_file() or hash_file(table) != sample.frame:
        raise DataError(
            f"{table} is missing or was changed after the sample was drawn: restore the file, for "
            "the labels cannot be weighted without it"
        )
    rows = read_parquet(table).to_pylist()
    return replace(sample, rows=tuple(SampledRow(**row) for row in rows))


def frame_of(folder: Path, sample: Sample) -> Frame:
    """The frame of the sample in the folder again, from the runs that it was drawn from."""
    return read_frame(
        [Run.open(folder / run.where) for run in sample.runs],
        benchmark=sample.benchmark,
        criteria=list(sample.criteria),
        names=[run.run for run in sample.runs],
    )


def strata_and_quotas(
    rows: Sequence[FrameRow], criteria: Sequence[str], n: int
) -> tuple[list[Stratum], dict[Stratum, int]]:
    """The strata within each run, merged, and how many rows of each: an equal share for every run.

    The rows of one run alone keep their strata. A run with fewer rows than its share gives all. The
    judge's labels stand first in a stratum, which says what is given up last where it is too small.
    """
    runs = group_by(rows, lambda row: row.run)
    if len(runs) > 1 and n < FEWEST * len(runs):
        raise UsageError(f"--n {n}: {len(runs)} runs need {FEWEST * len(runs)} or more")
    result: list[Stratum] = []
    quotas: dict[Stratum, int] = {}
    # a frame has its rows run by run
    for number, (run, of_run) in enumerate(runs.items()):
        # what does not divide evenly goes to the first runs, one row each
        share = n // len(runs) + (number < n % len(runs))
        first = (run,) if len(runs) > 1 else ()
        strata = [
            (*(row.labels[name] for name in criteria), row.item.language, row.item.category)
            for row in of_run
        ]
        within = merged(strata, share)
        result += [(*first, *stratum) for stratum in within]
        allocated = allocate(Counter(within), share)
        quotas |= {(*first, *stratum): quota for stratum, quota in allocated.items()}
    return result, quotas


def merged(strata: Sequence[Stratum], n: int) -> list[Stratum]:
    """The strata, those with less than two of n rows due to them put together with their like.

    Level by level from the last: small strata that differ in the last level alone become one, then
    those that differ in the last two, and so on; those of another first level stay apart, unless n
    is too small for that.

    >>> merged([("1", "zh")] * 8 + [("0", "zh"), ("0", "en")], 5)[-2:]
    [('0', '*'), ('0', '*')]
    """
    current = list(strata)
    for kept in range(max(map(len, current), default=0) - 1, 0, -1):
        sizes = Counter(current)
        small = {stratum for stratum in sizes if n * sizes[stratum] < FEWEST * len(current)}
        wider = {s: (*s[:kept], *[_ALL] * (len(s) - kept)) for s in small}
        current = [wider.get(stratum, stratum) for stratum in current]
    if sum(min(FEWEST, size) for size in Counter(current).values()) > n:
        return [(_ALL,)] * len(current)
    return current


def allocate(sizes: Mapping[Stratum, int], n: int) -> dict[Stratum, int]:
    """How many rows of each stratum, n in all: in proportion, two at least where there are two.

    >>> allocate({("1",): 90, ("0",): 8, ("unscored",): 1}, 20)
    {('1',): 17, ('0',): 2, ('unscored',): 1}
    """
    total = sum(sizes.values())
    if n >= total:
        return dict(sizes)
    quotas = {stratum: min(FEWEST, size) for stratum, size in sizes.items()}
    while (left := n - sum(quotas.values())) > 0:
        # one by one to whichever is furthest behind its due
        unfilled = [stratum for stratum, size in sizes.items() if quotas[stratum] < size]
        short = {stratum: n * sizes[stratum] / total - quotas[stratum] for stratum in unfilled}
        for stratum in sorted(unfilled, key=lambda key: (-short[key], key))[:left]:
            if short[stratum] == max(short.values()) or short[stratum] >= 1:
                quotas[stratum] += 1
    return quotas


def draw(strata: Sequence[Stratum], quotas: Mapping[Stratum, int], *, seed: int) -> list[int]:
    """The places of the rows: within each stratum every row has the same chance, none twice.

    The same strata, quotas and seed give the same rows.
    """
    members = group_by(range(len(strata)), lambda at: strata[at])
    # the strata in their sorted order: which of them is seen first does not matter
    random = np.random.default_rng(seed)
    return sorted(
        at
        for stratum in sorted(members)
        for at in random.choice(members[stratum], size=quotas[stratum], replace=False).tolist()
    )


def shuffled(count: int, *, seed: int, rater: int) -> list[int]:
    """The order in which a rater sees the rows."""
    # another order for each rater, so that what fatigue does is spread
    order: list[int] = np.random.default_rng([seed, rater]).permutation(count).tolist()
    return order
