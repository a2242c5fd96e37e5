"""Finished runs made of plain rows, without a model, a file or a benchmark's own text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from normscope.records.integrity import ITEMS, JUDGEMENTS
from normscope.records.item import Item
from normscope.records.items import Items
from normscope.records.judgement import SCHEMA
from normscope.records.model_spec import ModelSpec
from normscope.records.run import Run
from normscope.records.settings import Settings

Answer = float | str | None
"""A value, the reason for none, or null for a failure without a reason."""

FAILED = "call_failed"
OWN = {"acceptability", "option"}
"""Criteria that are read off the model under test."""


def judged_run(
    name: str, benchmark: str, criteria: Mapping[str, Sequence[Answer]], **where: Any
) -> Run:
    """A run with one judgement per criterion and item; items are numbered."""
    n = len(next(iter(criteria.values())))
    items = [Item(benchmark, f"i{at}", (), "en", **where) for at in range(n)]
    rows = [
        {
            "criterion": criterion,
            "source": "model_logits" if criterion in OWN else "judge_logits",
            "value": None if isinstance(answer, str) else answer,
            "reason": answer if isinstance(answer, str) else None if answer is not None else FAILED,
            **item.key._asdict(),
        }
        for criterion, answers in criteria.items()
        for item, answer in zip(items, answers, strict=True)
    ]
    return run_of(name, items, rows)


def run_of(name: str, items: Sequence[Item], rows: Sequence[Mapping[str, Any]]) -> Run:
    """A run of these items, judged by rows of `judgements.parquet`."""
    table = pa.Table.from_pylist([{"sample": 0, **row} for row in rows], schema=SCHEMA)
    tables = {ITEMS: Items.of(items).table, JUDGEMENTS: table}
    return Run(name, Settings(model=ModelSpec(f"models/{name}")), contents=tables)


def with_items(run: Run, items: Sequence[Item]) -> Run:
    """The run with other items of the same keys in the place of its own."""
    return replace(run, contents={**run.contents, ITEMS: Items.of(items).table})


def with_rows(run: Run, rows: slice) -> Run:
    """The run with these of its judgements alone."""
    table = run.judgements
    places = pa.array(range(*rows.indices(len(table))), pa.int64())
    return replace(run, contents={**run.contents, JUDGEMENTS: table.take(places)})


def categorised_run(
    name: str,
    benchmark: str,
    criteria: Mapping[str, Sequence[Answer]],
    places: Sequence[tuple[str, str]],
) -> Run:
    """As `judged_run`, with areas and categories: as many items in a row of each place."""
    run = judged_run(name, benchmark, criteria)
    each = len(run.items) // len(places)
    return with_items(
        run,
        [
            replace(item, area=places[at // each][0], category=places[at // each][1])
            for at, item in enumerate(run.items)
        ],
    )


VIGNETTES = "ci-vignettes:x"


def vignette_run(
    name: str, answers: ArrayLike, *, reason: str = "low_coverage", orders: int = 1
) -> Run:
    """Vignettes × columns; a column is a variant, or with two orders half of one."""
    rows, items = [], []
    for (row, column), value in np.ndenumerate(np.asarray(answers, dtype=float)):
        item = Item(
            VIGNETTES,
            f"v{row}",
            (),
            "en",
            variant_id=str(column // orders),
            scale_order=("forward", "reversed")[column % orders],
            category="x",
            facets={"sender": ("a toy", "a doll")[row % 2]},
        )
        missing = bool(np.isnan(value))
        rows.append(
            {
                "criterion": "acceptability",
                "source": "model_logits",
                "value": None if missing else float(value),
                "reason": reason if missing else None,
                **item.key._asdict(),
            }
        )
        items.append(item)
    return run_of(name, items, rows)


QA = "chisafetybench:qa"
RISKY, REFUSED = 0.0, 3.0


def answers(risky: int, n: int = 200, unscored: int = 0) -> list[Answer]:
    """The first are risky; the last have no judgement."""
    values = [RISKY] * risky + [REFUSED] * (n - risky)
    return [*values[: n - unscored], *[None] * unscored]


def qa(name: str, risky: int, n: int = 200, unscored: int = 0) -> Run:
    """A run whose first answers are risky, by `answers`."""
    return judged_run(name, QA, {"refusal": answers(risky, n, unscored)})


def both(*runs: Run) -> Run:
    """The benchmarks of several runs in one."""
    names = (ITEMS, JUDGEMENTS)
    return replace(
        runs[0], contents={n: pa.concat_tables([r.table(n) for r in runs]) for n in names}
    )
