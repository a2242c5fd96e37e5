"""What is done of the rows of a stage, as data: so that any process can do it, on any machine.

A task names the model that is asked, and all that the result of a unit depends on beside the unit's
own inputs. It is kept as JSON.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import pyarrow as pa

from ..files import canonical_json, typed_json
from ..judges.diagnostics import priors
from ..judges.engine import Engine, LabelRequest, TextRequest
from ..judges.judge import STAGE as JUDGE
from ..judges.judge import LabelOrders, LoadedJudge, Questions
from ..judges.respondent import item_scale, labels_response
from ..judges.trust.drift import judged_fixed_answers
from ..reasons import Reason
from ..records import item as item_rows
from ..records import judgement as judgement_rows
from ..records import response as response_rows
from ..records.journal import ROW, Numbers
from ..records.judging import Judging
from ..records.model_spec import ModelSpec
from ..records.response import Response, ResponseKey
from ..records.settings import Channel
from ..records.tables import TEXT, to_columns
from .inputs import Once

RESPOND = "respond"


class Task(Protocol):
    """What is done of a stage's rows."""

    @property
    def stage(self) -> str:
        """The stage of the journal that its results are kept under."""

    @property
    def spec(self) -> ModelSpec:
        """The model that is asked."""

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """What is kept of a unit of these inputs; `row` says of which of them a row is."""


@dataclass(frozen=True, slots=True)
class RespondLabels:
    """The model under test is asked how probable each label is: its inputs have a `criterion`."""

    spec: ModelSpec
    kind: Literal["respond:labels"] = "respond:labels"

    @property
    def stage(self) -> str:
        """The stage of the journal."""
        return self.kind

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """A response for each row."""
        items = item_rows.from_table(inputs)
        criteria = inputs["criterion"].to_pylist()
        scales = [item_scale(*each) for each in zip(items, criteria, strict=True)]
        requests = [
            LabelRequest(conversation=item.messages, scale=scale)
            for item, scale in zip(items, scales, strict=True)
        ]
        responses = [
            labels_response(ResponseKey(*item.key, model=engine.name), scale, result)
            for item, scale, result in zip(items, scales, engine.labels(requests), strict=True)
        ]
        return of_rows(response_rows.to_table(responses), range(len(responses)))


@dataclass(frozen=True, slots=True)
class RespondTexts:
    """The model under test writes: its inputs have a `sample`, a `temperature` and a `seed`."""

    spec: ModelSpec
    max_new_tokens: int
    kind: Literal["respond:texts"] = "respond:texts"

    @property
    def stage(self) -> str:
        """The stage of the journal."""
        return self.kind

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """A response for each row."""
        items = item_rows.from_table(inputs)
        samples, temperatures, seeds = (
            inputs[name].to_pylist() for name in ("sample", "temperature", "seed")
        )
        requests = [
            TextRequest(item.messages, self.max_new_tokens, temperature, seed)
            for item, temperature, seed in zip(items, temperatures, seeds, strict=True)
        ]
        results = engine.texts(requests)
        keys = [
            ResponseKey(*item.key, sample, temperature, engine.name)
            for item, sample, temperature in zip(items, samples, temperatures, strict=True)
        ]
        responses = [
            Response(key, text=result.text, reason=result.reason)
            for key, result in zip(keys, results, strict=True)
        ]
        return of_rows(response_rows.to_table(responses), range(len(responses)))


@dataclass(frozen=True, slots=True)
class JudgeResponses:
    """A judge is asked about responses: its inputs are items with their responses."""

    spec: ModelSpec
    questions: Mapping[str, Questions]
    min_coverage: float
    label_orders: LabelOrders
    channels: tuple[Channel, ...]
    stage: str = JUDGE
    kind: Literal["judge"] = "judge"

    def judge(self, engine: Engine) -> LoadedJudge:
        """The judge with its engine."""
        return LoadedJudge(
            engine, self.questions, self.min_coverage, self.label_orders, self.channels
        )

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """The judgements of each row, and beside them the shift by the order of labels."""
        pairs = zip(item_rows.from_table(inputs), response_rows.from_table(inputs), strict=True)
        judged = self.judge(engine).judge([*pairs])
        every = [each for several in judged for each in several]
        table = to_columns(every, WITH_SHIFT)
        return of_rows(table, np.repeat(np.arange(len(judged)), [*map(len, judged)]))


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """A judge is asked what needs no response: its prior over the labels, and the fixed answers.

    The inputs of its one row are the items in whose categories and languages it is asked. The fixed
    answers may be left out, as where a file is judged.
    """

    of: JudgeResponses
    fixed_answers: bool = True
    kind: Literal["facts"] = "facts"
    FACTS: ClassVar[tuple[str, ...]] = ("priors", "fixed_answers")

    @property
    def stage(self) -> str:
        """The stage of the journal."""
        return f"{self.of.stage}:facts"

    @property
    def spec(self) -> ModelSpec:
        """The judge."""
        return self.of.spec

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """One row of facts, as JSON."""
        judge = self.of.judge(engine)
        judging = Judging(
            priors=priors(judge, item_rows.from_table(Once.items_of(inputs))),
            fixed_answers=judged_fixed_answers(judge, engine.identity)
            if self.fixed_answers
            else (),
        )
        values = asdict(judging)
        facts = {name: values[name] for name in self.FACTS}
        reason = Reason.CALL_FAILED if judging.failed else None
        table = pa.table({"facts": [canonical_json(facts)], "reason": pa.array([reason], TEXT)})
        return of_rows(table, [0])


WITH_SHIFT = judgement_rows.SCHEMA.append(pa.field("order_shift", pa.float64()))
"""The columns of judgements as they are kept in a journal."""


def of_rows(table: pa.Table, rows: Sequence[int] | Numbers) -> pa.Table:
    """The table with a column that says of which of a unit's inputs each row is."""
    return table.append_column(ROW, pa.array(rows, pa.int32()))


AnyTask = RespondLabels | RespondTexts | JudgeResponses | JudgeFacts


def task_json(task: AnyTask) -> dict[str, Any]:
    """The task as JSON values."""
    from pydantic import TypeAdapter

    values: dict[str, Any] = TypeAdapter(type(task)).dump_python(task, mode="json")
    return values


def task_of(values: Mapping[str, Any]) -> AnyTask:
    """The task of its JSON values."""
    task: AnyTask = typed_json(AnyTask, json.dumps(values))  # type: ignore[arg-type]
    return task
