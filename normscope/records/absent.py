"""What is absent: answers whose call failed, and judgements that the judge or the engine owes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..files import read_parquet
from ..reasons import Reason, is_ours
from .integrity import JUDGEMENTS, JUDGING, RESPONSES
from .judging import read_judging
from .tables import KEYS

GROUPS = ("language", "category")
"""The dimensions of an item of which a member may be unscored wholly."""

_KEY = ("benchmark", "item_id", "variant_id", "scale_order")
ITEM = (*_KEY, *GROUPS)
JUDGED = (*_KEY, "criterion", "reason")
"""The columns of the items and of the judgements that are needed to say what is unscored."""

_OURS = pa.array([str(reason) for reason in Reason if is_ours(reason)])
_NOT_DUE = pa.array([str(reason) for reason in Reason if not is_ours(reason)])


@dataclass(frozen=True, slots=True)
class Unscored:
    """Of how many judgements of a benchmark how many are absent for each reason of ours."""

    benchmark: str
    judgements: int
    reasons: Mapping[str, int]

    @property
    def count(self) -> int:
        """How many are absent."""
        return sum(self.reasons.values())

    @property
    def share(self) -> float:
        """The share that is absent; 0 where there is no judgement."""
        return self.count / self.judgements if self.judgements else 0.0


@dataclass(frozen=True, slots=True)
class WhollyUnscored:
    """What has no judgement under some criteria, and why: a benchmark, or a member of a group.

    `group` and `member` are empty for the benchmark; `criteria` is empty where it is all of them.
    What the model under test did not answer was not to be judged, and does not count.
    """

    benchmark: str
    group: str
    member: str
    criteria: tuple[str, ...]
    reasons: Mapping[str, int]


def unscored(judgements: pa.Table) -> tuple[Unscored, ...]:
    """The unscored of each benchmark, in the order of the table."""
    counted = _counts(judgements, ("benchmark", "reason"))
    result: dict[str, tuple[int, dict[str, int]]] = {}
    for (benchmark, reason), count in counted:
        total, reasons = result.get(benchmark, (0, {}))
        result[benchmark] = total + count, reasons | ({reason: count} if is_ours(reason) else {})
    return tuple(Unscored(name, *counts) for name, counts in result.items())


def wholly_unscored(items: pa.Table, judgements: pa.Table) -> tuple[WhollyUnscored, ...]:
    """The benchmarks of which nothing is scored, and of the others the languages and categories.

    `items` and `judgements` have the columns of a run's tables.
    """
    due = judgements.filter(pc.invert(pc.is_in(judgements["reason"], _NOT_DUE)))
    # nearly every run: nothing is unscored, and no million rows are joined to find that out
    if not pc.any(pc.is_in(due["reason"], _OURS)).as_py():
        return ()
    joined = due.select([*_KEY, "criterion", "reason"]).join(
        items.select(list(ITEM)), list(_KEY), join_type="inner"
    )
    whole = {each.benchmark: each for each in _wholly(joined, "")}
    members = [each for group in GROUPS for each in _wholly(joined, group)]
    return (*whole.values(), *(each for each in members if not _within(each, whole)))


def _within(member: WhollyUnscored, whole: Mapping[str, WhollyUnscored]) -> bool:
    """Whether what is said of the benchmark says it of this member as well."""
    of = whole.get(member.benchmark)
    return of is not None and (
        not of.criteria or (member.criteria != () and set(member.criteria) <= {*of.criteria})
    )


def _wholly(due: pa.Table, group: str) -> Iterator[WhollyUnscored]:
    """Members of the group that are unscored under some criteria; benchmarks where it is null."""
    place = ("benchmark", *((group,) if group else ()))
    result: dict[tuple[str, ...], dict[str, dict[str, int]]] = {}
    for key, count in _counts(due, (*place, "criterion", "reason")):
        result.setdefault(key[:-2], {}).setdefault(key[-2], {})[key[-1]] = count
    # a join has no order of its own
    for member, criteria in sorted(result.items()):
        empty = sorted(
            criterion for criterion, reasons in criteria.items() if all(map(is_ours, reasons))
        )
        if empty:
            reasons: Counter[str] = Counter()
            for criterion in empty:
                reasons.update(criteria[criterion])
            yield WhollyUnscored(
                benchmark=member[0],
                group=group,
                member=member[1] if group else "",
                criteria=() if len(empty) == len(criteria) else tuple(empty),
                reasons=reasons,
            )


def _counts(table: pa.Table, columns: tuple[str, ...]) -> list[tuple[tuple[str, ...], int]]:
    """How many rows there are of each combination, in the order in which they first come."""
    grouped = table.group_by(list(columns), use_threads=False).aggregate([([], "count_all")])
    keys = zip(*(grouped[name].to_pylist() for name in columns), strict=True)
    return list(zip(keys, grouped["count_all"].to_pylist(), strict=True))


def failed_calls(run: Path) -> dict[str, int]:
    """By stage, how many answers its files lack because a call failed; 0 where there are none.

    A judge is not asked about an answer that is absent itself: that one counts once, for the model.
    Of a judge's prompts, the fixed ones count too.
    """
    responses, judgements = _failed(run / RESPONSES), _failed(run / JUDGEMENTS)
    fixed = read_judging(run / JUDGING).failed if (run / JUDGING).is_file() else 0
    return {"respond": len(responses), "judge": len(judgements - responses) + fixed}


def _failed(path: Path) -> set[tuple[object, ...]]:
    """The keys of the responses, or of those whose judgements, are absent by a call."""
    if not path.is_file():
        return set()
    rows = read_parquet(path, columns=[*KEYS, "reason"])
    failed: pa.Table = rows.filter(pc.equal(rows["reason"], str(Reason.CALL_FAILED))).select(KEYS)
    return {tuple(row.values()) for row in failed.to_pylist()}
