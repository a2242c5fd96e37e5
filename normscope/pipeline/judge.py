"""Judgements of every response: the judge's under a rubric, or the model's own answer as read."""

import sys
from collections.abc import Callable, Mapping
from functools import partial

import pyarrow as pa
from tqdm import tqdm

from ..datasets_builders.registry import benchmark
from ..errors import UsageError
from ..files import hash_value, write_json, write_parquet
from ..judges.bench import Bench, Panel, item_key
from ..judges.engine import Engine, served_by
from ..judges.engines import described
from ..judges.judging import judging_facts, priors
from ..judges.lineage import relation
from ..judges.model_folder import local_folder
from ..judges.own import RULES, own_row
from ..judges.panels import panels
from ..judges.rules import rule_hash
from ..judges.trust.fixed_answers import KEY, judged_fixed_answers
from ..packages import packages
from ..reasons import Reason
from ..records.absent import failed_facts
from ..records.config import RunConfig
from ..records.folder import JUDGEMENTS, JUDGING, RESPONSES, RunFolder
from ..records.item import Item
from ..records.journal import Row
from ..records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..records.provenance import JudgementsProvenance, RubricVersion
from ..records.reproduction import serving_notes
from ..records.tables import JUDGEMENTS as COLUMNS
from ..records.units import Unit, plan, work_off

STAGE, FACTS = "judge", "judge:facts"

Pair = tuple[Item, Row]
"""An item and a response to it."""


def judge(run: RunFolder, asked: RunConfig, load: Callable[[ModelSpec], Engine]) -> None:
    """Judges every response of the run and writes `judgements.parquet`."""
    items = {item_key(item): item for item in run.items()}
    responses = run.table(RESPONSES, made_by="respond").to_pylist()
    pairs = [(items[item_key(response)], response) for response in responses]
    asks = panels(run.config.benchmark, items.values(), asked)
    engine = _engine(asks, asked, load)
    notes = _notes(run, asked, engine, pairs, asks)
    run.begin(
        STAGE,
        asked,
        JudgementsProvenance(
            judge=engine.identity if engine else None,
            rubrics=_rubrics(asks),
            rules=_rules(pairs, asks),
            caveats=tuple(notes),
            packages=packages(),
        ),
    )
    if run.whole:
        return
    run.reopen()
    for note in notes:
        tqdm.write(f"warning: {note}", file=sys.stderr)
    criteria = {name: benchmark(name)[1].criteria for name in run.config.benchmark}
    rows: list[list[Row]] = [
        []
        if item.benchmark in asks
        else [
            own_row(item, criterion, response, min_coverage=asked.min_coverage)
            for criterion in criteria[item.benchmark]
        ]
        for item, response in pairs
    ]
    judged = [i for i, (item, _) in enumerate(pairs) if item.benchmark in asks]
    if engine is not None:
        bench = Bench(engine, asks, asked.min_coverage, asked.label_orders)
        made = _judged(run, bench, engine, [pairs[i] for i in judged], asked.unit_items)
        for i, row in zip(judged, made, strict=True):
            rows[i] = row
    flat = [row for made in rows for row in made]
    write_parquet(run.path / JUDGEMENTS, pa.Table.from_pylist(flat, schema=COLUMNS))
    run.seal(STAGE, served=run.served(STAGE) if engine else ())
    for note in serving_notes(run.config.provenance, of=[STAGE]):
        tqdm.write(f"warning: {note}", file=sys.stderr)


def check_judging(asked: RunConfig) -> dict[str, Panel]:
    """What will be asked of the judge; refused before the model under test is asked for hours.

    No judge, a judge's folder that is not there and a rubric that cannot be used are errors.
    """
    asks = panels(asked.benchmark, (), asked)
    if asks:
        name = _judge_of(asks, asked).model
        if not name.startswith((*ADDRESSES, VLLM)):
            local_folder(name)
    return asks


def foreseen(asked: RunConfig) -> JudgementsProvenance:
    """What is known of the judging before it begins: the rubrics, and the judge if it lies here."""
    asks = check_judging(asked)
    judge = described(asked.judge) if asks and asked.judge is not None else None
    return JudgementsProvenance(rubrics=_rubrics(asks), judge=judge)


def _rubrics(asks: Mapping[str, Panel]) -> dict[str, RubricVersion]:
    return {
        name: RubricVersion(
            panel.hash, panel.rubric.name, panel.rubric.version, tuple(panel.criteria)
        )
        for name, panel in asks.items()
    }


def _judged(
    run: RunFolder, bench: Bench, engine: Engine, pairs: list[Pair], size: int
) -> list[list[Row]]:
    """The judge's rows about each response, unit by unit; writes what the judge brings along."""
    work = partial(
        work_off, run.journal, retry=run.asks_again, served=served_by(engine), label=STAGE
    )

    def do(unit: Unit) -> list[Row]:
        return [{"criteria": criteria} for criteria in bench.judge([pairs[i] for i in unit])]

    def bring(_: Unit) -> list[Row]:
        items = [item for item, _ in pairs]
        said = judged_fixed_answers(bench, engine.identity)
        facts = {"priors": priors(bench, items), KEY: said}
        return [{"facts": facts, "reason": Reason.CALL_FAILED if failed_facts(facts) else None}]

    units = plan([bench.sort_key(*pair) for pair in pairs], size=size)
    names = [_name(number, response) for number, (_, response) in enumerate(pairs)]
    rows: list[list[Row]] = [row["criteria"] for row in work(STAGE, units, do, names=names)]
    # what the judge brings along is asked once, like a unit
    (brought,) = work(FACTS, [(0,)], bring)
    facts = judging_facts(bench, pairs, rows, prior=False)
    write_json(run.path / JUDGING, facts | brought["facts"])
    return rows


def _name(number: int, response: Row) -> str:
    """The name of what is judged: the response to a prompt that is asked again may be another."""
    return f"{number} {hash_value([response['text'], response['reason']])[:16]}"


def _engine(
    asks: Mapping[str, Panel], asked: RunConfig, load: Callable[[ModelSpec], Engine]
) -> Engine | None:
    return load(_judge_of(asks, asked)) if asks else None


def _judge_of(asks: Mapping[str, Panel], asked: RunConfig) -> ModelSpec:
    if asked.judge is None:
        raise UsageError(f"{', '.join(asks)} needs a judge: --judge PATH_OR_HUB_ID")
    return asked.judge


def _rules(pairs: list[Pair], asks: Mapping[str, Panel]) -> dict[str, str]:
    """The hash of each rule that reads a text of this run."""
    read = dict.fromkeys(
        item.benchmark
        for item, response in pairs
        if item.benchmark not in asks and response["labels"] is None
    )
    names = dict.fromkeys(
        RULES[criterion] for name in read for criterion in benchmark(name)[1].criteria
    )
    return {name: rule_hash(name) for name in names}


def _notes(
    run: RunFolder,
    asked: RunConfig,
    engine: Engine | None,
    pairs: list[Pair],
    asks: Mapping[str, Panel],
) -> list[str]:
    """What stays on the result: a judge that is the kin of the model whose answers it judges."""
    wrote = any(item.benchmark in asks and item.response is None for item, _ in pairs)
    if engine is None or not wrote:
        return []
    identities = (run.config.provenance.model, engine.identity)
    kin = relation(run.config.model, asked.judge, identities)
    return [kin] if kin else []
