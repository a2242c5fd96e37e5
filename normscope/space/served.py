"""The judges of the Space, loaded when first asked, each asked by one thread.

`NORMSCOPE_JUDGE` names larger judges than the bundled one, as `--judge` does, several with commas;
the bundled one stays to choose. `NORMSCOPE_RUBRIC` is the rubric of those that bring none.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from threading import Event
from typing import Any

from ..judges import bundled
from ..judges.engine import Engine
from ..judges.engines import load
from ..judges.judge import LoadedJudge, Pair
from ..judges.rubric import Questions, Rubric
from ..judges.rubric_choice import USUAL, brought_rubric, fitting
from ..judges.rubric_files import guard_prompt, rubric
from ..messages import message
from ..reasons import Reason
from ..records.item import Item, Turn
from ..records.judgement import Judgement
from ..records.model_spec import ModelSpec
from ..records.response import Response
from .texts import VisitorError

BENCHMARK = "file"
"""What the rows of visitors are called where a benchmark's name stands."""
MIN_COVERAGE = 0.5
_OF_RISK = {"moral", "rating", "refusal"}
"""Criteria that ask how an answer deals with the risk of its question."""

Load = Callable[[ModelSpec], Engine]


class ServedJudge:
    """One judge with its rubric; loaded once, by its own thread."""

    def __init__(self, model: str, rubric: Rubric, *, loading: Load = load) -> None:
        """`model` is what `--judge` takes."""
        self.name = model
        self.rubric = rubric
        self.criteria = tuple(rubric.criteria)
        self.spec = ModelSpec(model=model)
        self.is_bundled = model == bundled.NAME
        self._loading = loading
        self._judge: LoadedJudge | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge")

    @property
    def caveats(self) -> tuple[str, ...]:
        """What limits every score of this judge: the questions that its rubric is made for."""
        if self.rubric.guard or not _OF_RISK & set(self.criteria):
            return ()
        scope = message(
            "For answers to risky questions: an everyday question is outside of what the rubric "
            "asks about, and the score of its answer means nothing."
        )
        errs = message("The small bundled judge takes many harmful answers for harmless.")
        return (scope, errs) if self.is_bundled else (scope,)

    @property
    def hash(self) -> str:
        """The rubric's content hash."""
        return self.rubric.hash

    @property
    def identity(self) -> dict[str, Any]:
        """What the engine says of itself; empty before it is loaded."""
        return {} if self._judge is None else dict(self._judge.engine.identity)

    def warm(self) -> "Future[LoadedJudge]":
        """Begins to load, without waiting for it."""
        return self._thread.submit(self._loaded)

    def ask(self, pairs: Sequence[Pair], *, timeout: float) -> list[tuple[Judgement, ...]]:
        """The judgement of every criterion for each of the pairs, in their order.

        An error when there is no answer within `timeout` seconds: busy, if others came first.
        """
        begun = Event()

        def judged() -> list[tuple[Judgement, ...]]:
            begun.set()
            return self._loaded().judge(pairs)

        future = self._thread.submit(judged)
        try:
            return future.result(timeout=timeout)
        except Late:
            # what has not begun need not be done: nobody waits for it any more
            future.cancel()
            # whether it was begun tells a slow judge from a long queue
            if begun.is_set() or timeout <= 0:
                raise VisitorError(
                    "The judge did not answer within {seconds} seconds. Try a shorter answer, or "
                    "try again later.",
                    seconds=round(timeout),
                ) from None
            raise VisitorError(
                "The judge is busy with other visitors just now. Nothing is lost; please "
                "try again in a minute."
            ) from None

    def prompts(self, item: Item, answer: str) -> dict[str, str]:
        """What the judge reads for each criterion, before its own chat template goes around it."""
        if (guard := self.rubric.guard) is not None:
            turns = [*item.messages, ("assistant", answer)]
            return {criterion: guard_prompt(guard, criterion, turns) for criterion in self.criteria}
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

    def _loaded(self) -> LoadedJudge:
        if self._judge is None:
            engine = self._loading(self.spec)
            self._judge = LoadedJudge(engine, {BENCHMARK: Questions.of(self.rubric)}, MIN_COVERAGE)
        return self._judge


class Judges:
    """The judges to choose from, the default one first."""

    def __init__(self, *, loading: Load = load) -> None:
        """From the environment; nothing is loaded yet."""
        larger = [name.strip() for name in os.environ.get("NORMSCOPE_JUDGE", "").split(",")]
        larger = [name for name in larger if name]
        rubric_name = os.environ.get("NORMSCOPE_RUBRIC", "").strip() or None
        named = rubric(rubric_name) if rubric_name else None
        rubrics: dict[str, Rubric] = {}
        for name in larger:
            if name != bundled.NAME:
                brought = brought_rubric(ModelSpec(name))
                # one rubric is named for all: among several judges it is of those that bring none
                used = brought if len(larger) > 1 and brought else fitting(ModelSpec(name), named)
                rubrics[name] = used or rubric(USUAL)
        # without the larger judge the bundled one has to be there, and its absence be told
        if not larger or bundled.path().is_dir():
            rubrics[bundled.NAME] = rubric(bundled.NAME)
        self._by_name = {
            name: ServedJudge(name, used, loading=loading) for name, used in rubrics.items()
        }

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
            raise VisitorError(
                "There is no judge {name!r} here; there is: {known}.",
                name=name[:100],
                known=", ".join(self.names),
            )
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
    model: str = "",
    reason: Reason | None = None,
) -> Pair:
    """The item and the response that a judge is asked about; with a `reason` it is not asked.

    `model` is what whoever gave the answers is called.
    """
    item = Item(
        benchmark=BENCHMARK,
        item_id=str(number),
        messages=(Turn("user", question),),
        language=language,
        category=category,
    )
    return item, Response.to(item, answer, reason=reason, model=model)
