"""A run with its texts, to be looked at answer by answer: from its folder, or from tables alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from ..errors import DataError, NormscopeError
from ..files import read_parquet
from ..judges.model_folder import RUBRIC, brought_file
from ..judges.rubric import Rubric, bundled_rubrics, rubric
from ..messages import message
from ..records.config import RunConfig
from ..records.integrity import ITEMS, JUDGEMENTS, RATINGS, RESPONSES, read_checked, seals
from ..records.items import Items
from ..records.judgement import SCHEMA as JUDGED
from ..records.judgements import Judgements, read_judgements
from ..records.ratings import Rating
from ..records.ratings import from_table as ratings_of
from ..records.response import SCHEMA as ANSWERED
from ..records.tables import KEYS
from .people import People, people_of


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """One run's responses and judgements, a row each, in the tables that the run has.

    `judged` is the table of `judgements`, read row by row for one answer only. `rubrics` are those
    by whose hash a judge's prompt can be rendered again, `ratings` what people said of the items
    and `people` how they labelled responses, by their places. `caveats` say what cannot be shown.
    """

    name: str
    config: RunConfig
    items: Items
    responses: pa.Table
    judgements: Judgements
    judged: pa.Table
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    ratings: tuple[Rating, ...] = ()
    people: People = field(default_factory=dict)
    caveats: tuple[str, ...] = ()


def read_answered(path: Path, *, name: str = "", labels: Sequence[Path] = ()) -> Answered:
    """The run in the folder; a `RunError` if it is unfinished or was changed since.

    `labels` are folders of samples of its answers that people labelled (`normscope annotate`).
    """
    config = read_checked(path, whole=True)
    items = Items(read_parquet(path / ITEMS))
    judged = read_parquet(path / JUDGEMENTS)
    responses = read_parquet(path / RESPONSES, columns=ANSWERED.names)
    return Answered(
        name=name or path.name,
        config=config,
        items=items,
        responses=responses,
        judgements=read_judgements(judged, items),
        judged=judged,
        rubrics=_by_hash(_rubrics(config)),
        ratings=tuple(ratings_of(read_parquet(path / RATINGS)) if RATINGS in seals(config) else ()),
        people=people_of(labels, responses, seals(config)[RESPONSES]),
    )


def answered_of(
    name: str,
    judgements: pa.Table,
    *,
    responses: pa.Table | None = None,
    items: Items | None = None,
    config: RunConfig | None = None,
) -> Answered:
    """A run of tables that somebody brought; what is missing of it is said in `caveats`.

    `judgements` has the columns of a run's table. No file that `config` names is read.
    """
    judged = _whole(name, judgements, JUDGED)
    known = Items.of([]) if items is None else items
    return Answered(
        name=name,
        config=config or RunConfig(),
        items=known,
        responses=_unread(judged) if responses is None else _whole(name, responses, ANSWERED),
        judgements=read_judgements(judged, known),
        judged=judged,
        rubrics=_by_hash(_bundled()),
        caveats=tuple(_missing(name, responses, items, config)),
    )


def _whole(name: str, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of the schema, null where the table lacks them and they may be."""
    columns = []
    for each in schema:
        known = each.name in table.column_names
        column = table[each.name] if known else pa.nulls(table.num_rows, each.type)
        if not each.nullable and column.null_count:
            raise DataError(
                message(
                    "{run}: column {column} is missing, or empty in a row: it says which answer a "
                    "row is about",
                    run=name,
                    column=each.name,
                )
            )
        try:
            columns.append(column.cast(each.type))
        except pa.ArrowException as error:
            raise DataError(
                message(
                    "{run}: column {column} is not of its type, {type} ({error})",
                    run=name,
                    column=each.name,
                    type=each.type,
                    error=str(error).splitlines()[0],
                )
            ) from None
    return pa.table(columns, names=schema.names)


def _unread(judged: pa.Table) -> pa.Table:
    """The responses that judgements are of, without what they say."""
    keys = judged.select(KEYS).group_by(list(KEYS), use_threads=False).aggregate([])
    return pa.table(
        [
            keys[each.name] if each.name in KEYS else pa.nulls(keys.num_rows, each.type)
            for each in ANSWERED
        ],
        names=ANSWERED.names,
    )


def _missing(
    name: str, responses: pa.Table | None, items: Items | None, config: RunConfig | None
) -> Iterator[str]:
    if responses is None:
        yield message("{run}: without responses.parquet no response can be read", run=name)
    if items is None:
        yield message(
            "{run}: without items.parquet no question can be read, and nothing is known of "
            "categories and languages",
            run=name,
        )
    if config is None:
        yield message(
            "{run}: without config.yaml it is not known how it was measured: answers are counted, "
            "and no statistic is given",
            run=name,
        )


def _bundled() -> Iterator[Rubric]:
    return map(rubric, bundled_rubrics())


def _rubrics(config: RunConfig) -> Iterator[Rubric]:
    """The rubrics that the run may have been judged under, as far as they lie here."""
    yield from _bundled()
    # a rubric on the Hub is not fetched: to look at a run asks no other host
    brought = config.judge and brought_file(config.judge, RUBRIC)
    for named in (config.rubric, brought):
        if named is not None:
            # a file that is gone or was changed since is not among these, and the viewer says that
            with suppress(NormscopeError, OSError):
                yield rubric(str(named))


def _by_hash(rubrics: Iterable[Rubric]) -> dict[str, Rubric]:
    return {each.hash: each for each in rubrics}
