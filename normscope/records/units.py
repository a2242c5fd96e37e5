"""Units of work: fixed groups of rows, planned from the whole input, done whole or not at all."""

from collections.abc import Callable, Sequence
from typing import Any

from tqdm import tqdm

from ..reasons import Reason
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
    do: Callable[[Unit], Sequence[Row]],
    *,
    label: str,
    names: Sequence[str] | None = None,
    retry: bool = True,
    served: Callable[[], Sequence[str]] = tuple,
) -> list[Row]:
    """The rows in the order of their numbers, done now or taken from the journal.

    `names` are the rows' names in the journal, where their numbers do not tell them from those of
    another time. A row whose call failed is not final: with `retry` it is done again, without the
    rest of its unit. `served` tells which models a server has answered with since it was last
    asked. A progress bar shows how far it is.
    """
    total = sum(map(len, units))
    known = names or [str(number) for number in range(total)]
    kept = journal.rows(stage)
    rows = [kept.get(name, {}) for name in known]
    lacking = [
        tuple(i for i in unit if not rows[i] or (retry and call_failed(rows[i]))) for unit in units
    ]
    done = total - sum(map(len, lacking))
    with tqdm(total=total, initial=done, desc=label, unit="row", disable=not units) as bar:
        for unit in filter(None, lacking):
            made = zip(unit, do(unit), strict=True)
            # what failed and fails again stays as it is
            new = {i: row for i, row in made if not (rows[i] and call_failed(row))}
            if new:
                mine = [known[i] for i in new]
                kept_rows = journal.append(stage, mine, [*new.values()], served=served())
                for i, row in zip(new, kept_rows, strict=True):
                    rows[i] = row
            bar.update(len(unit))
    return rows


def call_failed(row: Row) -> bool:
    """Whether the row, or one of the judgements in it, is absent because a call failed."""
    return any(part.get("reason") == Reason.CALL_FAILED for part in row.get("criteria", [row]))
