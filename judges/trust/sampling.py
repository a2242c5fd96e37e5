"""A stratified random sample of a frame: which strata, how many rows of each, which, and its files.

A sample to correct a run by is drawn in proportion to the strata; of several runs, equally many
rows of each. One to check a rule by has as many rows of each reading as there can be, so that rare
ones are seen.
"""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ... import __version__
from ...errors import DataError, UsageError, nearest
from ...files import replacing_folder, write_text
from ...records.folder import RunFolder, read_only
from ..rules import Rule
from .frame import Frame, FrameRow, judged_frame
from .key import SHEETS, Drawn, Key, Sample, SampledRun, write_frame, write_key
from .pooled import identified, pooled, run_names
from .rule_frame import REASONS, rule_frame
from .sheet import Sheet, sheet_name, write_sheet

Stratum = tuple[str, ...]

LABEL = "label"
DIMENSIONS = (LABEL, "language", "category", "area", "turns", "item_format")
USUAL = ("category", "language", LABEL)
FEWEST = 2
"""Rows of a stratum without which its spread cannot be told."""

_ALL = "*"
_BETWEEN = " · "


def draw_sample(
    frame: Frame,
    out: Path,
    *,
    n: int,
    raters: int = 3,
    dimensions: Sequence[str] = USUAL,
    seed: int = 0,
    beside: Callable[[Sequence[Sheet]], Mapping[str, str]] = lambda _: {},
) -> tuple[Sample, list[Path]]:
    """Draws a sample and writes `out`, whole or not at all: a sheet for each rater, and the key.

    The strata are made of the `dimensions`, those of a rule's sample of what it read. `beside`
    makes of the sheets what is written beside them, texts by file name: a guide, pages. Returns the
    sample and the files for the raters.
    """
    if n < 2:  # noqa: PLR2004 - a spread needs two
        raise UsageError(f"--n {n}: a sample has two answers or more, better 100")
    if raters < 1:
        raise UsageError(f"--raters {raters}: somebody must label; three is usual")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DataError(f"{out} holds something already: name a new folder for the sample")
    if out.exists() and out.samefile(Path.cwd()):
        raise DataError(f"{out} is the folder that you are in: name a new one for the sample")
    rows, by_rule = frame.readable, isinstance(frame.instrument, Rule)
    parts = frame.parts or (frame,)
    if not rows:
        raise DataError(f"{frame.origin}: the model gave no answer that could be labelled")
    if by_rule:
        dimensions = (LABEL,)
        strata = strata_of(rows, dimensions, frame.names)
        quotas = allocate_equally(Counter(strata), n)
    else:
        strata, quotas = of_runs(rows, strata_of(rows, dimensions, frame.names), n)
    places = draw(strata, quotas, seed=seed)
    # the texts of the rows that were drawn alone: a frame may have very many
    shown = {at: frame.sheet_row(rows[at]) for at in places}
    sizes = Counter(strata)
    table = [
        Drawn(
            row=row.row_id,
            stratum=stratum_name(stratum),
            drawn=at in shown,
            probability=quotas[stratum] / sizes[stratum],
            cluster=row.item.cluster_or_id,
            digest=shown[at].digest if at in shown else None,
            labels=tuple(shown[at].guide.criteria[frame.names[0]].meanings)
            if by_rule and at in shown
            else None,
        )
        for at, (row, stratum) in enumerate(zip(rows, strata, strict=True))
    ]
    with replacing_folder(out) as folder:
        key = Key(
            runs=tuple(
                SampledRun(name, os.path.relpath(part.origin, out), dict(part.files))
                for name, part in zip(run_names(parts), parts, strict=True)
            ),
            benchmark=frame.benchmark,
            instrument=frame.instrument.name,
            version=frame.instrument.version,
            hash=frame.instrument.hash,
            by_rule=by_rule,
            criteria=dict(frame.labels),
            strata=tuple(name for name in DIMENSIONS if name in dimensions),
            n=len(places),
            seed=seed,
            raters=raters,
            frame=write_frame(folder, table),
            normscope=__version__,
        )
        sheets = [
            Sheet(
                sheet_name(key.seal, rater),
                frame.names,
                tuple(
                    shown[places[at]] for at in shuffled(len(places), seed=key.seed, rater=rater)
                ),
            )
            for rater in range(1, raters + 1)
        ]
        names = [f"rater-{rater}.csv" for rater in range(1, raters + 1)]
        for name, sheet in zip(names, sheets, strict=True):
            write_sheet(folder / SHEETS / name, sheet)
        for name, text in beside(sheets).items():
            names.append(name)
            write_text(folder / SHEETS / name, text)
        write_key(folder, key)
    return Sample(key, tuple(table)), [out / SHEETS / name for name in names]


def frame_of(folder: Path, key: Key, *, moved: Path | None = None) -> Frame:
    """The frame of a sample in the folder again, from the runs or the file that it was drawn from.

    `moved` is where a single run or file is now.
    """
    if moved is not None and len(key.runs) > 1:
        raise UsageError(f"the sample is of {len(key.runs)} runs: put them back where they were")
    targets = [moved or folder / run.where for run in key.runs]
    frames = [_plain_frame(target, key) for target in targets]
    return pooled(frames, [run.run for run in key.runs])


def frame_of_run(run: RunFolder, key: Key, at: int) -> Frame:
    """The part of a sample's frame that is of its run number `at`, whose folder is open."""
    frame = _plain_frame(run.path, key, run)
    return identified(frame, key.runs[at].run) if len(key.runs) > 1 else frame


