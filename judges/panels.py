"""Which rubric asks about each benchmark of a run: its own, or one that can take its place."""

from collections.abc import Iterable

from ..datasets_builders.builder import Benchmark
from ..datasets_builders.registry import benchmark
from ..errors import UsageError
from ..records.config import RunConfig
from ..records.item import Item
from . import bundled
from .judge import Questions
from .model_folder import RUBRIC, brought_rubric
from .rubric import Rubric, rubric

USUAL = "cfsafety"
"""The rubric of verbs that ask a judge about no benchmark (probes, the Space) and name none."""


def panels(
    benchmarks: Iterable[str], items: Iterable[Item], asked: RunConfig
) -> dict[str, Questions]:
    """What is asked about each benchmark that has a judge.

    Another rubric than the benchmark's own (`rubric_for`) must know the categories of the items, if
    it has any, and ask for the benchmark's criteria with the same values, read in the same way:
    what scores them relies on it.
    """
    judged = [b for b in (benchmark(name)[1] for name in benchmarks) if b.rubric is not None]
    if not judged and asked.rubric is not None:
        raise UsageError(
            f"the rubric {asked.rubric!r} has nothing to ask: {', '.join(benchmarks)} is answered "
            "by the model under test itself; leave --rubric out"
        )
    if not judged:
        return {}
    used, every = rubric_for(asked), list(items)
    if used is None:
        return {
            b.name: Questions.of(rubric(b.rubric), b.criteria)
            for b in judged
            if b.rubric is not None
        }
    for bench in judged:
        _check(used, bench, every)
    return {bench.name: Questions.of(used, bench.criteria) for bench in judged}


def rubric_for(asked: RunConfig, *, flag: str = "--rubric") -> Rubric | None:
    """The rubric that is asked for: the one named, or the one that the judge brings.

    A judge that brings a rubric knows no other wording: another one named is refused. Null where
    neither is there: a benchmark's own rubric, or the verb's usual one, holds. `flag` is the one by
    which the rubric was named.
    """
    brought = None if asked.judge is None else brought_rubric(asked.judge)
    if asked.rubric is None:
        return brought
    named = rubric(asked.rubric)
    if brought is not None and asked.judge is not None and named.hash != brought.hash:
        judge = asked.judge.model
        by_name = bundled.NAME if judge == bundled.NAME else f"{judge}/{RUBRIC}"
        raise UsageError(
            f"the judge {judge!r} cannot be asked under the rubric {asked.rubric!r}: it was made "
            f"for the wording of the rubric that it brings, {brought.name!r}. Leave {flag} out "
            f"(where a run's settings name one: --rubric {by_name}), or name another judge"
        )
    return named


def _check(used: Rubric, bench: Benchmark, items: list[Item]) -> None:
    """Refuses a rubric that cannot take the place of the benchmark's own."""
    told = f"rubric {used.name!r} cannot take the place of {bench.rubric!r} for {bench.name}"
    missing = [criterion for criterion in bench.criteria if criterion not in used.criteria]
    if missing:
        raise UsageError(
            f"{told}: it has no criterion {', '.join(missing)} "
            f"(its criteria: {', '.join(used.criteria)}); "
            "name the criteria as the benchmark does, or judge each benchmark in a run of its own "
            "(`normscope judge RUN --out NEW`)"
        )
    own = rubric(bench.rubric or "")
    for criterion in bench.criteria:
        was, now = own.criteria[criterion], used.criteria[criterion]
        if (sorted(was.scale.values), was.read) != (sorted(now.scale.values), now.read):
            raise UsageError(
                f"{told}: criterion {criterion!r} has the values {_said(now.scale.values)} read as "
                f"their "
                f"{now.read}, and what scores it needs {_said(was.scale.values)} read as their "
                f"{was.read}"
            )
    asked = dict.fromkeys(item.category for item in items if item.benchmark == bench.name)
    unknown = [category for category in asked if category not in used.categories]
    # a rubric without categories takes any
    if used.categories and unknown:
        raise UsageError(
            f"{told}: it does not know {len(unknown)} of the {len(asked)} categories that were "
            f"asked ({', '.join(unknown[:5])}{' …' if len(unknown) > 5 else ''}); "  # noqa: PLR2004
            "add them under `categories`"
        )


def _said(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
