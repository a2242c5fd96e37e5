"""Judgements of every response: the judge's under a rubric, or the model's own answer as read."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tqdm import tqdm

from ..categorical import Categorical
from ..errors import UsageError
from ..files import hash_value, write_json, write_parquet
from ..judges.diagnostics import diagnostics, priors
from ..judges.engine import Engine, served_by
from ..judges.engines import described
from ..judges.judge import STAGE, LoadedJudge, Pair, Questions, Work
from ..judges.lineage import relation
from ..judges.model_folder import local_folder
from ..judges.respondent import RULES
from ..judges.rubric_choice import Judged, questions_for
from ..judges.rubric_file import Criterion
from ..judges.rules import rule_hash, rule_of
from ..judges.trust.fixed_answers import judged_fixed_answers
from ..packages import packages
from ..reasons import Reason
from ..records import item as item_rows
from ..records.config import Channel, RunConfig
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, JUDGEMENTS, JUDGING, RESPONSES
from ..records.judgement import Judgement, to_table
from ..records.judging import Judging
from ..records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..records.provenance import BenchmarkItems, CriterionScale, JudgementsProvenance, RubricVersion
from ..records.reproduction import serving_notes
from ..records.response import Response, from_table
from ..records.units import work_off
from .requested import requested_benchmarks
from .respondents import respondent_judgements

FACTS = f"{STAGE}:facts"


def judge(run: RunFolder, config: RunConfig, load: Callable[[ModelSpec], Engine]) -> None:
    """Judges every response of the run and writes `judgements.parquet`."""
    items, responses = (run.table(name, stage="respond") for name in (ITEMS, RESPONSES))
    benchmarks = run.config.provenance.benchmarks
    judged = [name for name, each in benchmarks.items() if each.rubric is not None]
    at = np.flatnonzero(Categorical.of(responses["benchmark"]).isin(judged))
    pairs = _pairs(items, responses.take(pa.array(at)), judged)
    questions = questions_for(benchmarks, (item for item, _ in pairs), config)
    engine = load(_judge_of(questions, config)) if questions else None
    notes = _notes(run, config, engine, pairs)
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
    places, table = respondent_judgements(
        items,
        responses,
        {name: each.criteria for name, each in benchmarks.items() if name not in questions},
        min_coverage=config.min_coverage,
    )
    if engine is not None:
        judge = LoadedJudge(
            engine, questions, config.min_coverage, config.label_orders, config.judge_channels
        )
        results = _judged(run, judge, pairs, config.unit_items)
        of_judge = to_table([judgement for several in results for judgement in several])
        places = np.append(places, np.repeat(at, [*map(len, results)]))
        table = pa.concat_tables([table, of_judge])
    # stable: the criteria of a response stay in their order
    table = table.take(pa.array(np.argsort(places, kind="stable")))
    write_parquet(run.path / JUDGEMENTS, table.combine_chunks())
    run.seal(STAGE, served=run.served(STAGE) if engine else ())
    for note in serving_notes(run.config.provenance, of=[STAGE]):
        tqdm.write(f"warning: {note}", file=sys.stderr)


def _pairs(items: pa.Table, responses: pa.Table, benchmarks: Sequence[str]) -> list[Pair]:
    """The responses, all to these benchmarks, and the item of each."""
    names = pa.array(benchmarks, pa.string())
    asked = item_rows.from_table(items.filter(pc.is_in(items["benchmark"], value_set=names)))
    by_key = {item.key: item for item in asked}
    return [(by_key[response.key.item], response) for response in from_table(responses)]


def check_judging(config: RunConfig) -> dict[str, Questions]:
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


def foreseen(config: RunConfig) -> JudgementsProvenance:
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
    run: RunFolder, judge: LoadedJudge, pairs: list[Pair], size: int
) -> list[tuple[Judgement, ...]]:
    """The judge's judgements of each response; writes its diagnostics."""
    items = [item for item, _ in pairs]

    def do(_: tuple[int, ...]) -> list[dict[str, Any]]:
        fixed = judged_fixed_answers(judge, judge.engine.identity)
        judging = Judging(priors=priors(judge, items), fixed_answers=fixed)
        facts = {name: asdict(judging)[name] for name in ("priors", "fixed_answers")}
        return [{"facts": facts, "reason": Reason.CALL_FAILED if judging.failed else None}]

    names = [_name(number, response) for number, (_, response) in enumerate(pairs)]
    work = Work(run.journal, unit_items=size, names=names, retry=run.retries_calls)
    judgements = judge.judge(pairs, work)
    # what no response is needed for is asked once, like a unit
    (recorded,) = work_off(
        run.journal,
        FACTS,
        [(0,)],
        do,
        label=STAGE,
        retry=run.retries_calls,
        served=served_by(judge.engine),
    )
    facts = asdict(diagnostics(judge, items, judgements))
    write_json(run.path / JUDGING, facts | recorded["facts"])
    return judgements


def _name(number: int, response: Response) -> str:
    """The name of what is judged: the response to a prompt that is asked again may be another."""
    return f"{number} {hash_value([response.text, response.reason])[:16]}"


def _judge_of(questions: Mapping[str, Questions], config: RunConfig) -> ModelSpec:
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
    texts = responses.filter(pc.is_null(responses["labels"]))["benchmark"].unique().to_pylist()
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
    run: RunFolder, config: RunConfig, engine: Engine | None, pairs: list[Pair]
) -> list[str]:
    """What stays on the result: a judge of the lineage of the model whose answers it judges."""
    # answers that the benchmark brings along are nobody's whose lineage could matter
    if engine is None or all(item.response is not None for item, _ in pairs):
        return []
    identities = (run.config.provenance.model, engine.identity)
    related = relation(run.config.model, config.judge, identities)
    return [related] if related else []
