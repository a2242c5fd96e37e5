"""`ns.import_answers`: answers that were got elsewhere become a run, from a table or a file."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import DataError, UsageError
from ..format import count
from ..judges.engines import load as load_engine
from ..messages import joined, message
from ..metrics import Rule
from ..metrics.columns import is_missing
from ..pipeline.imported import import_into
from ..pipeline.importing.columns import ROLES, Layout, layout_of
from ..pipeline.importing.formats import AUTO
from ..pipeline.importing.match import Matched, matched
from ..pipeline.importing.raw import RawAnswers
from ..pipeline.importing.read import read_answers, rows_where
from ..pipeline.importing.target import Target
from ..records.config import RunConfig
from ..records.folder import opened
from ..untrusted import excerpt
from .context import Context
from .norm_answers import columns_of
from .run import Run
from .settings import Names, listed_names

_NAMED, _WIDTH = 3, 60

PathLike = str | os.PathLike[str]


def import_answers(
    answers: Any,
    *,
    context: Context | PathLike | None = None,
    benchmark: str = "",
    prompts: PathLike | None = None,
    source: PathLike | None = None,
    unpinned: bool = False,
    model: str = "",
    item: Names | None = None,
    prompt: str | None = None,
    wording: str | None = None,
    order: str | None = None,
    answer: str | None = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    variant: str = "",
    scale_order: str = "",
    format: str = AUTO,  # noqa: A002 - as the flag is called
    requests: PathLike | None = None,
    guess: bool = False,
    allow_unmatched: bool = False,
    rule: Rule = "default",
    threshold: float | None = None,
    out: PathLike | None = None,
) -> Run:
    """A run of answers that were got elsewhere, as `normscope import` makes it; returns the run.

    `answers` is a data frame, an Arrow table, a mapping of columns, or a file (docs/import.md).
    They answer the vignettes of a `context` (its name, its file or a `Context`) or the prompts of
    a `benchmark` (`cfsafety`, `ci-vignettes:iot_null`); `prompts`, `source` and `unpinned` are
    as for `ns.run`.

    Columns are named by what they hold: `item` the item's id, or the factors of a vignette; or
    `prompt` the words that were asked; `wording` the prompt variant, `order` the order of the
    scale, `answer` the answer, in words or as a degree. `columns` names others by their role:
    `{"sample": "rep", "failed": "error", "attribute": "infotype", "answer:3:1": "p#3_1"}`. Of a
    table whose answers are named no other column is read but those that are called like a role;
    else columns are guessed, and with `guess` the guesses are taken. `variant` and `scale_order`
    hold for rows that name none, `where` takes the rows with these values.

    Errors name the flags of the verb: `--column ROLE=NAME` is `columns={ROLE: NAME}` here.

    Rows that answer no prompt are a `DataError` that names the first; with `allow_unmatched` the
    run goes on without them and keeps them in `unmatched.csv`. Where nothing needs a judge the run
    is scored and whole at once, vignettes by `rule` and `threshold`; else `normscope judge` it.
    Without `out` it stands in a temporary folder that goes when the returned object does.
    """
    if (context is None) == (not benchmark):
        raise UsageError(message("name the context that was asked, or the benchmark: one of them"))
    target = Target.of(
        replace(
            _requested(context, benchmark, prompts),
            source=None if source is None else os.fspath(source),
            unpinned=unpinned,
        )
    )
    raw = rows_where(_read(answers, format, requests), dict(where or {}))
    factors = [name for name in target.factors.column_names if name != "item_id"]
    items = listed_names(item)
    named = _named(items, factors, prompt, wording, order, answer) | dict(columns or {})
    if any(role.partition(":")[0] == "answer" for role in named):
        raw = _only(raw, {*items, *named.values()}, known=bool(items or prompt))
    layout = layout_of(raw, target, named)
    _refuse_idle(items, layout, factors)
    if (guesses := sorted(layout.guessed - {*items})) and not guess:
        raise UsageError(_confirm(layout, guesses))
    result = matched(raw, layout, target, model=model, variant=variant, order=scale_order)
    if len(result.unmatched) and not allow_unmatched:
        raise DataError(_unmatched(result, raw, target))
    if not len(result.answers):
        raise DataError(
            message(
                "no row answers a prompt of {benchmark}: there is nothing to import",
                benchmark=target.name,
            )
        )
    folder = Path(tempfile.mkdtemp(prefix="normscope-")) if out is None else Path(out)
    file = Path(answers).name if isinstance(answers, str | os.PathLike) else ""
    try:
        _write(folder, raw, result, target, file=file)
        if target.bench.rubric is None:
            _score(folder, rule, threshold)
        # a temporary folder's name says nothing
        run = Run(folder, name=result.answers["model"][0].as_py() if out is None else "")
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(run, shutil.rmtree, folder, ignore_errors=True)
    return run


def _requested(
    context: Context | PathLike | None, benchmark: str, prompts: PathLike | None
) -> RunConfig:
    """What a run asks for that asks the same prompts."""
    if context is None:
        given = None if prompts is None else os.fspath(prompts)
        return RunConfig(benchmark=(benchmark,), prompts=given)
    if not isinstance(context, Context):
        return Context(context, prompts=prompts).config()
    if prompts is not None:
        raise UsageError(
            message("a Context has its prompts: leave prompts= out, or make it with them")
        )
    return context.config()


def _read(answers: Any, form: str, requests: PathLike | None) -> RawAnswers:
    """The rows as they stand; those of a table are called by its index, else counted from 0."""
    if isinstance(answers, str | os.PathLike):
        return read_answers(Path(answers), form, None if requests is None else Path(requests))
    table = columns_of(answers)
    if table is None:
        raise UsageError(
            message(
                "answers are a table (a data frame, Arrow, a mapping of columns) or a file, not a "
                "{kind}",
                kind=type(answers).__name__,
            )
        )
    arrow = pa.table({str(name): _arrow(column) for name, column in table.items()})
    if not len(arrow):
        raise DataError(message("answers have no row"))
    index = getattr(answers, "index", None)
    places = np.arange(len(arrow)) if index is None else index
    kind = message("data frame") if index is not None else message("table")
    return RawAnswers(kind, arrow, pa.array([f"row {at}" for at in places], pa.string()))


def _arrow(column: Any) -> pa.Array:
    """The column with its type, or as texts where its values have several."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    try:
        return pa.array(column, from_pandas=True)
    except pa.ArrowException:
        return pa.array([None if is_missing(v) else str(v) for v in column], pa.string())


