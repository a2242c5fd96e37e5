"""Judgements of every response: the judge's under a rubric, or the model's own answer as read."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tqdm import tqdm

from ..categorical import Categorical, combined, first_rows
from ..errors import UsageError
from ..extras import packages
from ..files import write_json
from ..judges.diagnostics import Diagnosis
from ..judges.engine import Engine
from ..judges.engines import described
from ..judges.judge import STAGE, Questions
from ..judges.lineage import relation
from ..judges.model_folder import local_folder
from ..judges.respondent import RULES
from ..judges.rubric_choice import Judged, questions_for
from ..judges.rubric_file import Criterion
from ..judges.rules import rule_hash, rule_of
from ..records import item as item_rows
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, JUDGEMENTS, JUDGING, RESPONSES
from ..records.item import Item, ItemKey
from ..records.item import to_table as to_items
from ..records.items import Items
from ..records.journal import Numbers, Row
from ..records.judgement import SCHEMA
from ..records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..records.ordered import ordered
from ..records.provenance import BenchmarkItems, CriterionScale, JudgementsProvenance, RubricVersion
from ..records.reproduction import serving_notes
from ..records.settings import Channel, Settings
from ..records.tables import joined, of_json
from ..records.units import UnitPlan, plan, row_hash
from .inputs import OfItems, Whole, responses_of
from .requested import requested_benchmarks
from .respondents import respondent_judgements
from .tasks import JudgeFacts, JudgeResponses
from .workers import StageWork, Workers, worked_off


def judge(run: RunFolder, config: Settings, workers: Workers) -> None:
    """Judges every response of the run and writes `judgements.parquet`."""
    items, responses = (
        run.table(name, stage="respond").combine_chunks() for name in (ITEMS, RESPONSES)
    )
    benchmarks = run.config.provenance.benchmarks
    work = work_of(items, responses, benchmarks, config)
    engine = workers.engine(work.task.spec) if work else None
    questions = work.task.questions if work else {}
    notes = _notes(run, config, engine, work)
    run.begin(
        STAGE,
        config,
        JudgementsProvenance(
            judge=engine.identity if engine else None,
            rubrics=_rubrics(questions, benchmarks),
            rules=_rules(responses, questions, benchmarks, config.judge_channels),
            caveats=tuple(notes),
            packages=packages(),
        ),
    )
    if run.whole:
        return
    run.reopen()
    for note in notes:
        tqdm.write(f"warning: {note}", file=sys.stderr)
    # the model's own answers as read, where no judge is asked
    own = {name: b.criteria for name, b in benchmarks.items() if name not in questions}
    of_model = respondent_judgements(items, responses, own, min_coverage=config.min_coverage)
    of_judge = _judged(run, work, engine, workers) if work and engine else ()
    with ordered(run.path / JUDGEMENTS, SCHEMA) as judgements:
        for at, rows in chain(of_model, of_judge):
            judgements.add(at, rows)
    run.seal(STAGE, served=run.journal.served(STAGE) if engine else ())
    for note in serving_notes(run.config.provenance, of=[STAGE]):
        tqdm.write(f"warning: {note}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """What is asked of a judge: its task, plan and inputs.

    `places` are those of the judged responses among all of the run.
    """

    task: JudgeResponses
    planned: UnitPlan
    inputs: OfItems
    places: Numbers


def work_of(
    items: pa.Table,
    responses: pa.Table,
    benchmarks: Mapping[str, BenchmarkItems],
    config: Settings,
) -> JudgeWork | None:
    """What is asked of the judge about the responses; null where there is nothing to ask.

    Both tables are as a run keeps them.
    """
    asked = _judged_items(items, benchmarks)
    questions = questions_for(benchmarks, _kinds(asked), config)
    if not questions:
        return None
    task = JudgeResponses(
        _judge_of(questions, config),
        questions,
        config.min_coverage,
        config.label_orders,
        config.judge_channels,
    )
    return JudgeWork(task, *planned_of(items, responses, benchmarks, size=config.unit_items))


def planned_of(
    items: pa.Table, responses: pa.Table, benchmarks: Mapping[str, BenchmarkItems], *, size: int
) -> tuple[UnitPlan, OfItems, Numbers]:
    """The units of what is judged, whatever is asked about it; their inputs, and their places.

    A row is known by the hash of all that the judge is shown: the item's category, language and
    whole conversation, and the response.
    """
    asked = _judged_items(items, benchmarks)
    judged = [name for name, each in benchmarks.items() if each.rubric is not None]
    places = np.flatnonzero(Categorical.of(responses["benchmark"]).isin(judged))
    # Arrow takes no rows of a column with 2 GB of texts unless their offsets are of 64 bits
    at = responses.schema.get_field_index("text")
    given = responses.set_column(at, "text", responses["text"].cast(pa.large_string()))
    if len(places) < len(responses):
        given = given.take(pa.array(places))
    given = given.combine_chunks()
    known = joined(asked, ItemKey._fields).combine_chunks()
    of_item = pc.index_in(joined(given, ItemKey._fields), value_set=known).to_numpy()
    inputs = OfItems(asked, of_item, responses_of(given))
    shown = [row_hash(*row.values()) for row in asked.select(_SHOWN).to_pylist()]
    texts = (
        row
        for batch in given.select(["text", "reason"]).to_batches(max_chunksize=_BATCH)
        for row in zip(*(batch[name].to_pylist() for name in (0, 1)), strict=True)
    )
    hashes = [row_hash(shown[at], *row) for at, row in zip(of_item.tolist(), texts, strict=True)]
    return plan(STAGE, _in_order(inputs), size=size, hashes=hashes), inputs, places


def _judged_items(items: pa.Table, benchmarks: Mapping[str, BenchmarkItems]) -> pa.Table:
    """The items whose responses a judge judges."""
    judged = [name for name, each in benchmarks.items() if each.rubric is not None]
    chosen = pc.is_in(items["benchmark"], value_set=pa.array(judged, pa.string()))
    return items.filter(chosen).combine_chunks()


_BATCH = 10_000
_SHOWN = [*ItemKey._fields, "category", "language", "messages"]


def _in_order(inputs: OfItems) -> Numbers:
    """The rows as `judges.judge.sort_key` orders them: common beginnings stand together."""
    items = inputs.items
    questions = [turns[-1]["content"] if turns else "" for turns in items["messages"].to_pylist()]
    keys = pa.table(
        {
            **{name: items[name] for name in ("benchmark", "category", "language")},
            "question": pa.array(questions, pa.string()),
        }
    )
    # sorted are the distinct ones, of which a run of many samples has few
    codes = combined(*(Categorical.of(keys[name]) for name in keys.column_names))
    distinct = keys.take(pa.array(first_rows(codes)))
    ranks = np.empty(len(distinct), np.int64)
    ranks[_sorted(distinct)] = np.arange(len(distinct))
    rows = pa.table(
        {
            "rank": ranks[codes][inputs.item],
            "text": pc.fill_null(inputs.more["text"], ""),
            "number": np.arange(len(inputs.item)),
        }
    )
    return _sorted(rows)


def _sorted(rows: pa.Table) -> Numbers:
    """The places of the rows, sorted by their columns from the first to the last."""
    columns = [(name, "ascending") for name in rows.column_names]
    order: Numbers = pc.sort_indices(rows, columns).to_numpy().astype(np.int64)
    return order


def check_judging(config: Settings) -> dict[str, Questions]:
    """What will be asked of the judge; refused before the model under test is asked for hours.

    No judge, a judge's folder that is not there and a rubric that cannot be used are errors.
    """
    # no items yet: their categories are held against the rubric when they are judged
    asked = {name: bench for name, (_, bench) in requested_benchmarks(config).items()}
    questions = questions_for(asked, (), config)
    if questions:
        name = _judge_of(questions, config).model
        if not name.startswith((*ADDRESSES, VLLM)):
            local_folder(name)
    return questions


def foreseen(config: Settings) -> JudgementsProvenance:
    """What is known of the judging before it begins: the rubrics, and the judge if it lies here."""
    questions = check_judging(config)
    asked = {name: bench for name, (_, bench) in requested_benchmarks(config).items()}
    judge = described(config.judge) if questions and config.judge is not None else None
    return JudgementsProvenance(rubrics=_rubrics(questions, asked), judge=judge)


def _rubrics(
    questions: Mapping[str, Questions], benchmarks: Mapping[str, Judged]
) -> dict[str, RubricVersion]:
    return {
        name: RubricVersion(
            each.hash,
            each.rubric.name,
            each.rubric.version,
            tuple(each.criteria),
            {
                criterion: _scale(asked, each.rubric.fallback_language)
                for criterion, asked in each.criteria.items()
                if criterion not in benchmarks[name].criteria
            },
        )
        for name, each in questions.items()
    }


def _scale(criterion: Criterion, language: str) -> CriterionScale:
    question = criterion.instruction[language].ask.strip().splitlines()[0]
    return CriterionScale(criterion.scale.labels, criterion.scale.values, criterion.read, question)


def _judged(
    run: RunFolder, work: JudgeWork, engine: Engine, workers: Workers
) -> Iterator[tuple[Numbers, pa.Table]]:
    """The judge's judgements with the places of their responses; writes its diagnostics."""
    retry = run.retries_calls
    done = worked_off(
        workers,
        StageWork(work.task, work.planned, work.inputs),
        engine,
        run.journal,
        label=STAGE,
        retry=retry,
    )
    diagnosis = Diagnosis(work.task.judge(engine))
    yield from _judgements_of(work, done, diagnosis)
    ((_, (recorded,)),) = worked_off(
        workers, facts_of(work), engine, run.journal, label=STAGE, retry=retry
    )
    write_json(run.path / JUDGING, asdict(diagnosis.judging()) | recorded["facts"])


