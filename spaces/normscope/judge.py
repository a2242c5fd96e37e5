"""The judges of the Space: each loaded when it is first asked, and asked by one thread at a time.

`NORMSCOPE_JUDGE` names a larger judge than the bundled one, as `--judge` does; the bundled one
stays to choose. `NORMSCOPE_RUBRIC` is the rubric that it is asked with, unless it brings one.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any

from ...judges import bundled
from ...judges.engine import Engine
from ...judges.engines import load
from ...judges.judge import Judge, Pair, Questions
from ...judges.rubric import Rubric, rubric
from ...judges.rubric_choice import USUAL, rubric_for
from ...reasons import Reason
from ...records.config import RunConfig
from ...records.item import Item, Turn
from ...records.judgement import Judgement
from ...records.model_spec import ModelSpec
from ...records.response import Response
from .words import Told
from .worker import Worker

BENCHMARK = "file"
"""What the rows of visitors are called where a benchmark's name stands."""
MIN_COVERAGE = 0.5

Load = Callable[[ModelSpec], Engine]


class ServedJudge:
    """One judge with its rubric; loaded once, by its own thread."""

    def __init__(self, model: str, used: Rubric, *, loading: Load = load) -> None:
        """`model` is what `--judge` takes."""
        self.name = model
        self.rubric = used
        self.criteria = tuple(used.criteria)
        self.spec = ModelSpec(model=model)
        self.is_bundled = model == bundled.NAME
        self._loading = loading
        self._judge: Judge | None = None
        self._identity: dict[str, Any] = {}
        self._worker = Worker("judge", too_slow="common_too_slow")

    @property
    def hash(self) -> str:
        """The rubric's content hash."""
        return self.rubric.hash

    @property
    def identity(self) -> dict[str, Any]:
        """What the engine says of itself; empty before it is loaded."""
        return self._identity

    def warm(self) -> "Future[Judge]":
        """Begins to load, without waiting for it."""
        return self._worker.begin(self._loaded)

    def ask(self, pairs: Sequence[Pair], *, timeout: float) -> list[tuple[Judgement, ...]]:
        """The judgement of every criterion for each of the pairs, in their order.

        A `Told` when there is no answer within `timeout` seconds: busy, if others came first.
        """
        return self._worker.ask(lambda: self._loaded().judge(pairs), timeout=timeout)

    def prompts(self, item: Item, answer: str) -> dict[str, str]:
        """What the judge reads for each criterion, before its own chat template goes around it."""
        return {
            criterion: self.rubric.render(
                criterion,
                category=item.category,
                language=item.language,
                conversation=item.messages,
                answer=answer,
            )
            for criterion in self.criteria
        }

    def _loaded(self) -> Judge:
        if self._judge is None:
            engine = self._loading(self.spec)
            self._judge = Judge(engine, {BENCHMARK: Questions.of(self.rubric)}, MIN_COVERAGE)
            self._identity = dict(engine.identity)
        return self._judge


class Judges:
    """The judges to choose from, the default one first."""

    def __init__(self, *, loading: Load = load) -> None:
        """From the environment; nothing is loaded yet."""
        self._by_name: dict[str, ServedJudge] = {}
        self._lock = Lock()
        asked = os.environ.get("NORMSCOPE_JUDGE", "").strip()
        named = os.environ.get("NORMSCOPE_RUBRIC", "").strip() or None
        if asked and asked != bundled.NAME:
            used = rubric_for(RunConfig(judge=ModelSpec(asked), rubric=named)) or rubric(USUAL)
            self._by_name[asked] = ServedJudge(asked, used, loading=loading)
        if not asked or bundled.path().is_dir():
            used = rubric(bundled.NAME)
            self._by_name[bundled.NAME] = ServedJudge(bundled.NAME, used, loading=loading)

    @property
    def names(self) -> tuple[str, ...]:
        """What `get` takes."""
        return tuple(self._by_name)

    @property
    def default(self) -> ServedJudge:
        """The one that is asked where none is chosen."""
        return self._by_name[self.names[0]]

    def get(self, name: str | None) -> ServedJudge:
        """The judge of that name, the default one for none."""
        if not name:
            return self.default
        if name not in self._by_name:
            raise Told("answer_no_such_judge", name=name[:100], known=", ".join(self.names))
        return self._by_name[name]

    def warm(self) -> None:
        """Begins to load the default judge."""
        self.default.warm()


def pair_of(
    number: int,
    question: str,
    answer: str | None,
    *,
    category: str,
    language: str,
    reason: Reason | None = None,
) -> Pair:
    """The item and the response that a judge is asked about; with a `reason` it is not asked."""
    item = Item(
        benchmark=BENCHMARK,
        item_id=str(number),
        messages=(Turn("user", question),),
        language=language,
        category=category,
    )
    return item, Response.to(item, answer, reason=reason, model="unknown")
