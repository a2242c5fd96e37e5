"""Judgements of every response: the judge's under a rubric, or the model's own answer as read."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

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
from ..records.journal import PLACE
from ..records.judgement import SCHEMA
from ..records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..records.provenance import BenchmarkItems, CriterionScale, JudgementsProvenance, RubricVersion
from ..records.reproduction import serving_notes
from ..records.settings import Channel, Settings
from ..records.sorted_table import write_sorted
from ..records.tables import joined
from .inputs import OfResponses, Once, batches_of
from .requested import requested_benchmarks
from .respondents import respondent_judgements
from .tasks import JudgeFacts, JudgeResponses
from .workers import StageWork, Workers, worked_off


def judge(run: RunFolder, config: Settings, workers: Workers) -> None:
    """Judges every response of the run and writes `judgements.parquet`."""
    items = run.table(ITEMS, stage="respond").combine_chunks()
    benchmarks = run.config.provenance.benchmarks
    work = work_of(items, run.path / RESPONSES, benchmarks, config)
    engine = workers.engine(work.task.spec) if work else None
    questions = work.task.questions if work else {}
    notes = _notes(run, config, engine, work)
    read = dict.fromkeys(
        name
        for batch in batches_of(run.path / RESPONSES, ["benchmark", "labels"])
        for name in batch["benchmark"].filter(pc.is_null(batch["labels"])).unique().to_pylist()
    )
    run.begin(
        STAGE,
        config,
        JudgementsProvenance(
            judge=engine.identity if engine else None,
            rubrics=_rubrics(questions, benchmarks),
            rules=_rules(read, questions, benchmarks, config.judge_channels),
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
    of_model = _of_model(run, items, own, config) if own else ()
    of_judge: Iterable[pa.Table] = ()
    if work and engine:
        again = run.retries_calls
        tables, (facts,) = (
            worked_off(workers, each, engine, run.journal, label=STAGE, retry=again)
            for each in (StageWork(work.task, work.inputs), work.facts)
        )
        of_judge = _diagnosed(run, work, engine, tables, json.loads(facts["facts"][0].as_py()))
    write_sorted(run.path / JUDGEMENTS, SCHEMA, chain(of_model, of_judge))
    run.seal(STAGE, served=run.journal.served(STAGE) if engine else ())
    for note in serving_notes(run.config.provenance, of=[STAGE]):
        tqdm.write(f"warning: {note}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """What is asked of a judge: its task, and the responses beside their items."""

    task: JudgeResponses
    inputs: OfResponses

    @property
    def facts(self) -> StageWork:
        """What the judge is asked without any response."""
        return StageWork(JudgeFacts(self.task), Once(to_items(_kinds(self.inputs.items))))


def work_of(
    items: pa.Table,
    responses: Path | pa.Table,
    benchmarks: Mapping[str, BenchmarkItems],
    config: Settings,
) -> JudgeWork | None:
    """What is asked of the judge about the responses; null where there is nothing to ask.

    Items and responses are as a run keeps them.
    """
    inputs = inputs_of(items, responses, benchmarks, size=config.unit_items)
    questions = questions_for(benchmarks, _kinds(inputs.items), config)
    if not questions:
        return None
    task = JudgeResponses(
        _judge_of(questions, config),
        questions,
        config.min_coverage,
        config.label_orders,
        config.judge_channels,
    )
    return JudgeWork(task, inputs)


def inputs_of(
    items: pa.Table,
    responses: Path | pa.Table,
    benchmarks: Mapping[str, BenchmarkItems],
    *,
    size: int,
) -> OfResponses:
    """The responses that a judge judges, whatever is asked about them."""
    judged = pa.array([n for n, each in benchmarks.items() if each.rubric is not None], pa.string())
    rows = sum(
        pc.sum(pc.is_in(batch["benchmark"], value_set=judged)).as_py() or 0
        for batch in batches_of(responses, ["benchmark"])
    )
    asked = items.filter(pc.is_in(items["benchmark"], value_set=judged)).combine_chunks()
    return OfResponses(asked, responses, rows, size)


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


def _of_model(
    run: RunFolder, items: pa.Table, criteria: Mapping[str, Sequence[str]], config: Settings
) -> Iterator[pa.Table]:
    """The model's own answers as read, with the places of their responses."""
    responses = run.table(RESPONSES, stage="respond").combine_chunks()
    least = config.min_coverage
    for places, rows in respondent_judgements(items, responses, criteria, min_coverage=least):
        yield rows.append_column(PLACE, pa.array(places))


def _diagnosed(
    run: RunFolder,
    work: JudgeWork,
    engine: Engine,
    tables: Iterable[pa.Table],
    facts: dict[str, Any],
) -> Iterator[pa.Table]:
    """The judge's judgements as they come; writes its diagnostics at the end."""
    diagnosis = Diagnosis(work.task.judge(engine))
    items = work.inputs.items
    clusters = dict(
        zip(joined(items, ItemKey._fields).to_pylist(), Items(items).clusters.tolist(), strict=True)
    )
    for table in tables:
        _note_of(table, clusters, diagnosis)
        yield table
    write_json(run.path / JUDGING, asdict(diagnosis.judging()) | facts)


def _note_of(table: pa.Table, clusters: Mapping[str, str], diagnosis: Diagnosis) -> None:
    """Takes in the judgements of a unit."""
    columns = ("benchmark", "criterion", "windows", "order_shift")
    values = (table[PLACE], joined(table, ItemKey._fields), *(table[name] for name in columns))
    rows = zip(*(column.to_pylist() for column in values), strict=True)
    for place, several in groupby(rows, key=itemgetter(0)):
        judged = list(several)
        _, item, benchmark, *_ = judged[0]
        diagnosis.add(
            place,
            benchmark,
            clusters[item],
            windows=max(windows for *_, windows, _ in judged),
            shifts=[(name, shift) for *_, name, _, shift in judged if shift is not None],
        )


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
    texts: Iterable[str],
    questions: Mapping[str, Questions],
    benchmarks: Mapping[str, BenchmarkItems],
    channels: Sequence[Channel],
) -> dict[str, str]:
    """The hash of each rule that reads a text of this run, or a verdict in one of the channels.

    `texts` are the benchmarks of which there are texts.
    """
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