def facts_of(work: JudgeWork) -> StageWork:
    """What the judge is asked without any response."""
    facts = JudgeFacts(work.task)
    return StageWork(facts, once(facts.stage), Whole(to_items(_kinds(work.inputs.items))))


def once(stage: str) -> UnitPlan:
    """The plan of what no response is needed for: it is asked once, like a unit."""
    return plan(stage, np.zeros(1, np.int64), size=1)


def _judgements_of(
    work: JudgeWork, done: Iterable[tuple[Numbers, list[Row]]], diagnosis: Diagnosis
) -> Iterator[tuple[Numbers, pa.Table]]:
    """The judgements in rows of the journal, with the places of their responses."""
    items, of_item = work.inputs.items, work.inputs.item
    clusters = Items(items).clusters
    benchmarks = Categorical.of(items["benchmark"])
    for numbers, rows in done:
        for number, row in zip(numbers.tolist(), rows, strict=True):
            item = of_item[number]
            diagnosis.add(
                number,
                benchmarks.name(item) or "",
                clusters.name(item) or "",
                windows=max((each["windows"] for each in row["criteria"]), default=1),
                shifts=[
                    (each["criterion"], each["order_shift"])
                    for each in row["criteria"]
                    if each["order_shift"] is not None
                ],
            )
        at = np.repeat(work.places[numbers], [len(row["criteria"]) for row in rows])
        yield at, of_json([each for row in rows for each in row["criteria"]], SCHEMA)


