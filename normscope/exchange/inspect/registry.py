"""What Inspect finds by its entry point: our benchmarks as tasks, our judge and rules as scorers.

Inspect imports it, which puts all of it into Inspect's registry: the tasks `normscope/cfsafety`,
`normscope/ci_vignettes_coppa` …, the scorers `normscope/normscope_judge` and
`normscope/normscope_answer`, the metric `normscope/interval`. Without Inspect nothing happens.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...api.judge import BENCHMARK, Judge
from ...builders.registry import benchmark, benchmarks
from ...errors import UsageError
from ...judges.batching import Batcher, Judgements
from ...judges.judge import Pair
from ...judges.respondent import ACCEPTABILITY, OPTION, RULES, read_text
from ...judges.rubric import Rubric
from ...languages import language_code
from ...metrics.rates import mean as mean_of
from ...metrics.registry import measures_of
from ...pipeline.importing.inspect_log import answer_of, said
from ...pipeline.judged_rows import defaults_of, pair_of
from ...pipeline.requested import choose, requested, requested_benchmarks
from ...reasons import Reason
from ...records.answered import Answered
from ...records.item import Item, Option, Turn
from ...records.judgement import Judgement
from ...records.judgements import counted_verdicts
from ...records.response import Response

_IS_THERE = find_spec("inspect_ai") is not None

# at the top and not where they are used: Inspect looks at the types of what it is given
if TYPE_CHECKING or _IS_THERE:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Metric, SampleScore, Scorer, Target, mean, metric, scorer
    from inspect_ai.scorer import Score as Scoring
    from inspect_ai.solver import TaskState, generate

_MOST_WAITING = 100_000
OPTIONS = "options"
"""The metadata in which a prompt has what can be chosen, each a letter and a text."""

_DESCRIBED = ("language", "area", "category", "source_category")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered in a sample: all that was said before, and the text.

    `failed` is why there is none.
    """

    id: str
    conversation: tuple[Turn, ...]
    text: str | None
    failed: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def prompts_of(benchmark: str, **settings: Any) -> list[dict[str, Any]]:
    """The prompts that a run with these settings would ask, as samples of a task have them."""
    config = requested({"benchmark": benchmark, **settings})
    items = choose(config, requested_benchmarks(config)).items
    if any(item.response is not None for item in items):
        raise UsageError(f"{benchmark} brings its answers along; no model is asked")
    return [
        {
            "id": ":".join(filter(None, item.key[1:])),
            "input": [turn._asdict() for turn in item.messages] or "",
            "target": item.answer or "",
            "metadata": metadata_of(item),
        }
        for item in items
    ]


def metadata_of(item: Item) -> dict[str, Any]:
    """By what a prompt is known again, its place in the taxonomy, what can be chosen.

    A facet has its own name, unless one of these is called so.
    """
    described = {name: getattr(item, name) for name in _DESCRIBED}
    described[OPTIONS] = [list(option) for option in item.options]
    slots = {**item.facets, **described, **item.key._asdict()}
    return {name: value for name, value in slots.items() if value}


def read_answer(answer: Answer, target: str, criterion: str) -> Judgement:
    """What the rule reads in the answer: an option, or a degree of acceptability."""
    if criterion not in RULES:
        names = ", ".join(RULES)
        raise UsageError(f"no rule reads {criterion!r} in an answer; the criteria are {names}")
    meta = answer.metadata
    item = Item(
        benchmark=str(meta.get("benchmark", "")),
        item_id=str(meta.get("item_id", answer.id)),
        variant_id=str(meta.get("variant_id", "")),
        scale_order=str(meta.get("scale_order", "")),
        messages=answer.conversation,
        language=language_code(str(meta.get("language") or "")),
        options=tuple(Option(*map(str, each)) for each in meta.get(OPTIONS) or ()),
        answer=target or None,
    )
    if criterion == OPTION and not item.options:
        raise UsageError(
            f"sample {answer.id} has no options to choose from: its metadata needs {OPTIONS}, "
            "pairs of letter and text"
        )
    reason = Reason.CALL_FAILED if answer.failed else None
    return read_text(item, criterion, Response.to(item, answer.text, reason=reason))


