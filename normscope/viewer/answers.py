"""The answers of a run, or those that two runs have in common, as a table that DuckDB filters."""

from collections.abc import Mapping, Sequence
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import duckdb

from ..errors import DataError, UsageError
from ..metrics.registry import CLASSES, RANGES
from ..reasons import Origin, Reason
from ..records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from ..records.judgement import TIE
from ..records.judgements import CHANNELS
from ..records.run import Run

if TYPE_CHECKING:
    import pandas as pd

KEY = ("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature")
"""The columns that tell the answers of a run apart."""

_RUN_COLUMNS = ("area", "category", "language", "question", "response", "coverage", "reason")
_BEHAVIOUR = [*(str(each) for each in Reason if each.origin == Origin.RESPONDENT)]
_NO_FAILURE = [*_BEHAVIOUR, *(str(each) for each in Reason if each.origin == Origin.SOURCE)]


def opened(path: Path, name: str = "") -> Run:
    """Return the finished run in the folder, with no more read of it than that it is as it was.

    Raise RunError where it is unfinished or was changed since.
    """
    run = Run.open(path, name=name)
    return run if run.whole else Run.open(path, name=name, whole=True)


class Answers:
    """The answers of one run, or those that two have in common: a row each, in the first's order.

    The columns are the key of an answer, `area`, `category`, `language`, `question`, `response`,
    a column per criterion (its label, or its value where it is an amount), the lowest `coverage`,
    the first `reason` why a value is absent, `unscored` (a failure of judge or engine) and
    `disagreement` (two channels that favour different labels). Of two runs the second's end in
    `_2`, and `changed` says whether any label differs.
    """

    def __init__(self, runs: Sequence[Run], *, first: int | None = None) -> None:
        """Join the tables; with `first` only the rows of so many answers are read.

        Raise UsageError unless there are one or two runs, with common rows.
        """
        if len(runs) not in {1, 2}:
            raise UsageError(f"answers are looked at of one run, or of two, not of {len(runs)}")
        self.runs = tuple(runs)
        # what a condition says reaches these tables and nothing else: no file, no network
        self._database = duckdb.connect(config={"python_enable_replacements": False})
        for n, run in enumerate(runs):
            self._name_tables(n, run)
        self._count = self._choose(first)
        for n in range(len(runs)):
            self._load(n, chosen=first is not None)
        self.criteria = self._criteria()
        for n in range(len(runs)):
            self._database.execute(_of_run(n, self.criteria))
        self._database.execute(_ONE_RUN if len(runs) == 1 else self._two_runs())
        self._database.execute("set enable_external_access = false")
        self._database.execute("set lock_configuration = true")
        if not len(self) and len(runs) > 1:
            raise DataError(
                f"{runs[0].name} and {runs[1].name} have no answer to the same item, prompt "
                "variant, order and sample: look at each alone"
            )

    def __len__(self) -> int:
        """How many answers there are, of which `first` may have left some out."""
        return self._count

    @property
    def columns(self) -> list[str]:
        """The columns that a condition can name."""
        names = self._database.table("answers").columns
        return [name for name in names if name[0] != "_" and name != "place"]

    def where(self, condition: str = "") -> list[int]:
        """Return the places of the answers that meet the SQL condition, all without one.

        Raise UsageError with what DuckDB says where it is none, and the columns that there are.
        """
        table = self._database.table("answers")
        if not condition.strip():
            return [place for (place,) in table.project("place").fetchall()]
        try:
            return [place for (place,) in table.filter(condition).project("place").fetchall()]
        except duckdb.Error as error:
            raise UsageError(
                f"--where {condition!r}: {str(error).splitlines()[0]}; "
                f"columns: {', '.join(self.columns)}"
            ) from None

    def rows(self, places: Sequence[int]) -> list[dict[str, Any]]:
        """Return the rows of these places as dictionaries by column, in the order of `answers`."""
        return self._dicts(
            "select * from answers where place in (select unnest($1)) order by place", places
        )

    def records(self, places: Sequence[int]) -> list[tuple[dict[str, Any], ...]]:
        """Return what each run has of these answers: its `item`, `response` and `judgements`.

        They are rows of its tables as dictionaries by column. A judgement has its `label` beside
        it, the one it favours, and whether it `counts`.
        """
        per_run = (
            self._dicts(_RECORDS.format(n=at, end="_2" if at else ""), places)
            for at in range(len(self.runs))
        )
        return list(zip(*per_run, strict=True))

    def to_frame(self) -> "pd.DataFrame":
        """Return the answers as a data frame."""
        return cast("pd.DataFrame", self._database.table("answers").df()[self.columns])

    def _dicts(self, query: str, places: Sequence[int]) -> list[dict[str, Any]]:
        result = self._database.execute(query, [[*places]])
        names = [each[0] for each in result.description or ()]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def _name_tables(self, n: int, run: Run) -> None:
        """Make views of a run's tables, in which `nr` numbers the rows; a file is not read yet."""
        for name, file in {
            "items": ITEMS,
            "responses": RESPONSES,
            "judgements": JUDGEMENTS,
        }.items():
            if run.whole and run.folder is not None and file not in run.contents:
                path = _text(escape(str(run.folder / file)))
                rows = f"read_parquet({path}, hive_partitioning=false, file_row_number=true)"
                number = "file_row_number"
            else:
                rows, number = f"{name}_of_run_{n}", "row_number() over ()"
                table = run.items.table if file == ITEMS else run.table(file)
                self._database.register(rows, table)
            columns = f"* exclude ({number})" if number == "file_row_number" else "*"
            self._database.execute(
                f"create view all_{name}_{n} as select {columns}, {number} as nr from {rows}"  # noqa: S608
            )

    def _choose(self, first: int | None) -> int:
        """Count the answers, and note the items of the first of them."""
        common = "from all_responses_0 a"
        if len(self.runs) > 1:
            common += f" semi join all_responses_1 b on {_SAME_ITEM} and {_SAME_SAMPLE}"
        keys = ", ".join(KEY[:4])
        self._database.execute(
            f"create table chosen as select {keys} {common} order by nr limit {first or 0}"
        )
        return int(self._rows(f"select count(*) {common}")[0][0])

    def _load(self, n: int, *, chosen: bool) -> None:
        only = f"semi join chosen using ({', '.join(KEY[:4])})" if chosen else ""
        for name in ("items", "responses", "judgements"):
            rows = f"select * exclude (nr) from all_{name}_{n} {only} order by nr"  # noqa: S608
            self._database.execute(f"create table {name}_{n} as {rows}")
        classes = [(c, value, label) for c, of in CLASSES.items() for value, label in of.items()]
        self._database.execute(_CRITERIA.replace("{n}", str(n)), {"channels": _CHANNELS})
        self._database.execute(
            _JUDGED.replace("{n}", str(n)),
            {
                "channels": _CHANNELS,
                "tie": 1 - TIE,
                "names": [f"{criterion} {float(value)}" for criterion, value, _ in classes],
                "labels": [label for *_, label in classes],
            },
        )

    def _criteria(self) -> dict[str, bool]:
        """The criteria as first seen, each with whether its values are amounts."""
        tables = " union all ".join(
            f"select *, {n} as run from criteria_{n}"  # noqa: S608 - ours
            for n in range(len(self.runs))
        )
        found = self._rows(
            f"select criterion, bool_and(whole) from ({tables}) "  # noqa: S608
            "group by criterion order by min((run, seen))"
        )
        return {
            name: name in RANGES or (name not in {*CLASSES, "option"} and whole is False)
            for name, whole in found
        }

    def _two_runs(self) -> str:
        names = [name for name, _ in _columns(self.criteria)]
        repeated = [
            *_RUN_COLUMNS[4:],
            *names,
            "unscored",
            "disagreement",
            "_response",
            "_item",
        ]
        second = ", ".join(f"b.{_quoted(name)} as {_quoted(name + '_2')}" for name in repeated)
        return _TWO_RUNS.replace("{second}", second)

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._database.execute(query).fetchall()
        return rows


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _columns(criteria: Mapping[str, bool]) -> list[tuple[str, str]]:
    """Return the name and the SQL of a column for each criterion.

    A criterion that is called like another column has an underscore behind it.
    """
    used = {*KEY, *_RUN_COLUMNS, "unscored", "disagreement", "changed", "score"}
    result = []
    for criterion, amount in criteria.items():
        name = criterion
        while name.lower() in used:
            name += "_"
        used.add(name.lower())
        column = "value" if amount else "label"
        of_criterion = f"filter (counts and criterion = {_text(criterion)})"
        result.append((name, f"max({column}) {of_criterion}"))
    if {"moral", "rating"} <= criteria.keys():
        moral, rating = (dict(result)[name] for name in ("moral", "rating"))
        result.append(("score", f"{moral} * {rating}"))
    return result


