"""What is done of the rows of a stage, as data: so that any process can do it, on any machine.

A task names the model that is asked, and all that the result of a unit depends on beside the unit's
own inputs. Its `stage` is the one of the journal under which its results stand; it is kept as JSON.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import pyarrow as pa

from ..files import canonical_json
from ..judges.diagnostics import priors
from ..judges.engine import Engine, LabelRequest, TextRequest
from ..judges.judge import LabelOrders, LoadedJudge, Questions, judged_table
from ..judges.respondent import item_scale, labels_response
from ..judges.trust.drift import judged_fixed_answers
from ..reasons import Reason
from ..records import item as item_rows
from ..records import response as response_rows
from ..records.item import Item
from ..records.journal import ROW
from ..records.judging import Judging
from ..records.model_spec import ModelSpec
from ..records.response import Response, ResponseKey
from ..records.settings import Channel
from ..records.tables import TEXT


@dataclass(frozen=True, slots=True)
class RespondLabels:
    """The model under test is asked how probable each label is: its inputs have a `criterion`."""

    spec: ModelSpec
    stage: Literal["respond:labels"] = "respond:labels"

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """A response for each row."""
        items = item_rows.from_table(inputs)
        scales = [*map(item_scale, items, inputs["criterion"].to_pylist())]
        requests = [
            LabelRequest(conversation=item.messages, scale=scale)
            for item, scale in zip(items, scales, strict=True)
        ]
        return _one_each(
            labels_response(ResponseKey(*item.key, model=engine.name), scale, result)
            for item, scale, result in zip(items, scales, engine.labels(requests), strict=True)
        )


@dataclass(frozen=True, slots=True)
class RespondTexts:
    """The model under test writes: its inputs have a `sample`, a `temperature` and a `seed`."""

    spec: ModelSpec
    max_new_tokens: int
    stage: Literal["respond:texts"] = "respond:texts"

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """A response for each row."""
        items = item_rows.from_table(inputs)
        drawn = inputs.select(["sample", "temperature", "seed"]).to_pylist()
        requests = [
            TextRequest(item.messages, self.max_new_tokens, how["temperature"], how["seed"])
            for item, how in zip(items, drawn, strict=True)
        ]
        results = engine.texts(requests)
        return _one_each(
            Response(
                ResponseKey(*item.key, how["sample"], how["temperature"], engine.name),
                text=result.text,
                reason=result.reason,
            )
            for item, how, result in zip(items, drawn, results, strict=True)
        )


@dataclass(frozen=True, slots=True)
class JudgeResponses:
    """A judge is asked about responses: its inputs are items with their responses."""

    spec: ModelSpec
    questions: Mapping[str, Questions]
    min_coverage: float
    label_orders: LabelOrders
    channels: tuple[Channel, ...]
    stage: Literal["judge"] = "judge"

    def judge(self, engine: Engine) -> LoadedJudge:
        """The judge with its engine."""
        return LoadedJudge(
            engine, self.questions, self.min_coverage, self.label_orders, self.channels
        )

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """The judgements of each row, and beside them the shift by the order of labels."""
        pairs = zip(item_rows.from_table(inputs), response_rows.from_table(inputs), strict=True)
        return judged_table(self.judge(engine).judge([*pairs]))


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """A judge is asked what needs no response: its prior over the labels, and the fixed answers.

    It is asked in the categories and languages of the `items`, and its one row has no inputs. The
    fixed answers may be left out, as where a file is judged.
    """

    of: JudgeResponses
    items: tuple[Item, ...]
    fixed_answers: bool = True
    stage: Literal["judge:facts"] = "judge:facts"

    @property
    def spec(self) -> ModelSpec:
        """The judge."""
        return self.of.spec

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:  # noqa: ARG002
        """One row of facts, as JSON."""
        judge = self.of.judge(engine)
        fixed = judged_fixed_answers(judge, engine.identity) if self.fixed_answers else ()
        judging = Judging(priors=priors(judge, self.items), fixed_answers=fixed)
        values = asdict(judging)
        facts = canonical_json({name: values[name] for name in ("priors", "fixed_answers")})
        reason = Reason.CALL_FAILED if judging.failed else None
        columns = {"facts": [facts], "reason": pa.array([reason], TEXT), ROW: [0]}
        return pa.table(columns)


AnyTask = RespondLabels | RespondTexts | JudgeResponses | JudgeFacts


def _one_each(responses: Iterable[Response]) -> pa.Table:
    """The responses to a unit's inputs, one to each."""
    table = response_rows.to_table([*responses])
    return table.append_column(ROW, pa.array(range(len(table)), pa.int32()))
