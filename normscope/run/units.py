"""Units of work: fixed groups of rows, planned from the whole input, done whole or not at all."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tqdm import tqdm

from .journal import Journal, Row

Unit = tuple[int, ...]


def plan(keys: Sequence[Any], *, size: int) -> list[Unit]:
    """Groups of at most `size` row numbers, rows with near keys together.

    The plan depends on the whole input, never on what remains of it, so that a resumed run does
    exactly the units that an uninterrupted one would have done.

    >>> plan(["b", "a", "c"], size=2)
    [(1, 0), (2,)]
    """
    order = sorted(range(len(keys)), key=lambda index: (keys[index], index))
    return [tuple(order[start : start + size]) for start in range(0, len(order), size)]


def work_off(
    journal: Journal,
    stage: str,
    units: Sequence[Unit],
    do: Callable[[Unit], list[Row]],
    *,
    label: str,
) -> Iterator[tuple[Unit, list[Row]]]:
    """Each unit with its rows, done now or taken from the journal, behind a progress bar."""
    rows = sum(len(unit) for unit in units)
    done = sum(len(u) for i, u in enumerate(units) if journal.rows(stage, i) is not None)
    with tqdm(total=rows, initial=done, desc=label, unit="row", disable=not units) as bar:
        for number, unit in enumerate(units):
            kept = journal.rows(stage, number)
            if kept is None:
                kept = journal.append(stage, number, do(unit))
                bar.update(len(unit))
            yield unit, kept