def _kinds(items: pa.Table) -> list[Item]:
    """The first item of each benchmark, category and language."""
    names = ("benchmark", "category", "language")
    firsts = first_rows(combined(*(Categorical.of(items[name]) for name in names)))
    return item_rows.from_table(items.take(pa.array(np.sort(firsts))))


def _judge_of(questions: Mapping[str, Questions], config: Settings) -> ModelSpec:
    if config.judge is None:
        raise UsageError(f"{', '.join(questions)} needs a judge: --judge PATH_OR_HUB_ID")
    return config.judge


def _rules(
    responses: pa.Table,
    questions: Mapping[str, Questions],
    benchmarks: Mapping[str, BenchmarkItems],
    channels: Sequence[Channel],
) -> dict[str, str]:
    """The hash of each rule that reads a text of this run, or a verdict in one of the channels."""
    texts = responses["benchmark"].filter(pc.is_null(responses["labels"])).unique().to_pylist()
    read = (name for name in texts if name not in questions)
    names = dict.fromkeys(
        RULES[criterion] for name in read for criterion in benchmarks[name].criteria
    )
    if "text" in channels:
        names |= {
            rule_of(name, criterion.scale).name: None
            for each in questions.values()
            for name, criterion in each.criteria.items()
        }
    return {name: rule_hash(name) for name in names}


def _notes(
    run: RunFolder, config: Settings, engine: Engine | None, work: JudgeWork | None
) -> list[str]:
    """What stays on the result: a judge of the lineage of the model whose answers it judges."""
    # answers that the benchmark brings along are nobody's whose lineage could matter
    if engine is None or work is None or work.inputs.items["response"].null_count == 0:
        return []
    identities = (run.config.provenance.model, engine.identity)
    related = relation(run.config.model, config.judge, identities)
    return [related] if related else []
