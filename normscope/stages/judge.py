"""Judgements of every response: the judge's under a rubric, or the model's own label reading."""

from collections.abc import Callable, Mapping

import pyarrow as pa

from ..config import RunConfig
from ..datasets_builders.item import Item
from ..datasets_builders.registry import benchmark
from ..errors import UsageError
from ..files import write_parquet
from ..judges.engine import Engine
from ..judges.engines import ModelSpec
from ..judges.heads import read_model
from ..judges.rubric import rubric
from ..reasons import Reason
from ..run.folder import JUDGEMENTS, RESPONSES, RunFolder
from ..run.journal import Row
from ..run.tables import JUDGEMENTS as COLUMNS
from ..run.units import Unit, plan, work_off
from .bench import Bench, Panel, item_key, panel, row_of
from .packages import packages

STAGE = "judge"


def judge(run: RunFolder, asked: RunConfig, load: Callable[[ModelSpec], Engine]) -> None:
    """Judges every response of the run and writes `judgements.parquet`."""
    items = {item_key(item): item for item in run.items()}
    responses = run.table(RESPONSES, made_by="respond").to_pylist()
    panels = _panels(run)
    engine = _engine(panels, asked, load)
    run.begin(
        STAGE,
        asked,
        {
            "judge": engine.identity if engine else None,
            "rubrics": {
                name: {
                    "name": panel.rubric.name,
                    "version": panel.rubric.version,
                    "hash": panel.hash,
                    "heads": list(panel.heads),
                }
                for name, panel in panels.items()
            },
            "packages": packages(),
        },
    )
    if run.whole:
        return
    run.reopen()
    rows: list[list[Row]] = [[] for _ in responses]
    judged: list[int] = []
    for index, response in enumerate(responses):
        item = items[item_key(response)]
        if item.benchmark in panels:
            judged.append(index)
        else:
            rows[index] = _own(item, response, asked)
    if engine is not None:
        bench = Bench(engine, panels, asked.min_coverage)
        pairs = [(items[item_key(responses[i])], responses[i]) for i in judged]
        units = plan([bench.sort_key(*pair) for pair in pairs], size=asked.unit_items)

        def do(unit: Unit) -> list[Row]:
            return [{"heads": heads} for heads in bench.judge([pairs[i] for i in unit])]

        for unit, made in work_off(run.journal, STAGE, units, do, label="judge"):
            for i, row in zip(unit, made, strict=True):
                rows[judged[i]] = row["heads"]
    flat = [row for heads in rows for row in heads]
    write_parquet(run.path / JUDGEMENTS, pa.Table.from_pylist(flat, schema=COLUMNS))


def _panels(run: RunFolder) -> dict[str, Panel]:
    benches = [benchmark(name)[1] for name in run.config.benchmark]
    return {b.name: panel(rubric(b.rubric), b.heads) for b in benches if b.rubric is not None}


def _engine(
    panels: Mapping[str, Panel], asked: RunConfig, load: Callable[[ModelSpec], Engine]
) -> Engine | None:
    if not panels:
        return None
    if asked.judge is None:
        raise UsageError(f"{', '.join(panels)} needs a judge: --judge PATH_OR_HUB_ID")
    return load(asked.judge)


def _own(item: Item, response: Row, asked: RunConfig) -> list[Row]:
    reason = None if response["reason"] is None else Reason(response["reason"])
    return [
        row_of(
            response,
            read_model(
                item,
                head,
                response["label_probs"],
                response["coverage"],
                reason,
                min_coverage=asked.min_coverage,
            ),
            judge=None,
            rubric_hash=None,
        )
        for head in benchmark(item.benchmark)[1].heads
    ]