_CHANNELS = [*map(str, CHANNELS)]

# where a criterion was judged in several channels one counts, as in the scores
_CRITERIA = """
create table criteria_{n} as
select benchmark, criterion, min(nr) as seen,
    bool_and(value = round(value)) filter (isfinite(value)) as whole,
    min(coalesce(list_position($channels, source), 99)) as counting
from all_judgements_{n} group by benchmark, criterion
"""

_JUDGED = """
create table judged_{n} as
with likeliest as (
    select rowid as row, *, coalesce(list_position($channels, source), 99) as rank,
        [z[1] for z in list_zip(labels, probs) if z[2] >= list_max(probs) * $tie] as top,
    from judgements_{n}
)
select benchmark, item_id, variant_id, scale_order, sample, temperature, row, criterion, source,
    case when isfinite(value) then value end as value, reason, coverage,
    rank = counting as counts,
    case when len(top) = 1 then top[1] end as favourite,
    case when isfinite(value) then
        coalesce($labels[list_position($names, criterion || ' ' || value::double)], favourite)
    when criterion = 'option' and reason = 'no_key' then favourite end as label,
from likeliest join criteria_{n} using (benchmark, criterion)
"""

_SAME_ITEM = " and ".join(f"a.{name} = b.{name}" for name in KEY[:4])
# runs at two temperatures stand beside each other: that text was drawn counts, not how
_SAME_SAMPLE = "a.sample = b.sample and (a.temperature is null) = (b.temperature is null)"
_SAME_ANSWER = (
    f"{_SAME_ITEM} and a.sample = b.sample and a.temperature is not distinct from b.temperature"
)


