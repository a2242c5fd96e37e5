"""Which rubric asks about each benchmark of a run: its own, or one that can take its place."""

from collections.abc import Iterable

from ..config import RunConfig
from ..datasets_builders.builder import Benchmark
from ..datasets_builders.item import Item
from ..datasets_builders.registry import benchmark
from ..errors import UsageError
from ..judges import bundled
from ..judges.rubric import Rubric, rubric
from .bench import Panel, panel


def panels(
    benchmarks: Iterable[str], items: Iterable[Item], *, instead: str | None = None
) -> dict[str, Panel]:
    """What is asked about each benchmark that has a judge; `instead` names another rubric.

    Another rubric must know the categories of the items, if it has any, and ask for the benchmark's
    heads with the same values, read in the same way: what scores them relies on it.
    """
    judged = [b for b in (benchmark(name)[1] for name in benchmarks) if b.rubric is not None]
    if instead is None:
        return {b.name: panel(rubric(b.rubric), b.heads) for b in judged if b.rubric is not None}
    if not judged:
        raise UsageError(
            f"the rubric {instead!r} has nothing to ask: {', '.join(benchmarks)} is answered by "
            "the model under test itself; leave --rubric out"
        )
    used, every = rubric(instead), list(items)
    for bench in judged:
        _check(used, bench, every)
    return {bench.name: panel(used, bench.heads) for bench in judged}


def rubric_for(asked: RunConfig) -> str | None:
    """The rubric that takes the place of the benchmarks' own: the one named, or the judge's own.

    The bundled judge knows the wording that it was trained on, and no other.
    """
    own = asked.judge is not None and asked.judge.model == bundled.NAME
    return asked.rubric or (bundled.NAME if own else None)


def _check(used: Rubric, bench: Benchmark, items: list[Item]) -> None:
    """Refuses a rubric that cannot take the place of the benchmark's own."""
    told = f"rubric {used.name!r} cannot take the place of {bench.rubric!r} for {bench.name}"
    missing = [head for head in bench.heads if head not in used.heads]
    if missing:
        raise UsageError(
            f"{told}: it has no head {', '.join(missing)} (its heads: {', '.join(used.heads)}); "
            "name the heads as the benchmark does, or judge each benchmark in a run of its own "
            "(`normscope judge RUN --out NEW`)"
        )
    own = rubric(bench.rubric or "")
    for head in bench.heads:
        was, now = own.heads[head], used.heads[head]
        if (sorted(was.scale.values), was.read) != (sorted(now.scale.values), now.read):
            raise UsageError(
                f"{told}: head {head!r} has the values {_said(now.scale.values)} read as their "
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
