"""Which rubric asks about each benchmark of a run: its own, or one that can take its place.

Another is named by the user, or brought by the judge.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from ..errors import UsageError
from ..records.item import Item
from ..records.model_spec import ModelSpec
from ..records.settings import Settings
from . import bundled
from .guard_files import GUARD, known_guard
from .model_folder import RUBRIC, brought_file, hub_file
from .rubric import Criterion, Questions, Rubric
from .rubric_files import bundled_rubrics, load_rubric, rubric

USUAL = "cfsafety"
"""The rubric of verbs that ask a judge about no benchmark (probes, the Space) and name none."""


class Judged(Protocol):
    """What is to be known of a benchmark to judge it: of one to be asked, or as a run noted it."""

    @property
    def rubric(self) -> str | None:
        """The name of its own rubric; null where the model under test answers the criteria."""
        ...

    @property
    def criteria(self) -> tuple[str, ...]:
        """The questions about each item."""
        ...


def questions_for(
    benchmarks: Mapping[str, Judged], items: Iterable[Item], config: Settings
) -> dict[str, Questions]:
    """What is asked about each benchmark that has a judge.

    Another rubric than the benchmark's own (`rubric_for`) must know the categories of the items, if
    it has any. Asked are the benchmark's criteria, if it has them, all with the same values and
    read in the same way, since what scores them relies on it, and those that it alone has.
    """
    judged = {name: each for name, each in benchmarks.items() if each.rubric is not None}
    if not judged and config.rubric is not None:
        raise UsageError(
            f"the rubric {config.rubric!r} has nothing to ask: {', '.join(benchmarks)} is answered "
            "by the model under test itself; leave --rubric out"
        )
    if not judged:
        return {}
    chosen, listed = rubric_for(config), list(items)
    if chosen is None:
        return {
            name: Questions.of(rubric(each.rubric), each.criteria)
            for name, each in judged.items()
            if each.rubric is not None
        }
    criteria = own_criteria(chosen)
    if chosen.guard is not None:
        # what a guard does not say is not made up: a run with it has the criteria that it has
        return {name: Questions.of(chosen) for name in judged}
    result = {}
    for name, each in judged.items():
        has_any = any(criterion in chosen.criteria for criterion in each.criteria)
        # with criteria of its own alone there is nothing that the benchmark's scores rely on
        needed = each.criteria if has_any or not criteria else ()
        _check(chosen, name, each, needed, listed)
        result[name] = Questions.of(chosen, (*needed, *criteria))
    return result


def own_criteria(used: Rubric) -> tuple[str, ...]:
    """The rubric's criteria that no bundled one has: the benchmarks' own are all among those.

    >>> own_criteria(rubric("cfsafety"))
    ()
    """
    criteria = {name for bundled_one in bundled_rubrics() for name in rubric(bundled_one).criteria}
    return tuple(name for name in used.criteria if name not in criteria)


def is_usual(name: str, criterion: Criterion) -> bool:
    """Whether a criterion has the values of a bundled one of its name, and is read as that one is.

    What scores a benchmark relies on both.

    >>> is_usual("refusal", rubric("cfsafety").criteria["refusal"])
    True
    """
    if name in _OF_GUARDS:
        return _read(criterion) == _OF_GUARDS[name]
    usual = (rubric(bundled_one).criteria.get(name) for bundled_one in bundled_rubrics())
    return any(each is not None and _read(each) == _read(criterion) for each in usual)


def rubric_for(config: Settings) -> Rubric | None:
    """The rubric that is asked for: the one named, or the one that the judge brings.

    A judge that brings a rubric knows no other wording: another one named is refused. Null where
    neither is there: a benchmark's own rubric, or the verb's usual one, holds.
    """
    named = None if config.rubric is None else rubric(config.rubric)
    return named if config.judge is None else fitting(config.judge, named)


def fitting(judge: ModelSpec, named: Rubric | None) -> Rubric | None:
    """The rubric of this judge: the one that it brings, else the one named, if there is one."""
    brought = brought_rubric(judge)
    # a guard's file, or a variant of it, may be named for weights that are called otherwise
    if named is None or brought is None or (named.guard and brought.guard):
        return named or brought
    if named.hash != brought.hash:
        by_name = bundled.NAME if judge.model == bundled.NAME else f"{judge.model}/{RUBRIC}"
        raise UsageError(
            f"the judge {judge.model!r} cannot be asked under the rubric {named.name!r}: it was "
            f"made for the wording of the rubric that it brings, {brought.name!r}. Leave --rubric "
            f"out (where a run's settings name one: --rubric {by_name}), or name another judge"
        )
    return named


def brought_rubric(judge: ModelSpec) -> Rubric | None:
    """The rubric that the judge brings, null if it can be asked under any.

    A judge that was trained in one wording knows no other. Such a judge brings its rubric: the file
    `rubric.yaml` in its folder, or in its repository on the Hub. A guard is known by its name, or
    brings the file `guard.yaml`.
    """
    path = brought_file(judge, RUBRIC) or brought_file(judge, GUARD)
    if path is None and (guard := known_guard(judge)) is not None:
        return guard
    path = path or hub_file(judge, RUBRIC, GUARD)
    return None if path is None else load_rubric(path)


def _check(
    used: Rubric, name: str, judged: Judged, needed: Iterable[str], items: list[Item]
) -> None:
    """Refuses a rubric that cannot take the place of the benchmark's own."""
    refusal = f"rubric {used.name!r} cannot take the place of {judged.rubric!r} for {name}"
    missing = [criterion for criterion in needed if criterion not in used.criteria]
    if missing:
        raise UsageError(
            f"{refusal}: it has no criterion {', '.join(missing)} "
            f"(its criteria: {', '.join(used.criteria)}); "
            "name the criteria as the benchmark does, or all of them otherwise, or judge each "
            "benchmark in a run of its own (`normscope judge RUN --out NEW`)"
        )
    usual = rubric(judged.rubric or "")
    for criterion in needed:
        usual_text, used_text = (_read(source.criteria[criterion]) for source in (usual, used))
        if usual_text != used_text:
            raise UsageError(
                f"{refusal}: criterion {criterion!r} has the {used_text}, and what scores it needs "
                f"the {usual_text}; a criterion of your own has a name of its own"
            )
    categories = dict.fromkeys(item.category for item in items if item.benchmark == name)
    unknown = [category for category in categories if category not in used.categories]
    # a rubric without categories takes any
    if used.categories and unknown:
        raise UsageError(
            f"{refusal}: it does not know {len(unknown)} of the {len(categories)} categories that "
            f"were asked ({', '.join(unknown[:5])}{' …' if len(unknown) > 5 else ''}); "  # noqa: PLR2004
            "add them under `categories`"
        )


def _read(criterion: Criterion) -> str:
    values = sorted(criterion.scale.values)
    if criterion.read == "mean":
        return f"values from {values[0]:g} to {values[-1]:g} read as their mean"
    return f"values {', '.join(f'{value:g}' for value in values)} read as their mode"


_OF_GUARDS = dict.fromkeys(("refuses", "harms"), "values 0, 1 read as their mode")
