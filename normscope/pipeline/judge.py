"""Judgements of every response: the judge's under a rubric, or the model's own answer as read."""

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Categorical, combined, first_rows
from ..extras import packages
from ..files import write_json
from ..judges.judge import STAGE, judge_of
from ..judges.lineage import relation
from ..judges.model_folder import local_folder
from ..judges.respondent import RULES
from ..judges.rubric import Criterion, Questions
from ..judges.rubric_choice import Judged, is_usual, questions_for
from ..judges.rules import rule_hash, rule_of
from ..progress import to_stderr
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, JUDGEMENTS, JUDGING, RESPONSES
from ..records.item import Item
from ..records.judgement import SCHEMA
from ..records.model_spec import VLLM, is_elsewhere
from ..records.provenance import BenchmarkItems, CriterionScale, JudgementsProvenance, RubricVersion
from ..records.settings import Channel, Settings
from ..records.sorted_table import write_sorted
from ..records.tables import from_table
from .inputs import ONE_ROW, batches_of, responses_beside
from .requested import requested_benchmarks
from .respondents import respondent_judgements
from .stage import JudgeFacts, JudgeResponses, StageWork, Workers, end_stage, worked_off


def judge(run: RunFolder, config: Settings, workers: Workers) -> None:
    """Judges every response of the run and writes `judgements.parquet`."""
    items = run.read().table(ITEMS).combine_chunks()
    benchmarks = run.config.provenance.benchmarks
    judged = judged_items(items, benchmarks)
    task = task_of(judged, benchmarks, config)
    engine = workers.engine(task.spec) if task else None
    questions = task.questions if task else {}
    # answers that the benchmark brings along are nobody's whose lineage could matter
    note = None
    if engine and judged["response"].null_count:
        identities = (run.config.provenance.model, engine.identity)
        note = relation(run.config.model, config.judge, identities)
    run.begin(
        STAGE,
        config,
        JudgementsProvenance(
            judge=engine.identity if engine else None,
            rubrics=_rubrics(questions, benchmarks),
            rules=_rules(run.path / RESPONSES, questions, benchmarks, config.judge_channels),
            caveats=(note,) if note else (),
            packages=packages(),
        ),
    )
    if run.whole:
        return
    run.reopen()
    if note:
        to_stderr(f"warning: {note}")
    # the model's own answers as read, where no judge is asked
    of_model = {name: b.criteria for name, b in benchmarks.items() if name not in questions}
    tables = respondent_judgements(
        items, run.path / RESPONSES, of_model, min_coverage=config.min_coverage
    )
    if task and engine:
        rows, (facts,) = (
            worked_off(workers, each, engine, run.journal)
            for each in works_of(task, judged, run.path / RESPONSES, size=config.unit_items)
        )
        tables = chain(tables, rows)
    write_sorted(run.path / JUDGEMENTS, SCHEMA, tables)
    if task and engine:
        write_json(run.path / JUDGING, json.loads(facts["facts"][0].as_py()))
    end_stage(run, STAGE, engine)


def task_of(
    judged: pa.Table, benchmarks: Mapping[str, BenchmarkItems], config: Settings
) -> JudgeResponses | None:
    """What is asked of the judge about responses to these items; null if there is nothing."""
    questions = questions_for(benchmarks, kinds_of(judged), config)
    return judging_task(questions, config) if questions else None


def judging_task(questions: Mapping[str, Questions], config: Settings) -> JudgeResponses:
    """The questions with the judge and the settings that the configuration names."""
    return JudgeResponses(
        judge_of(config, questions),
        questions,
        config.min_coverage,
        config.label_orders,
        config.judge_channels,
    )


def works_of(
    task: JudgeResponses, items: pa.Table, responses: Path | pa.Table, *, size: int
) -> tuple[StageWork, StageWork]:
    """What the judge is asked about the responses to these items, and what without any."""
    about = StageWork(task, *responses_beside(items, responses, size=size))
    return about, StageWork(JudgeFacts(task), *ONE_ROW)


def judged_items(items: pa.Table, benchmarks: Mapping[str, BenchmarkItems]) -> pa.Table:
    """The items whose responses a judge judges, whatever is asked about them."""
    judged = pa.array([n for n, each in benchmarks.items() if each.rubric is not None], pa.string())
    return items.filter(pc.is_in(items["benchmark"], value_set=judged)).combine_chunks()


def kinds_of(items: pa.Table) -> tuple[Item, ...]:
    """The first item of each benchmark, category and language."""
    names = ("benchmark", "category", "language")
    firsts = first_rows(combined(*(Categorical.of(items[name]) for name in names)))
    return (*from_table(items.take(pa.array(np.sort(firsts))), Item),)


def check_judging(config: Settings) -> JudgementsProvenance:
    """The rubrics of the judging; refused before the model under test is asked for hours.

    No judge, a judge's folder that is not there and a rubric that cannot be used are errors.
    """
    # no items yet: their categories are held against the rubric when they are judged
    benchmarks = {name: bench for name, (_, bench) in requested_benchmarks(config).items()}
    questions = questions_for(benchmarks, (), config)
    if questions:
        name = judge_of(config, questions).model
        if not name.startswith(VLLM) and not is_elsewhere(name):
            local_folder(name)
    return JudgementsProvenance(rubrics=_rubrics(questions, benchmarks))


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
                and not (each.rubric.guard and is_usual(criterion, asked))
            },
        )
        for name, each in questions.items()
    }


def _scale(criterion: Criterion, language: str) -> CriterionScale:
    question = criterion.instruction[language].ask.strip().splitlines()[0]
    return CriterionScale(criterion.scale.labels, criterion.scale.values, criterion.read, question)


def _rules(
    responses: Path,
    questions: Mapping[str, Questions],
    benchmarks: Mapping[str, BenchmarkItems],
    channels: Sequence[Channel],
) -> dict[str, str]:
    """The hash of each rule that reads a text of this run, or a verdict in one of the channels."""
    in_text = dict.fromkeys(
        name
        for batch in batches_of(responses, ["benchmark", "labels"])
        for name in batch["benchmark"].filter(pc.is_null(batch["labels"])).unique().to_pylist()
    )
    read = (name for name in in_text if name not in questions)
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
