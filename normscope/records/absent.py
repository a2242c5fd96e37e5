"""What is absent: answers whose call failed, and judgements that the judge or the engine owes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..files import read_parquet
from ..reasons import Reason, is_ours
from .integrity import JUDGEMENTS, JUDGING, RESPONSES
from .judging import read_judging
from .tables import KEYS

_KEY = ("benchmark", "item_id", "variant_id", "scale_order")
ITEM = (*_KEY, "language", "category")
JUDGED = (*_KEY, "criterion", "reason")
"""The columns of the items and of the judgements that are needed to say what is unscored."""

_OURS = [str(reason) for reason in Reason if is_ours(reason)]

_UNSCORED = """
select benchmark, count(*), histogram(reason) filter (reason in $ours)
from (select *, row_number() over () as place from judgements)
group by benchmark order by min(place)
"""
_WHOLLY = """
with due as (
    select benchmark, criterion, reason, -- a row for the benchmark and for each group
        unnest([['', ''], ['language', language], ['category', category]]) as place
    from judgements join items using (benchmark, item_id, variant_id, scale_order)
    where reason is null or reason in $ours
),
criteria as (
    select benchmark, place, criterion, count(reason) = count(*) as is_empty,
        histogram(reason) filter (reason is not null) as reasons
    from due group by all
)
select benchmark, place[1], place[2], bool_and(is_empty),
    list(criterion order by criterion) filter (is_empty), list(reasons) filter (is_empty)
from criteria group by benchmark, place having bool_or(is_empty)
order by place[1] <> '', place[1] = 'category', benchmark, place[2]
"""


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

    `group` (language, category) and `member` are empty for the benchmark; `criteria` is empty where
    it is all of them. What the model under test did not answer was not to be judged, and does not
    count.
    """

    benchmark: str
    group: str
    member: str
    criteria: tuple[str, ...]
    reasons: Mapping[str, int]


def unscored(judgements: pa.Table) -> tuple[Unscored, ...]:
    """The unscored of each benchmark, in the order of the table."""
    rows = _selected(_UNSCORED, judgements=judgements)
    return tuple(Unscored(benchmark, n, reasons or {}) for benchmark, n, reasons in rows)


def wholly_unscored(items: pa.Table, judgements: pa.Table) -> tuple[WhollyUnscored, ...]:
    """The benchmarks of which nothing is scored, and of the others the languages and categories.

    `items` and `judgements` have the columns of a run's tables.
    """
    # nearly every run: nothing is unscored, and no million rows are joined to find that out
    if not pc.any(pc.is_in(judgements["reason"], pa.array(_OURS))).as_py():
        return ()
    result = [
        WhollyUnscored(
            *(benchmark, group, member),
            () if is_whole else tuple(criteria),
            sum(map(Counter, reasons), Counter()),
        )
        for benchmark, group, member, is_whole, criteria, reasons in _selected(
            _WHOLLY, judgements=judgements, items=items
        )
    ]
    whole = {each.benchmark: each for each in result if not each.group}
    return tuple(each for each in result if not each.group or not _within(each, whole))


def _within(member: WhollyUnscored, whole: Mapping[str, WhollyUnscored]) -> bool:
    """Whether what is said of the benchmark says it of this member as well."""
    of = whole.get(member.benchmark)
    return of is not None and (
        not of.criteria or (member.criteria != () and set(member.criteria) <= {*of.criteria})
    )


def _selected(query: str, **tables: pa.Table) -> list[tuple[Any, ...]]:
    import duckdb  # 0.3 s

    with duckdb.connect() as database:
        for name, table in tables.items():
            database.register(name, table)
        rows: list[tuple[Any, ...]] = database.execute(query, {"ours": _OURS}).fetchall()
    return rows


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