def _of_run(n: int, criteria: Mapping[str, bool]) -> str:
    """Return the SQL of one run's answers, a row each."""
    columns = ", ".join(f"{sql} as {_quoted(name)}" for name, sql in _columns(criteria))
    behaviour, no_failure = (
        f"[{', '.join(map(_text, names))}]" for names in (_BEHAVIOUR, _NO_FAILURE)
    )
    judged = f"{columns}," if columns else ""
    return f"""
create table placed_{n} as
select b.rowid as response, a.*, coalesce(a.label,
        case when list_contains({behaviour}, a.reason) then a.reason end) as state
from judged_{n} a join responses_{n} b on {_SAME_ANSWER};
create table run_{n} as
with conflicts as (
    select response, count(*) over (partition by question)
        - count(*) over (partition by question, source)
        - count(*) over (partition by question, favourite)
        + count(*) over (partition by question, favourite, source) > 0 as differs
    from (
        -- labels and text of the model stand for one item, those of a judge for one response
        select *, case when source like 'judge%' then (response, criterion, '', '', '', '')
            else (-1, criterion, benchmark, item_id, variant_id, scale_order) end as question
        from placed_{n} where favourite is not null and value is not null
            and (select count(distinct source) from placed_{n}) > 1
    )
), disagreeing as (select response, bool_or(differs) as differs from conflicts group by response),
judged as (
    select response, {judged} min(coverage) filter (counts) as coverage,
        first(reason order by row) filter (counts and reason is not null) as reason,
        bool_or(value is null and not list_contains({no_failure}, coalesce(reason, '')))
            filter (counts) as unscored
    from placed_{n} group by response
)
select a.benchmark, a.item_id, a.variant_id, a.scale_order, a.sample, a.temperature,
    b.area, b.category, b.language, b.messages[-1].content as question, a.text as response,
    judged.* exclude (response, reason, unscored), coalesce(judged.reason, a.reason) as reason,
    coalesce(judged.unscored, false) as unscored,
    coalesce(disagreeing.differs, false) as disagreement,
    a.rowid as _response, b.rowid as _item
from responses_{n} a left join items_{n} b on {_SAME_ITEM}
left join judged on judged.response = a.rowid
left join disagreeing on disagreeing.response = a.rowid
"""  # noqa: S608 - names are quoted


_RECORDS = """
with judged as (
    select place, list({{
        judgement: j, label: p.label, counts: p.counts,
        favourite: case when j.value is not null then p.favourite end
    }} order by p.row) as judgements
    from placed_{n} p join judgements_{n} j on j.rowid = p.row
    where place in (select unnest($1)) group by place
)
select case when i.rowid is not null then i end as item, r as response,
    coalesce(judgements, []) as judgements
from answers a join responses_{n} r on r.rowid = a._response{end}
left join items_{n} i on i.rowid = a._item{end} left join judged using (place)
where place in (select unnest($1)) order by place
"""

_PLACED = """
select row_number() over (order by _response) - 1 as place,
    left(sha256(concat_ws(chr(31), benchmark, item_id, variant_id, scale_order, sample::text,
        coalesce(temperature::text, ''))), 16) as _key, *
"""

_ONE_RUN = f"""
create table answers as {_PLACED} from run_0 order by place;
create or replace table placed_0 as
select a.place, b.* from answers a join placed_0 b on a._response = b.response;
"""  # noqa: S608 - ours

_TWO_RUNS = f"""
create table paired as
select a.*, {{second}} from run_0 a join run_1 b on {_SAME_ITEM} and {_SAME_SAMPLE}
qualify row_number() over (
    partition by a._response order by a.temperature is distinct from b.temperature, b._response
) = 1;
create table placed as {_PLACED} from paired order by place;
create or replace table placed_0 as
select a.place, b.* from placed a join placed_0 b on a._response = b.response;
create or replace table placed_1 as
select a.place, b.* from placed a join placed_1 b on a._response_2 = b.response;
create table answers as
with differing as (
    select a.place, bool_or(a.state <> b.state) as differs
    from placed_0 a join placed_1 b using (place, criterion, source)
    where a.counts and b.counts group by place
)
select placed.*, coalesce(differs, false) as changed
from placed left join differing using (place) order by place;
"""  # noqa: S608 - ours
