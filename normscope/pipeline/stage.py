"""A stage: what is done of its rows, as data, so that any process can do it, on any machine.

A task names the model that is asked, and all that the result of a unit depends on beside the unit's
own inputs. Its `stage` is the one of the journal under which its results stand.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

import pyarrow as pa

from ..errors import RunError
from ..extras import packages
from ..files import canonical_json, typed
from ..judges.engine import Engine, LabelRequest, TextRequest
from ..judges.judge import LabelOrders, LoadedJudge, judged_table
from ..judges.respondent import item_scale, labels_response
from ..judges.rubric import Questions
from ..judges.trust.drift import judged_fixed_answers
from ..progress import to_stderr
from ..reasons import Reason
from ..records import response
from ..records.folder import RunFolder
from ..records.item import Item
from ..records.journal import ROW, Journal, Unit
from ..records.judging import Judging
from ..records.model_spec import ModelSpec
from ..records.reproduction import serving_notes
from ..records.response import Response, ResponseKey
from ..records.settings import Channel
from ..records.tables import TEXT, from_table, to_table
from .inputs import Units


@dataclass(frozen=True, slots=True)
class RespondLabels:
    """The model under test is asked how probable each label is: its inputs have a `criterion`."""

    spec: ModelSpec
    stage: Literal["respond:labels"] = "respond:labels"

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """A response for each row."""
        items = from_table(inputs, Item)
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
        items = from_table(inputs, Item)
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
        pairs = zip(from_table(inputs, Item), from_table(inputs, Response), strict=True)
        return judged_table(self.judge(engine).judge([*pairs]))


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """A judge is asked what needs no response of the run: the fixed answers. One row, no inputs."""

    of: JudgeResponses
    stage: Literal["judge:facts"] = "judge:facts"

    @property
    def spec(self) -> ModelSpec:
        """The judge."""
        return self.of.spec

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:  # noqa: ARG002
        """One row of facts, as JSON."""
        judge = self.of.judge(engine)
        judging = Judging(fixed_answers=judged_fixed_answers(judge, engine.identity))
        reason = Reason.CALL_FAILED if judging.failed else None
        columns = {
            "facts": [canonical_json(asdict(judging))],
            "reason": pa.array([reason], TEXT),
            ROW: [0],
        }
        return pa.table(columns)


AnyTask = RespondLabels | RespondTexts | JudgeResponses | JudgeFacts

LoadEngine = Callable[[ModelSpec], Engine]


@dataclass(frozen=True, slots=True)
class StageWork:
    """All that is to be done in a stage: what, of how many rows, and in which units."""

    task: AnyTask
    rows: int
    units: Units

    def planned(self, journal: Journal) -> Iterator[Unit]:
        """Its units, in the order in which the journal has them if it was planned before."""
        return self.units(journal.order(self.task.stage, self.rows))

    @property
    def label(self) -> str:
        """What the progress bar is called."""
        name, _, channel = self.task.stage.partition(":")
        return f"{name} ({channel})" if channel else name


class Workers(Protocol):
    """What does units of work. An error of theirs ends the stage; what is done is kept."""

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine of the model, at least its name and identity."""

    def work(self, work: StageWork, engine: Engine, journal: Journal) -> None:
        """Has every row of the work done and kept in the journal."""


def worked_off(
    workers: Workers, work: StageWork, engine: Engine, journal: Journal
) -> Iterator[pa.Table]:
    """What came out of each unit, done now or taken from the journal."""
    workers.work(work, engine, journal)
    return journal.tables(work.task.stage)


def end_stage(run: RunFolder, stage: str, engine: Engine | None) -> None:
    """Seals what the stage has written, and says where a server was not one model all the time."""
    run.seal(stage, served=run.journal.served(stage) if engine else ())
    for note in serving_notes(run.config.provenance, of=[stage]):
        to_stderr(f"warning: {note}")


@dataclass(frozen=True, slots=True)
class Order:
    """What another process is told of a stage, as JSON values.

    `identity` and `packages` are the first process's engine and versions: with others, a unit would
    not come out as that one would have done it.
    """

    task: Mapping[str, Any]
    identity: Mapping[str, Any]
    packages: Mapping[str, str]

    @classmethod
    def of(cls, work: StageWork, engine: Engine) -> "Order":
        """What the process with this engine tells of the work."""
        return cls(asdict(work.task), engine.identity, packages())

    def taken(self, load: LoadEngine) -> tuple[AnyTask, Engine]:
        """The task, and the engine, which does as the first process's would.

        A `RunError` where it would not.
        """
        # a driver that only leads may lack some, and a build for a CPU has another name
        here, there = (
            {name: version.partition("+")[0] for name, version in of.items()}
            for of in (packages(), self.packages)
        )
        both = here.keys() & there.keys()
        if told := _differences(here, there, both):
            raise RunError(
                f"this process has other versions than the first one ({told}): install the same "
                "on every machine"
            )
        # read only here: another version may have other fields
        task: AnyTask = typed(AnyTask, self.task)  # type: ignore[arg-type]  # a union is a type
        engine = load(task.spec)
        if told := _differences(engine.identity, self.identity, {*engine.identity, *self.identity}):
            raise RunError(
                f"this process would compute otherwise than the first one ({told}): give every "
                "process the same kind of device, model files and settings"
            )
        return task, engine


def _one_each(responses: Iterable[Response]) -> pa.Table:
    """The responses to a unit's inputs, one to each."""
    table = to_table(responses, response.SCHEMA)
    return table.append_column(ROW, pa.array(range(len(table)), pa.int32()))


def _differences(here: Mapping[str, Any], there: Mapping[str, Any], names: set[str]) -> str:
    return ", ".join(
        f"{name}: {h} here, {t} there"
        for name in sorted(names)
        for h, t in [(here.get(name), there.get(name))]
        # as JSON, in which a tuple is a list
        if canonical_json(h) != canonical_json(t)
    )
