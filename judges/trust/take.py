"""Draws the sample of a run and writes its key and its sheets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import __version__
from ...errors import DataError, UsageError
from ...files import hash_file, write_text
from ...records.folder import ITEMS, JUDGEMENTS, RESPONSES, RunFolder
from ...report.trust.labelling_page import page
from .frame import Frame, FrameRow, frame_of
from .guide import guide
from .key import SHEETS, Drawn, Key, write_frame, write_key
from .sampling import DIMENSIONS, Stratum, draw, merged, shuffled, strata_of
from .sheet import sheet_digest, sheet_name, write_sheet

USUAL = ("category", "language", "verdict")

_BETWEEN = " · "


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a sample."""

    n: int
    raters: int = 3
    criteria: tuple[str, ...] = ()
    strata: tuple[str, ...] = USUAL
    benchmark: str | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """The key of a sample that was drawn, its files, and per stratum how many of how many."""

    key: Key
    frame: Frame
    paths: tuple[Path, ...]
    strata: tuple[tuple[str, int, int], ...]


def take(run: RunFolder, wish: Wish, out: Path) -> Taken:
    """Draws the sample and writes `out`: sheets for each rater, a guide, and last the key."""
    if wish.n < 2:  # noqa: PLR2004 - a spread needs two
        raise UsageError(f"--n {wish.n}: a sample has two answers or more, better 100")
    if wish.raters < 1:
        raise UsageError(f"--raters {wish.raters}: somebody must label; three is usual")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DataError(f"{out} holds something already: name a new folder for the sample")
    frame = frame_of(run, name=wish.benchmark, criteria=wish.criteria)
    rows = frame.readable
    if not rows:
        raise DataError(f"{run.path}: the model gave no answer that could be labelled")
    strata = merged(strata_of(rows, wish.strata, frame.names), wish.n)
    drawn = draw(strata, wish.n, seed=wish.seed)
    key = Key(
        run=run.path.resolve().name,
        where=os.path.relpath(run.path, out),
        benchmark=frame.benchmark,
        rubric=frame.rubric.name,
        rubric_version=frame.rubric.version,
        rubric_hash=frame.rubric.hash,
        criteria={name: criterion.scale.labels for name, criterion in frame.criteria.items()},
        items=hash_file(run.path / ITEMS),
        responses=hash_file(run.path / RESPONSES),
        judgements=hash_file(run.path / JUDGEMENTS),
        strata=tuple(name for name in DIMENSIONS if name in wish.strata),
        n=len(drawn),
        seed=wish.seed,
        raters=wish.raters,
        frame=write_frame(out, _drawn(frame, strata, set(drawn))),
        normscope=__version__,
    )
    paths = _write_sheets(out, frame, [rows[at] for at in drawn], key)
    write_key(out, key)
    return Taken(key, frame, paths, _counted(strata, drawn))


def _drawn(frame: Frame, strata: Sequence[Stratum], drawn: set[int]) -> list[Drawn]:
    sizes: dict[Stratum, int] = {}
    quotas: dict[Stratum, int] = {}
    for at, stratum in enumerate(strata):
        sizes[stratum] = sizes.get(stratum, 0) + 1
        quotas[stratum] = quotas.get(stratum, 0) + (at in drawn)
    return [
        Drawn(
            row=row.row_id,
            stratum=named(stratum),
            drawn=at in drawn,
            probability=quotas[stratum] / sizes[stratum],
            cluster=row.cluster,
            digest=sheet_digest(row, frame.rubric) if at in drawn else None,
        )
        for at, (row, stratum) in enumerate(zip(frame.readable, strata, strict=True))
    ]


def named(stratum: Stratum) -> str:
    """The stratum as one text.

    >>> named(("1", "zh", "*"))
    '1 · zh · *'
    """
    return _BETWEEN.join(part or "–" for part in stratum) or "all"


def _write_sheets(out: Path, frame: Frame, rows: Sequence[FrameRow], key: Key) -> tuple[Path, ...]:
    folder = out / SHEETS
    paths = [folder / "guide.md"]
    write_text(paths[0], guide(frame, rows))
    for rater in range(1, key.raters + 1):
        order = shuffled(len(rows), seed=key.seed, rater=rater)
        mine, name = [rows[at] for at in order], sheet_name(key.seal, rater)
        table, html = folder / f"rater-{rater}.csv", folder / f"rater-{rater}.html"
        write_sheet(table, mine, frame.rubric, key.criteria, name=name)
        write_text(html, page(frame, mine, name=name, rater=rater))
        paths += [table, html]
    return tuple(paths)


def _counted(strata: Sequence[Stratum], drawn: Sequence[int]) -> tuple[tuple[str, int, int], ...]:
    taken = [strata[at] for at in drawn]
    return tuple((named(one), taken.count(one), strata.count(one)) for one in sorted(set(strata)))