def _named(items: tuple[str, ...], factors: list[str], *columns: str | None) -> dict[str, str]:
    """The columns that the call names, by role; a factor of another name is known by its levels."""
    roles = ("prompt", "variant_id", "scale_order", "answer")
    named = {role: name for role, name in zip(roles, columns, strict=True) if name is not None}
    if len(items) == 1 and items[0] not in factors:
        return {"item_id": items[0], **named}
    return {**{name: name for name in items if name in factors}, **named}


def _only(raw: RawAnswers, named: set[str], *, known: bool) -> RawAnswers:
    """The columns that are named, and those that are called like a role.

    What is `known` to say which item was asked leaves out a further column that would.
    """
    roles = {*ROLES} - ({"item_id", "prompt"} if known else set())
    names = raw.table.column_names
    if not named <= {*names}:
        return raw  # the column that there is not is refused with the nearest of all
    kept = [name for name in names if name in named or name in roles]
    return replace(raw, table=raw.table.select(kept))


def _refuse_idle(items: tuple[str, ...], layout: Layout, factors: list[str]) -> None:
    """Refuses a column of `item` of which nothing could be made."""
    known = {*layout.roles.values(), *layout.factors.values()}
    if idle := [name for name in items if name not in known]:
        first = next((name for name in factors if name not in layout.factors), "item_id")
        raise UsageError(
            message(
                "the column {column} holds the levels of no factor ({factors}); say what it is "
                "with {example}, or leave it out of item=",
                column=repr(idle[0]),
                factors=", ".join(factors),
                example=f"columns={ {first: idle[0]} }",
            )
        )


def _confirm(layout: Layout, guesses: list[str]) -> str:
    """What columns were taken for, to be confirmed."""
    return message(
        "these columns were taken for what they may not be: {guesses}; name them (item=, wording=, "
        "order=, answer=, columns=), or take the guesses with guess=True",
        guesses=joined(
            [
                message("{column} for {role}", column=repr(name), role=layout.meanings[name])
                for name in guesses[:_NAMED]
            ]
            + ["…"] * (len(guesses) > _NAMED)
        ),
    )


def _unmatched(result: Matched, raw: RawAnswers, target: Target) -> str:
    """Which rows answer no prompt, and why."""
    rows = [
        "{}: {}: {}".format(
            place, why, " | ".join(excerpt(str(name or "–"), limit=_WIDTH) for name in names)
        )
        for place, why, *names in (
            row.values() for row in result.unmatched.slice(0, _NAMED).to_pylist()
        )
    ]
    return message(
        "{n} of {m} rows match no prompt of {benchmark}, whose items are such as {item}; first "
        "{rows}; correct them, or go on without them with allow_unmatched=True (the run keeps "
        "their list)",
        n=count(len(result.unmatched)),
        m=count(len(raw.table)),
        benchmark=target.name,
        item=target.ids[0].as_py(),
        rows="; ".join(rows),
    )


def _write(folder: Path, raw: RawAnswers, result: Matched, target: Target, *, file: str) -> None:
    with opened(folder, create=True) as run:
        import_into(
            run,
            result.answers,
            target,
            file=file,
            form=raw.format,
            note=raw.note,
            unmatched=result.unmatched,
            reworded=result.reworded,
        )


def _score(folder: Path, rule: Rule, threshold: float | None) -> None:
    """Reads the answers by the benchmark's rules, scores and reports them, unless that is done."""
    from ..pipeline.judge import judge
    from ..pipeline.score import score
    from ..pipeline.workers.here import Here
    from ..report.write import report

    with opened(folder) as run:
        requested = replace(run.config, rule=rule, threshold=threshold)
        if not run.whole or requested != run.config:
            judge(run, run.config, Here(load_engine))
            score(run, requested)
            report(run)
