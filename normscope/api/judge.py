"""A judge in Python: a model with a rubric, called with questions and responses."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, Unpack

from ..errors import UsageError
from ..judges.engine import Engine
from ..judges.engines import checked, load
from ..judges.judge import LabelOrders, LoadedJudge, Work
from ..judges.model_folder import RUBRIC, brought_file
from ..judges.rubric import Questions, Rubric
from ..judges.rubric_choice import fitting
from ..judges.rubric_files import bundled_rubrics
from ..judges.rubric_files import rubric as load_rubric
from ..pipeline.judged_rows import assumed, defaults_of, pairs_of, rows_of, uncovered
from ..progress import hidden
from ..records.answered import ROLES
from ..records.model_spec import ModelSpec
from ..records.provenance import JudgementsProvenance, Provenance, RubricVersion
from ..records.settings import Channel, Settings
from ..yaml import convert
from .judged import Judged
from .settings import Loading, Names, listed_names

BENCHMARK = "answers"
"""What the rows are called where a benchmark's name stands."""

_ROLES = {role: role for role in ROLES}


class Judge:
    """A model that judges responses under a rubric; loaded when it is first used.

    >>> judge = Judge("bundled", criteria=["moral"])
    >>> judge.name, judge.rubric.name, list(judge.questions.criteria)
    ('bundled', 'bundled', ['moral'])
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | ModelSpec | None = None,
        *,
        engine: Engine | None = None,
        rubric: str | os.PathLike[str] | None = None,
        criteria: Names = (),
        channels: Sequence[Channel] = ("labels",),
        label_orders: LabelOrders = "given",
        min_coverage: float = 0.5,
        unit_items: int = 64,
        progress: bool = True,
        cards: str | os.PathLike[str] = "runs/cards",
        **loading: Unpack[Loading],
    ) -> None:
        """Checks what is requested; nothing is loaded yet.

        Args:
            model: A folder, a Hub id, `bundled`, `vllm:ID` or `http://HOST/v1#NAME`.
            engine: In place of a model an object that answers (docs/engines.md); its rubric has to
                be named.
            rubric: A bundled rubric's name, a YAML file or a `ns.Rubric`; without one that which
                the judge brings.
            criteria: The rubric's criteria that are asked; without any all.
            channels: How the verdict is given: by the probabilities of its labels, in text that a
                rule reads, or both.
            label_orders: `both` asks with the labels in both orders and averages.
            min_coverage: The probability mass that must lie on the scale for a value to count.
            unit_items: How many responses are judged at a time.
            progress: Whether a bar shows how far it is.
            cards: The folder with cards of judges beside those that come with Normscope.
            loading: Further settings of `ModelSpec`: `revision`, `dtype`, `device` ….

        Raises:
            UsageError: An unknown rubric, criterion or setting, with the nearest name; a rubric
                that the judge cannot be asked under.
        """
        if (model is None) == (engine is None):
            raise UsageError("name the model that judges, or give its engine: one of them")
        self._engine = None if engine is None else checked(engine)
        name = engine.name if engine is not None else model
        spec = name if isinstance(name, ModelSpec) else ModelSpec(os.fspath(name or ""))
        settings = {field.name: getattr(spec, field.name) for field in fields(spec)}
        self.spec = convert({**settings, **loading}, ModelSpec, name="Judge") if loading else spec
        path = None if rubric is None else os.fspath(rubric)
        self._named = None if path is None else load_rubric(path)
        self._criteria = listed_names(criteria)
        settings = {
            "judge": self.spec,
            "rubric": path,
            "judge_channels": listed_names(channels),
            "label_orders": label_orders,
            "min_coverage": min_coverage,
            "unit_items": unit_items,
        }
        self.config = convert(settings, Settings, name="Judge")
        self.progress = progress
        self._cards = Path(cards)
        self._lock = RLock()
        if engine is not None or brought_file(self.spec, RUBRIC) is not None:
            # what it brings is at hand: a rubric that does not go with it is refused at once
            _ = self.questions
        elif self._named is not None:
            Questions.of(self._named, self._criteria)

    def __repr__(self) -> str:
        """The call that makes it."""
        rubric = self.config.rubric
        return f"Judge({self.name!r}{'' if rubric is None else f', rubric={rubric!r}'})"

    @property
    def name(self) -> str:
        """What the model is called, as it was given."""
        return self.spec.model

    @property
    def of_run(self) -> dict[str, Any]:
        """What a run that it judges asks for, by the names of settings.

        A run asks the criteria of its benchmarks: a `UsageError` for a judge of some criteria only.
        """
        if self._engine is not None:
            raise UsageError(
                "a run notes its judge by a name under which it is loaded again: register the "
                "engine under one (docs/engines.md)"
            )
        if self._criteria:
            raise UsageError(
                "a run asks the criteria of its benchmarks, and this judge is asked "
                f"{', '.join(self._criteria)} alone: leave criteria= out"
            )
        of_judge = ("judge", "rubric", "judge_channels", "label_orders", "min_coverage")
        return {name: getattr(self.config, name) for name in of_judge}

    @cached_property
    def questions(self) -> Questions:
        """The rubric and the criteria that are asked."""
        # what an engine brings is not known
        chosen = self._named if self._engine else fitting(self.spec, self._named)
        if chosen is None:
            raise UsageError(
                f"the judge {self.name!r} brings no rubric: name one, rubric='cfsafety' "
                f"(known: {', '.join(bundled_rubrics())}) or the path of a YAML file"
            )
        return Questions.of(chosen, self._criteria)

    @property
    def rubric(self) -> Rubric:
        """The rubric: the one named, or the one that the judge brings."""
        return self.questions.rubric

    @cached_property
    def loaded(self) -> LoadedJudge:
        """The judge with its engine, loaded now if it has not been, by whichever thread is first.

        What it is asked about are items of the benchmark `BENCHMARK`.
        """
        with self._lock, hidden(not self.progress):
            # another thread may have loaded it while this one waited
            loaded: LoadedJudge | None = self.__dict__.get("loaded")
            return loaded or LoadedJudge(
                engine=self._engine or load(self.spec),
                questions={BENCHMARK: self.questions},
                min_coverage=self.config.min_coverage,
                label_orders=self.config.label_orders,
                channels=self.config.judge_channels,
            )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything about the model that can change an answer, as the engine says it."""
        return self.loaded.engine.identity

    def __call__(
        self,
        questions: Any,
        responses: Any,
        *,
        categories: Any = None,
        languages: Any = None,
        ids: Any = None,
    ) -> Judged:
        """The responses judged, a row each; calls from several threads come one after the other.

        Args:
            questions: A text or a conversation (`[{"role": "user", "content": …}, …]`), or a column
                of them: a list, or one of numpy, pandas, Arrow or `datasets`.
            responses: A text, or a column of them; a missing one (None, NaN, blank) is unscored.
            categories: The rubric's category of each, or one for all; the rubric's fallback where
                there is none.
            languages: The language of each (`zh`, `English` …), or one for all; likewise.
            ids: A name for each row, each once; without them they are numbered from 1.

        Raises:
            DataError: Columns of different lengths, or a row that cannot be judged, by its number.
            UsageError: The judge brings no rubric, and none was named.
        """
        rows = rows_of(responses, questions, categories, languages, ids)
        defaults = defaults_of(self.rubric)
        names = [row.pop("id") for row in rows]
        chats, pairs = pairs_of(rows, _ROLES, self.rubric, defaults, benchmark=BENCHMARK, ids=names)
        loaded = self.loaded
        with self._lock, hidden(not self.progress):
            judgements = tuple(loaded.judge(pairs, Work(None, unit_items=self.config.unit_items)))
        used, items = self.questions, tuple(item for item, _ in pairs)
        version = RubricVersion(
            used.hash, used.rubric.name, used.rubric.version, tuple(used.criteria)
        )
        judged_by = JudgementsProvenance(judge={**self.identity}, rubrics={BENCHMARK: version})
        return Judged(
            questions=used,
            config=replace(self.config, provenance=Provenance(judgements=judged_by)),
            items=items,
            responses=tuple(response for _, response in pairs),
            judgements=judgements,
            caveats=(
                *assumed(chats, defaults, self.rubric),
                *uncovered(items, judgements, loaded.engine, self.rubric),
            ),
            cards=self._cards,
        )
