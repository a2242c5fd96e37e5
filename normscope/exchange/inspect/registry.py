"""What Inspect finds by its entry point: our benchmarks as tasks, our judge and rules as scorers.

Inspect imports it, which puts all of it into Inspect's registry: the tasks `normscope/cfsafety`,
`normscope/ci_vignettes_coppa` …, the scorers `normscope/normscope_judge` and
`normscope/normscope_answer`, the metric `normscope/interval`. Without Inspect nothing happens.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...api.judge import Judge
from ...datasets_builders.registry import benchmark, benchmarks
from ...errors import UsageError
from ...judges.batching import Batcher, Judgements
from ...judges.respondent import ACCEPTABILITY
from ...metrics.rates import mean as mean_of
from ...pipeline.importing.inspect_log import answer_of, said
from .samples import Answer, Score, judged_pair, prompts_of, read_answer, score_of, scores_of

_IS_THERE = find_spec("inspect_ai") is not None

# at the top and not where they are used: Inspect looks at the types of what it is given
if TYPE_CHECKING or _IS_THERE:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Metric, SampleScore, Scorer, Target, mean, metric, scorer
    from inspect_ai.scorer import Score as Scoring
    from inspect_ai.solver import TaskState, generate

_MOST_WAITING = 100_000
_LOCK = Lock()


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
        known = {"low": estimate.low, "high": estimate.high}
        return {name: end for name, end in known.items() if end is not None}

    return ends


def normscope_judge(
    *,
    judge: str = "bundled",
    rubric: str | None = None,
    criteria: Sequence[str] | str = (),
    category: str = "category",
    language: str = "language",
    min_coverage: float = 0.5,
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
        min_coverage: The probability mass that must lie on the scale for a value to count.
    """
    names = (criteria,) if isinstance(criteria, str) else tuple(criteria)
    used = _judge(judge, rubric, names, min_coverage)
    # a wrong name is said before anybody is asked
    asking = used.questions.rubric

    async def score(state: "TaskState", target: "Target") -> "Scoring":  # noqa: ARG001
        pair = judged_pair(_answer(state), asking, category=category, language=language)
        # in a thread: while the model is loaded, others are answered
        batcher = await asyncio.to_thread(_batcher, used)
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
        return _scoring(score_of(read_answer(_answer(state), target.text, criterion)))

    return score


@cache
def _judge(judge: str, rubric: str | None, criteria: tuple[str, ...], min_coverage: float) -> Judge:
    return Judge(judge, rubric=rubric, criteria=criteria, min_coverage=min_coverage, progress=False)


def _batcher(judge: Judge) -> Batcher:
    """The one queue of a judge, which is loaded when the first sample is scored."""
    with _LOCK:
        return _batcher_of(judge)


@cache
def _batcher_of(judge: Judge) -> Batcher:
    return Batcher(judge.loaded.judge, most_waiting=_MOST_WAITING)


def _answer(state: "TaskState") -> Answer:
    text, failed = answer_of(state.output)
    name = f"{state.sample_id}, epoch {state.epoch}"
    return Answer(name, said(state.messages), text, failed, state.metadata)


def _scoring(score: Score) -> "Scoring":
    return Scoring(**asdict(score))


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
        samples = [Sample(**asdict(prompt)) for prompt in prompts]
        dataset = MemoryDataset(samples, name=name)
        about = {"benchmark": name}
        return Task(dataset=dataset, solver=[generate()], scorer=scores, metadata=about)

    make.__name__ = name.replace("-", "_").replace(":", "_")
    return make


if _IS_THERE:
    interval = metric(interval)
    normscope_judge = scorer(metrics={"*": [mean(), interval()]})(normscope_judge)
    normscope_answer = scorer(metrics=[mean(), interval()])(normscope_answer)
    for benchmark_name in benchmarks():
        task(_task_of(benchmark_name))
