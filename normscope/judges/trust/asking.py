"""A judge asked about answers that a check has made: journalled, behind a progress bar."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...builders.registry import benchmark
from ...builders.slice import balanced
from ...packages import packages
from ...records.item import Item
from ...records.journal import Journal
from ...records.response import Response
from ...records.settings import Settings
from ...records.units import journal_of
from ..engine import Engine
from ..judge import LabelOrders, LoadedJudge, Questions, Work
from ..rubric import Rubric
from .answers import JudgedAnswer, outcomes_of

GivenAnswer = tuple[Item, str]
"""An item and an answer to it that the judge is asked about."""


@dataclass(frozen=True, slots=True)
class CheckedJudge:
    """A judge under a rubric. `config` says how it is asked: coverage, orders, items per unit."""

    engine: Engine
    rubric: Rubric
    config: Settings
    journal: Journal

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What it judges answers by."""
        return outcomes_of(self.rubric.criteria)

    def judge(
        self,
        stage: str,
        answers: Sequence[GivenAnswer],
        *,
        label_orders: LabelOrders | None = None,
    ) -> list[JudgedAnswer]:
        """How each is judged, from the journal's stage where it was done before.

        The labels are listed as the judge is asked for elsewhere, unless `label_orders` says how.
        """
        # the answers keep their own category: only the question about them falls back
        pairs = [
            (fit(item, self.rubric), Response.to(fit(item, self.rubric), text))
            for item, text in answers
        ]
        judge = LoadedJudge(
            self.engine,
            dict.fromkeys((item.benchmark for item, _ in answers), Questions.of(self.rubric)),
            self.config.min_coverage,
            label_orders or self.config.label_orders,
        )
        judged = judge.judge(pairs, Work(self.journal, stage, self.config.unit_items))
        return [
            JudgedAnswer(item, {each.criterion: each for each in several}, text)
            for (item, text), several in zip(answers, judged, strict=True)
        ]


@contextmanager
def checked_judge(
    engine: Engine, rubric: Rubric, config: Settings, folder: Path, **settings: Any
) -> Iterator[CheckedJudge]:
    """The judge with a journal in the folder, named by all that the results of a check depend on.

    `settings` are those of the check itself.
    """
    task = {
        "judge": engine.identity,
        "rubric": rubric.hash,
        "min_coverage": config.min_coverage,
        "label_orders": config.label_orders,
        "unit_items": config.unit_items,
        "packages": packages(),
        **settings,
    }
    folder.mkdir(parents=True, exist_ok=True)
    with journal_of(task, folder) as journal:
        yield CheckedJudge(engine, rubric, config, journal)


def fit(item: Item, rubric: Rubric) -> Item:
    """The item in a category that the rubric knows."""
    return replace(item, category=rubric.category_for(item.category))


def graded_answers(
    limit: int | None, *, keep: Callable[[Item], bool] | None = None
) -> list[GivenAnswer]:
    """A balanced part of the graded set: our own answers of intended grades, in zh and en."""
    builder, config = benchmark("safety-gradient")
    items = config.items(builder.tables(None)[config.config])
    items = [item for item in items if keep is None or keep(item)]
    if limit is not None:
        items = balanced(items, limit)
    return [(item, item.response or "") for item in items]
