"""Rows of recorded answers matched with the prompts of the benchmark that was asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from ...builders.builder import Benchmark, Builder
from ...errors import DataError, UsageError, nearest
from ...judges.respondent import ACCEPTABILITY, LIKERT_SCALE
from ...records.item import Item, ItemKey
from ...records.settings import Settings
from ...tables import Table
from ..requested import requested_benchmarks

KEY = ItemKey._fields[1:]
"""The columns that name a prompt of a benchmark: item, prompt variant, order of the scale."""

ROLES = ("prompt", *KEY, "model", "answer", "sample", "temperature", "failed")
"""What a column can hold; the factors of a vignette are named by themselves."""

_ABSENT = ("", "nan", "null")
"""What programs write where there is nothing, in any case."""

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e-?\d+)?"
_LONGEST = 60


@dataclass(frozen=True)
class Target:
    """A benchmark whose prompts were answered, with the tables that it is made of."""

    config: Settings
    name: str
    builder: Builder
    bench: Benchmark
    tables: Mapping[str, pa.Table]

    @classmethod
    def of(cls, config: Settings) -> "Target":
        """The only benchmark that the configuration asks for; a `UsageError` if there are others.

        A context and prompts of one's own are read from the files that it names.
        """
        if len(config.benchmark) != 1:
            raise UsageError(f"answers are of one benchmark, -b NAME, not of {config.benchmark}")
        [(name, (builder, bench))] = requested_benchmarks(config).items()
        source = Path(config.source) if config.source else None
        tables = builder.tables(source, unpinned=config.unpinned)
        if bench.items(tables[bench.config].slice(0, 1))[0].response is not None:
            raise UsageError(f"{name} brings its answers along; there is none to import")
        return cls(config, name, builder, bench, tables)

    @cached_property
    def items(self) -> list[Item]:
        """Every prompt of the benchmark, in its order."""
        return self.bench.items(self.tables[self.bench.config])

    @cached_property
    def prompts(self) -> pd.DataFrame:
        """A row per prompt: `question`, `KEY`, and the level in each factor, "" where it has none.

        Blanks at the ends of texts, and the case of levels, are left out.
        """
        keys = pd.DataFrame([item.key[1:] for item in self.items], columns=[*KEY])
        keys.insert(0, "question", [item.question.strip() for item in self.items])
        levels = pd.DataFrame([item.facets for item in self.items], index=keys.index).fillna("")
        return keys.join(levels.apply(lambda column: column.str.strip().str.lower()))

    @property
    def factors(self) -> list[str]:
        """The names of the factors that its items have."""
        return [*self.prompts.columns[1 + len(KEY) :]]


def matched(
    table: Table, target: Target, columns: Mapping[str, str], *, model: str = ""
) -> pd.DataFrame:
    """The answers with the keys of their prompts, in their order; no prompt is answered twice.

    Columns: `KEY`; of `ROLES` those after them, `answer` null where there is none; `reworded`,
    whether the prompt has other words than the benchmark's; `place`, that of its prompt among
    `target.items`, or −1 where it is a variant or an order that the benchmark has not. `columns`
    are those of another name, by their role. An item is known by the words of its prompt, else by
    its id, else by its factors. CFSafety's authors have a column per category, whose rows are the
    category's prompts in their order. A `DataError` names the first row that does not fit.
    """
    if "answer" not in {*columns, *table.rows.column_names}:
        table = _of_categories(table, target)
    rows = _by_role(table, target, columns, model)
    text = "of another model: take one's with --where model=NAME, each into a folder of its own"
    _refuse(rows["model"] != rows["model"].iloc[0], rows, table, text)
    result = _keys(rows, target, table)
    places = pd.MultiIndex.from_frame(target.prompts[[*KEY]])
    result["place"] = places.get_indexer(pd.MultiIndex.from_frame(result[[*KEY]]))
    are_degrees = ACCEPTABILITY in target.bench.criteria
    if not are_degrees:
        # a vignette may have been asked in variants of somebody's own
        _refuse(result["place"] < 0, rows, table, f"no such prompt in {target.name}")
    result["model"], answers = rows["model"], rows["answer"]
    plain = answers.str.strip().str.replace("^[−–]", "-", regex=True)
    if are_degrees and plain.dropna().str.fullmatch(_NUMBER).all():
        labels = dict(zip(LIKERT_SCALE.values, LIKERT_SCALE.labels, strict=True))
        answers = plain.astype(float).map(labels)
        text = "no degree of acceptability (−2 … +2): correct it, or leave it empty"
        _refuse(answers.isna() & plain.notna(), rows, table, text)
    result["answer"] = answers
    for name, form in (("sample", r"\d{1,9}"), ("temperature", _NUMBER)):
        is_number = rows[name].isna() | rows[name].str.fullmatch(form).eq(True)
        text = f"{name} is no number: write one, or name a column with --column {name}=NAME"
        _refuse(~is_number, rows, table, text)
        result[name] = rows[name].astype(float)
    result["sample"] = result["sample"].fillna(0).astype("int32")
    result["failed"] = ~rows["failed"].fillna("0").str.lower().isin(("false", "0"))
    text = "answers the prompt of a row before it: leave one out, or number them in `sample`"
    _refuse(result.duplicated([*KEY, "sample", "temperature"]), rows, table, text)
    return result


def _of_categories(table: Table, target: Target) -> Table:
    """A row per answer of a table with a column per category; without one the table as it is."""
    ids: dict[str, list[str]] = {}
    for item in target.items:
        ids.setdefault(item.source_category or "", []).append(item.item_id)
    parts, places = [], []
    for name in filter(ids.__contains__, table.rows.column_names):
        if len(table.rows) > len(ids[name]):
            raise DataError(
                f"{len(table.rows):,} rows of answers to the {len(ids[name]):,} prompts of {name}: "
                "row N answers prompt N of the category; take the others out"
            )
        answers = {"item_id": ids[name][: len(table.rows)], "answer": table.texts(name)}
        of_all = {role: table.texts(role) for role in ROLES if role in table.rows.column_names}
        parts.append(pa.table(of_all | answers))
        places += [f"{place}, {name}" for place in table.places]
    return Table(table.form, pa.concat_tables(parts), places, table.note) if parts else table


def _by_role(table: Table, target: Target, columns: Mapping[str, str], model: str) -> pd.DataFrame:
    """A column of texts for every role, and for each factor that is there; null where empty."""
    roles = [*ROLES, *target.factors]
    for role in columns:
        if role not in roles:
            raise UsageError(f"--column names no role {role!r}; {nearest(role, roles)}")
    have = [name for name in table.rows.column_names if name not in columns.values()]
    named = {**{name: name for name in have if name in roles}, **columns}
    if "answer" not in named:
        raise UsageError(
            f"no column holds answers (there are {', '.join(table.rows.column_names)}): name it "
            "with --column answer=NAME"
        )
    texts = {role: table.texts(name).to_pandas() for role, name in named.items()}
    rows = pd.DataFrame(texts, dtype=object)
    plain = rows.apply(lambda column: column.str.strip())
    is_absent = plain.apply(lambda column: column.isna() | column.str.lower().isin(_ABSENT))
    # an answer stays as it is
    rows = plain.assign(answer=rows["answer"]).mask(is_absent, None)
    factors = [name for name in target.factors if name in rows and rows[name].notna().any()]
    rows = rows.reindex(columns=[*ROLES, *factors]).astype(object)
    # a call that failed may not say which model would have answered
    models = [*rows["model"].dropna().unique(), *filter(None, [model])]
    if not models:
        raise UsageError("no column says whose answers these are: name the model with --model")
    rows["model"] = rows["model"].fillna(models[0])
    return rows


def _keys(rows: pd.DataFrame, target: Target, table: Table) -> pd.DataFrame:
    """The key of the prompt that each row names, and `reworded`."""
    prompts, factors = target.prompts, [*rows.columns[len(ROLES) :]]
    filled = {name for name in ROLES if rows[name].notna().any()}
    words = prompts.drop_duplicates("question", keep=False).set_index("question")
    keys = words[[*KEY]].reindex(rows["prompt"]).set_axis(rows.index)
    lacks = rows["prompt"].notna() & keys["item_id"].isna()
    is_several = lacks & rows["prompt"].isin(prompts["question"])
    named = pd.Series(None, rows.index, dtype=object)
    if "item_id" in filled:
        named = rows["item_id"].where(rows["item_id"].isin(prompts["item_id"]))
    elif factors:
        items = prompts.drop_duplicates("item_id")
        # levels that several items have are those of the one that has no others
        of = factors if not items.duplicated(factors).any() else target.factors
        levels = rows.reindex(columns=of).astype(object).fillna("")
        levels = levels.apply(lambda column: column.str.lower())
        named = levels.merge(items, "left", on=of)["item_id"].set_axis(rows.index)
    other = named.notna() & keys["item_id"].notna() & (named != keys["item_id"])
    _refuse(other, rows, table, "item and prompt contradict")
    keys["item_id"] = keys["item_id"].fillna(named)
    lost = keys["item_id"].isna()
    _refuse(lost & is_several, rows, table, "several items have this prompt")
    text = (
        f"no such item in {target.name} (its first is {prompts['item_id'][0]}); name items by id "
        "(--column item_id=NAME), by their prompt (--column prompt=NAME) or by their factors"
    )
    _refuse(lost, rows, table, text)
    for name in KEY[1:]:
        levels_of = [*filter(None, prompts[name].unique())]
        # 3.0 is the variant 3, as pandas writes it beside an empty cell
        whole = rows[name].str.replace(r"^(\d+)\.0$", r"\1", regex=True)
        keys[name] = keys[name].fillna(whole.where(whole.isin(levels_of), rows[name]))
        if len(levels_of) <= 1:
            keys[name] = keys[name].fillna("".join(levels_of))
        text = (
            f"no {name}, and {target.name} has {', '.join(levels_of)}: add it, or name its column "
            f"with --column {name}=NAME"
        )
        _refuse(keys[name].isna(), rows, table, text)
    return keys.assign(reworded=lacks & ~is_several)


def _refuse(wrong: "pd.Series[bool]", rows: pd.DataFrame, table: Table, why: str) -> None:
    """Raises a `DataError` where a row is wrong: how many are, where the first stands, and why."""
    if not (n := int(wrong.sum())):
        return
    at = int(np.argmax(wrong))
    cells = " | ".join(str(cell)[:_LONGEST] for cell in rows.iloc[at].dropna())
    raise DataError(
        f"{n:,} of {len(rows):,} rows do not fit, first {table.places[at]} ({cells}): {why}"
    )