def judged_pair(answer: Answer, rubric: Rubric, *, category: str, language: str) -> Pair:
    """What a judge is asked about an answer; the metadata of these names have the two.

    Empty or missing they are the rubric's own; an unknown category is a `DataError`.
    """
    meta = answer.metadata
    chat = Answered(
        messages=answer.conversation,
        response=answer.text,
        language=language_code(str(meta.get(language) or "")),
        category=str(meta.get(category) or ""),
        failed=answer.failed is not None,
    )
    return pair_of(
        chat,
        rubric,
        defaults_of(rubric),
        benchmark=BENCHMARK,
        item_id=answer.id,
        place=f"sample {answer.id}",
    )


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a sample; `value` is NaN where it is unscored, and `explanation` says why."""

    value: float
    answer: str | None
    explanation: str | None
    metadata: dict[str, Any]


def score_of(judgement: Judgement) -> Score:
    """The judgement as a score: its value, likeliest label, and in metadata how it came about."""
    probs, reason = judgement.probs, judgement.reason
    metadata = {
        "criterion": judgement.criterion,
        "source": str(judgement.source),
        "distribution": None if probs is None else dict(zip(judgement.labels, probs, strict=True)),
        "coverage": judgement.coverage,
        "windows": judgement.windows if judgement.windows > 1 else None,
        "judge": judgement.judge,
        "rubric_hash": judgement.rubric_hash,
        "unscored": None if reason is None else str(reason),
        "whose": None if reason is None else str(Reason(reason).origin),
    }
    return Score(
        value=math.nan if judgement.value is None else judgement.value,
        answer=judgement.favourite,
        explanation=judgement.reply if reason is None else f"unscored: {reason}",
        metadata={name: value for name, value in metadata.items() if value is not None},
    )


def scores_of(judgements: Sequence[Judgement]) -> dict[str, Score]:
    """The scores of one response, by criterion; and what they make together."""
    scores = {each.criterion: score_of(each) for each in counted_verdicts(judgements)}
    for measure in measures_of(list(scores)):
        if measure.product:
            columns = [scores[name] for name in measure.criteria]
            absent = next((each for each in columns if math.isnan(each.value)), None)
            why = " × ".join(measure.criteria) if absent is None else absent.explanation
            value = math.prod(each.value for each in columns)
            scores[measure.product] = Score(value, None, why, {})
    return scores


def interval() -> "Metric":
    """The ends of the 95 % interval of the mean, `low` and `high`, over the scored.

    By Student's t over the samples, or over the prompt variants where the samples have several: the
    vignettes of a context are enumerated, and what varies is the wording. It has no ends where
    there is one of these, or no spread.
    """

    def ends(scores: "list[SampleScore]") -> Mapping[str, float]:
        values = [score.score.as_float() for score in scores]
        wordings = [(score.sample_metadata or {}).get("variant_id") or "" for score in scores]
        several = len(set(wordings)) > 1
        estimate = mean_of(values, bounds=None, clusters=wordings if several else None)
        bounds = {"low": estimate.low, "high": estimate.high}
        return {name: end for name, end in bounds.items() if end is not None}

    return ends


def normscope_judge(
    *,
    judge: str = "bundled",
    rubric: str | None = None,
    criteria: Sequence[str] | str = (),
    category: str = "category",
    language: str = "language",
) -> "Scorer":
    """A judge's reading of every criterion of a rubric, read from its probabilities.

    A score's value has a number per criterion, NaN where it is unscored, and their product where
    there are moral and rating; its metadata have the distribution, the coverage and the reason of
    each. Samples that are scored at the same time are judged together.

    Args:
        judge: A folder, a Hub id, `bundled`, `vllm:ID` or `http://HOST/v1#NAME`.
        rubric: A bundled rubric's name or a YAML file; without one that which the judge brings.
        criteria: Which of its criteria; without any all.
        category: The metadata that has the rubric's category of a sample.
        language: The metadata that has its language.
    """
    names = (criteria,) if isinstance(criteria, str) else tuple(criteria)
    used, batcher = _queue(judge, rubric, names)
    # a wrong name is said before anybody is asked
    asking = used.questions.rubric

    async def score(state: "TaskState", target: "Target") -> "Scoring":  # noqa: ARG001
        pair = judged_pair(_answer(state), asking, category=category, language=language)
        [future] = batcher.submit([pair])
        judgements: Judgements = await asyncio.wrap_future(future)
        return _several(scores_of(judgements))

    return score


def normscope_answer(criterion: str = ACCEPTABILITY) -> "Scorer":
    """What the model under test answered itself, read by a rule: a degree or an option.

    `acceptability` is −2 … +2; `option` is 1 where the sample's target was chosen. NaN is unscored:
    nothing on the scale, no answer, or an option where there is no key.
    """

    async def score(state: "TaskState", target: "Target") -> "Scoring":
        return Scoring(**asdict(score_of(read_answer(_answer(state), target.text, criterion))))

    return score


@cache
def _queue(judge: str, rubric: str | None, criteria: tuple[str, ...]) -> tuple[Judge, Batcher]:
    """The judge and its one queue, whose thread loads it when the first sample is scored."""
    used = Judge(judge, rubric=rubric, criteria=criteria, progress=False)

    def judged(pairs: Sequence[Pair]) -> list[Judgements]:
        return used.loaded.judge(pairs)

    return used, Batcher(judged, most_waiting=_MOST_WAITING)


def _answer(state: "TaskState") -> Answer:
    text, failed = answer_of(state.output)
    name = f"{state.sample_id}, epoch {state.epoch}"
    return Answer(name, said(state.messages), text, failed, state.metadata)


def _several(scores: Mapping[str, Score]) -> "Scoring":
    """The scores of all criteria as one: Inspect makes a column and a metric of each."""
    absent = {name: score for name, score in scores.items() if math.isnan(score.value)}
    return Scoring(
        value={name: score.value for name, score in scores.items()},
        answer=", ".join(f"{name} {s.answer}" for name, s in scores.items() if s.answer) or None,
        explanation="; ".join(f"{name} {s.explanation}" for name, s in absent.items()) or None,
        metadata={name: score.metadata for name, score in scores.items()},
    )


def _task_of(name: str) -> Callable[..., Any]:
    """What makes the task of a benchmark."""
    _, bench = benchmark(name)

    def make(
        *,
        limit: int | None = None,
        variants: Any = None,
        source: str | None = None,
        key: str | None = None,
        judge: str | None = None,
        rubric: str | None = None,
    ) -> Any:
        """A benchmark's prompts, its answers read by a rule or by the judge that -T judge names."""
        if bench.rubric is None:
            scores = normscope_answer(bench.criteria[0])
        elif judge is None:
            raise UsageError(
                f"{name} is read by a judge: name it with -T judge=MODEL (a folder, a Hub id, a "
                "server's address, or bundled)"
            )
        else:
            # the bundled judge brings its own rubric, and knows no other
            usual = None if judge == "bundled" else bench.rubric
            scores = normscope_judge(judge=judge, rubric=rubric or usual)
        prompts = prompts_of(name, limit=limit, variants=variants, source=source, key=key)
        samples = [Sample(**prompt) for prompt in prompts]
        dataset = MemoryDataset(samples, name=name)
        return Task(
            dataset=dataset, solver=[generate()], scorer=scores, metadata={"benchmark": name}
        )

    make.__name__ = name.replace("-", "_").replace(":", "_")
    return make


if _IS_THERE:
    interval = metric(interval)
    normscope_judge = scorer(metrics={"*": [mean(), interval()]})(normscope_judge)
    normscope_answer = scorer(metrics=[mean(), interval()])(normscope_answer)
    for benchmark_name in benchmarks():
        task(_task_of(benchmark_name))
