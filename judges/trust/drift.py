"""Whether a judge still says of the fixed answers what it said before: two runs, or a card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataError
from ...files import read_json
from ...records.integrity import CONFIG, JUDGING, read_checked
from .fixed_answers import KEY

TOLERANCE: Mapping[str, float] = {"float32": 1e-3, "float16": 0.016, "bfloat16": 0.125}
"""The greatest change of a label's probability that is put down to rounding, by dtype.

For half precision four times the spacing of logits from 16 to 32 (2⁻⁶ and 2⁻³) at the steepest
place of a probability, slope ¼: 16 · 2⁻¹⁰ and 16 · 2⁻⁷. In float32 that would be 2 · 10⁻⁶; what
counts there is the order of the sums in another batch, kernel or device, for which it is 10⁻³.
"""
EXACT = "float32"


@dataclass(frozen=True, slots=True)
class Drifted:
    """One criterion's answer about one fixed answer that has changed, by how much at most."""

    id: str
    criterion: str
    label: int | None
    before: float | None
    after: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class RubricDrift:
    """One rubric's fixed answers in two places; `changed` are fields of the judge's identity."""

    rubric: str
    rubric_hash: str
    dtype: str
    tolerance: float
    compared: int
    largest: float
    changed: Mapping[str, tuple[Any, Any]]
    drifted: tuple[Drifted, ...]


@dataclass(frozen=True, slots=True)
class Drift:
    """What the fixed answers of two runs (or a card) say; `same` is whether nothing has drifted."""

    first: str
    second: str
    same: bool
    rubrics: tuple[RubricDrift, ...]
    not_alike: tuple[str, ...]


def read_fixed_answers(path: Path) -> list[dict[str, Any]]:
    """The fixed answers of a run's folder, of a judged file's facts, or of a judge's card."""
    place = path / JUDGING if path.is_dir() else path
    if not place.is_file():
        raise DataError(f"{path} has no {JUDGING}: judge the run again, or name a file that has it")
    # the facts of a judged file may lie in a folder that is no run
    if path.is_dir() and (path / CONFIG).is_file():
        read_checked(path, stages=("respond", "judge"))
    value = read_json(place)
    card = value.get("settings") if isinstance(value, dict) else None
    for holder in (value, card):
        if isinstance(holder, dict) and holder.get(KEY):
            return list(holder[KEY])
    raise DataError(f"{place} has no fixed answers")


def check_drift(
    first: Sequence[Mapping[str, Any]],
    second: Sequence[Mapping[str, Any]],
    *,
    names: tuple[str, str],
) -> Drift:
    """The fixed answers of the second place against those of the first."""
    rubrics, not_alike = [], []
    for now in second:
        before = _counterpart(now, first)
        if before is None:
            not_alike.append(f"{now['rubric']} {str(now['rubric_hash'])[:12]}")
            continue
        rubrics.append(_compare(before, now))
    if not rubrics:
        raise DataError(
            f"{names[0]} and {names[1]} have no fixed answers that were judged alike: the rubric, "
            "its criteria, the order of labels or the set of answers differs"
        )
    same = not any(rubric.drifted for rubric in rubrics)
    return Drift(names[0], names[1], same, tuple(rubrics), tuple(not_alike))


def tolerance_of(*dtypes: str | None) -> tuple[str, float]:
    """The coarsest of the dtypes and its tolerance; an unknown one is taken as float32.

    >>> tolerance_of("float32", "bfloat16"), tolerance_of(None)
    (('bfloat16', 0.125), ('float32', 0.001))
    """
    known = [name for name in dtypes if name in TOLERANCE] or [EXACT]
    coarsest = max(known, key=lambda name: TOLERANCE[str(name)])
    return str(coarsest), TOLERANCE[str(coarsest)]


def _counterpart(
    now: Mapping[str, Any], before: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    alike = ("set", "rubric_hash", "label_orders")
    same = (each for each in before if all(each.get(name) == now.get(name) for name in alike))
    # a criterion's question does not hang on which other criteria are asked
    return next((each for each in same if set(each["criteria"]) & set(now["criteria"])), None)


def _compare(before: Mapping[str, Any], now: Mapping[str, Any]) -> RubricDrift:
    was, judge = before["judge"], now["judge"]
    changed = {
        name: (was.get(name), judge.get(name))
        for name in dict.fromkeys((*was, *judge))
        if was.get(name) != judge.get(name)
    }
    dtype, tolerance = tolerance_of(was.get("dtype"), judge.get("dtype"))
    old = {(row["id"], row["criterion"]): row for row in before["rows"]}
    shared = [row for row in now["rows"] if (row["id"], row["criterion"]) in old]
    drifted, largest = [], 0.0
    for row in shared:
        moved = _moved(old[row["id"], row["criterion"]], row)
        largest = max(largest, moved.change or 0.0)
        unread = moved.before is None and moved.after is None
        if not unread and (moved.change is None or moved.change > tolerance):
            drifted.append(moved)
    # what was lost or won altogether stands before any change of a probability
    drifted.sort(key=lambda moved: -(2.0 if moved.change is None else moved.change))
    return RubricDrift(
        rubric=now["rubric"],
        rubric_hash=now["rubric_hash"],
        dtype=dtype,
        tolerance=tolerance,
        compared=len(shared),
        largest=largest,
        changed=changed,
        drifted=tuple(drifted),
    )


def _moved(before: Mapping[str, Any], now: Mapping[str, Any]) -> Drifted:
    """The label that has changed most; without a change where one of the two could not be read."""
    old, new = before["probs"], now["probs"]
    if old is None or new is None:
        first, second = (None if probs is None else 1.0 for probs in (old, new))
        return Drifted(now["id"], now["criterion"], None, first, second, None)
    moves = np.abs(np.array(new) - np.array(old))
    at = int(moves.argmax())
    return Drifted(now["id"], now["criterion"], at, old[at], new[at], float(moves[at]))