def _plain_frame(target: Path, key: Key, run: RunFolder | None = None) -> Frame:
    if key.by_rule:
        ((rule, labels),) = key.criteria.items()
        letters = [label for label in labels if label not in REASONS]
        of_file = letters if rule == "option" and not target.is_dir() else None
        return rule_frame(target, rule, letters=of_file)
    return judged_frame(run or read_only(target), name=key.benchmark, criteria=list(key.criteria))


def of_runs(
    rows: Sequence[FrameRow], strata: Sequence[Stratum], n: int
) -> tuple[list[Stratum], dict[Stratum, int]]:
    """The strata within each run, merged, and their quotas: an equal share of n for every run.

    The rows of one run alone keep their strata. A run with fewer rows than its share gives all.
    """
    members: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        members.setdefault(row.run, []).append(at)
    several = len(members) > 1
    if several and n < FEWEST * len(members):
        raise UsageError(f"--n {n}: {len(members)} runs need {FEWEST * len(members)} or more")
    result: list[Stratum] = [()] * len(rows)
    quotas: dict[Stratum, int] = {}
    for number, (run, places) in enumerate(members.items()):
        # what does not divide evenly goes to the first runs, one row each
        share = n // len(members) + (number < n % len(members))
        first = (run,) if several else ()
        within = merged([strata[at] for at in places], share)
        for at, stratum in zip(places, within, strict=True):
            result[at] = first + stratum
        allocated = allocate(Counter(within), share)
        quotas |= {first + stratum: quota for stratum, quota in allocated.items()}
    return result, quotas


def strata_of(
    rows: Sequence[FrameRow], dimensions: Sequence[str], criteria: Sequence[str]
) -> list[Stratum]:
    """The stratum of each row: the labels that were read first, then language, then the others.

    That order says what is given up last where strata are too small (`merged`).
    """
    for name in dimensions:
        if name not in DIMENSIONS:
            raise UsageError(f"no stratum {name!r}; {nearest(name, DIMENSIONS)}")
    ordered = [name for name in DIMENSIONS if name in dimensions]
    return [
        tuple(
            level
            for name in ordered
            for level in (
                [row.labels[criterion] for criterion in criteria]
                if name == LABEL
                else [level_of(row, name)]
            )
        )
        for row in rows
    ]


def level_of(row: FrameRow, name: str) -> str:
    """The level of a dimension that the row's item has, empty where it has none."""
    return str(getattr(row.item, name, None) or row.item.facets.get(name) or "")


def merged(strata: Sequence[Stratum], n: int) -> list[Stratum]:
    """The strata, those with less than two of n rows due to them put together with their like.

    Level by level from the last: small strata that differ in the last level alone become one, then
    those that differ in the last two, and so on; those of another first level stay apart.

    >>> merged([("1", "zh")] * 8 + [("0", "zh"), ("0", "en")], 5)[-2:]
    [('0', '*'), ('0', '*')]
    """
    current = list(strata)
    for kept in range(max(map(len, current), default=0) - 1, 0, -1):
        sizes = Counter(current)
        small = {stratum for stratum in sizes if n * sizes[stratum] < FEWEST * len(current)}
        wider = {s: (*s[:kept], *[_ALL] * (len(s) - kept)) for s in small}
        current = [wider.get(stratum, stratum) for stratum in current]
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
    if n < sum(quotas.values()):
        raise UsageError(
            f"{len(sizes)} strata need {sum(quotas.values())} answers, two of each, and {n} are to "
            "be drawn: raise --n, of which every run gives an equal share, or name fewer --strata"
        )
    while (left := n - sum(quotas.values())) > 0:
        # one by one to whichever is furthest behind its due
        unfilled = [stratum for stratum, size in sizes.items() if quotas[stratum] < size]
        short = {stratum: n * sizes[stratum] / total - quotas[stratum] for stratum in unfilled}
        for stratum in sorted(unfilled, key=lambda key: (-short[key], key))[:left]:
            if short[stratum] == max(short.values()) or short[stratum] >= 1:
                quotas[stratum] += 1
    return quotas


def allocate_equally(sizes: Mapping[Stratum, int], n: int) -> dict[Stratum, int]:
    """How many of each stratum, n in all: equally many, and all of one that has fewer.

    >>> allocate_equally({("neutral",): 2, ("off_scale",): 90, ("A",): 9}, 14)
    {('neutral',): 2, ('A',): 6, ('off_scale',): 6}
    """
    if n < len(sizes):
        raise UsageError(
            f"the answers are read in {len(sizes)} ways and --n is {n}: draw {len(sizes)} at least,"
            " better 20 for each way"
        )
    quotas: dict[Stratum, int] = {}
    left = n
    # the smallest first: what it cannot fill is shared by those after it
    for at, stratum in enumerate(sorted(sizes, key=lambda key: (sizes[key], key))):
        quotas[stratum] = min(sizes[stratum], left // (len(sizes) - at))
        left -= quotas[stratum]
    return quotas


def draw(strata: Sequence[Stratum], quotas: Mapping[Stratum, int], *, seed: int) -> list[int]:
    """The places of the rows: within each stratum every row has the same chance, none twice.

    The same strata, quotas and seed give the same rows.
    """
    members: dict[Stratum, list[int]] = {}
    for at, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(at)
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


def stratum_name(stratum: Stratum) -> str:
    """The stratum as one text.

    >>> stratum_name(("1", "zh", "*"))
    '1 · zh · *'
    """
    return _BETWEEN.join(level or "–" for level in stratum) or "all"
