"""Prints what a run of a million rows takes beside its models: journal, merge, resume, memory.

The engine is scripted and answers at once, so that all that is left is Normscope's own: the plan of
the units, the journal, the merge into tables. Each line is a process of its own; its seconds are
those of the processor (what others do on the machine is left out), but for the last column. Answers
are 300 characters long; vignettes are asked as often as makes so many rows, and the answers that
are judged are to 25,000 questions.

    python benchmarks/scale.py --rows 1000000
"""

import argparse
import math
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa

from normscope.builders.registry import benchmark
from normscope.files import write_parquet
from normscope.judges.engine import Engine, LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.rubric_files import rubric
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.stage import StageWork
from normscope.pipeline.verify import verify
from normscope.pipeline.workers.here import Here
from normscope.progress import hidden
from normscope.records.folder import opened
from normscope.records.integrity import JOURNAL, RESPONSES
from normscope.records.item import Item, Turn
from normscope.records.journal import Journal
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.provenance import BenchmarkItems, Provenance, ResponsesProvenance
from normscope.records.response import SCHEMA
from normscope.records.settings import Settings

VIGNETTES, PROMPTS = "ci-vignettes:iot", 76_032
QUESTIONS, ASKED = "chisafetybench:qa", 25_000
LENGTH = 300
_WORDS = "".join(chr(97 + at) for at in np.random.default_rng(0).integers(0, 26, 100_000).tolist())


@dataclass(slots=True)
class Scripted:
    """An engine whose answers follow from the prompt, and take next to no time."""

    name: str = "scripted"

    @property
    def identity(self) -> dict[str, Any]:
        """Only its name."""
        return {"engine": "scripted", "model": self.name}

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """The same distribution for every prompt, the later a label the more probable."""
        return [
            LabelResult(tuple(math.log(0.9 * (k + 1) / sum(range(n + 1))) for k in range(n)))
            for request in requests
            for n in (len(request.scale.labels),)
        ]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """Letters from a place that the prompt and the seed say."""
        starts = (hash((r.conversation, r.seed)) % (len(_WORDS) - LENGTH) for r in requests)
        return [TextResult(_WORDS[start : start + LENGTH]) for start in starts]


@dataclass
class Times:
    """When the first unit could be asked and the last was done, and how long asking took."""

    began: float = field(default_factory=process_time)
    wall: float = field(default_factory=perf_counter)
    ready: float | None = None
    done: float | None = None
    asking: float = 0.0


@dataclass(frozen=True)
class Timed:
    """A task that notes how long it takes."""

    task: Any
    times: Times

    def __getattr__(self, name: str) -> Any:
        return getattr(self.task, name)

    def do(self, engine: Engine, inputs: pa.Table) -> pa.Table:
        """What the task does."""
        began = process_time()
        rows = self.task.do(engine, inputs)
        self.times.asking += process_time() - began
        return rows


class TimedHere(Here):
    """This process, with a watch."""

    def __init__(self) -> None:
        super().__init__(lambda spec: Scripted(spec.model), self._told)
        object.__setattr__(self, "times", Times())

    times: Times

    def work(self, work: StageWork, engine: Engine, journal: Journal, **asked: Any) -> None:
        """Does the units."""
        task: Any = Timed(work.task, self.times)
        super().work(replace(work, task=task), engine, journal, **asked)
        if ":facts" not in work.task.stage:
            self.times.done = process_time()

    def _told(self, **changes: object) -> None:
        # all units are planned
        if changes.get("journal") and self.times.ready is None:
            self.times.ready = process_time()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", choices=list(STEPS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        with hidden():
            STEPS[given.only](given.folder, given.rows)
        return
    print(f"{'':22}{'rows':>11}{'plan s':>9}{'ask s':>9}{'journal s':>11}{'merge s':>9}", end="")
    print(f"{'rows/s':>10}{'peak MiB':>10}{'wall s':>9}", flush=True)
    with TemporaryDirectory() as folder:
        for step in STEPS:
            command = [sys.executable, __file__, "--only", step, "--rows", str(given.rows)]
            subprocess.run([*command, "--folder", folder], check=True)


def answer(folder: Path, rows: int) -> None:
    """Every vignette in text, as often as makes so many rows."""
    samples = max(1, round(rows / PROMPTS))
    config = Settings(
        benchmark=(VIGNETTES,),
        model=ModelSpec("scripted"),
        channels=("text",),
        decoding=Decoding(temperature=1.0, samples=samples),
        # fewer than a sample of each takes fewer prompts
        limit={} if rows >= PROMPTS else {"all": max(1, rows // 11)},
    )
    timed = TimedHere()
    with opened(folder / "answered", create=True) as run:
        respond(run, config, timed)
        show("respond", run.path, timed.times, RESPONSES)


def judged(folder: Path, _: int) -> None:
    """One criterion of so many answers."""
    timed = TimedHere()
    with opened(folder / "judged") as run:
        judge(run, replace(run.config, judge=ModelSpec("judge")), timed)
        show("judge", run.path, timed.times, "judgements.parquet")


def resumed(name: str, again: Any) -> Any:
    """The step that goes on with a run whose last unit is missing."""

    def step(folder: Path, _: int) -> None:
        stage = {"answered": "respond:texts", "judged": "judge"}[name]
        with sqlite3.connect(folder / name / JOURNAL) as journal:
            lost = "delete from unit where stage = ?1 and id = (select max(id) from unit)"
            journal.execute(lost, (stage,))
        timed = TimedHere()
        with opened(folder / name) as run:
            again(run, run.config, timed)
            table = {"answered": RESPONSES, "judged": "judgements.parquet"}[name]
            show(f"{again.__name__}, resumed", run.path, timed.times, table)

    return step


def verified(name: str) -> Any:
    """The step that verifies a run."""

    def step(folder: Path, _: int) -> None:
        times = Times()
        result = verify(folder / name)
        rows = sum(stage.rows_done for stage in result.stages)
        seconds = process_time() - times.began
        print(f"{f'verify ({name})':22}{rows:>11,}{seconds:>9.1f}{'':>29}", end="")
        _tail(rows / seconds, times)

    return step


def show(label: str, run: Path, times: Times, table: str) -> None:
    """Prints the line of a stage: rows, times, rows per second of journal and merge, memory."""
    end = process_time()
    rows = pa.parquet.read_metadata(run / table).num_rows
    ready, done = times.ready or end, times.done or end
    journal, merge = done - ready - times.asking, end - done
    print(f"{label:22}{rows:>11,}{ready - times.began:>9.1f}{times.asking:>9.1f}", end="")
    print(f"{journal:>11.1f}{merge:>9.1f}", end="")
    _tail(rows / (journal + merge), times)


def _tail(rate: float, times: Times) -> None:
    """The rows per second, the most memory that this process has had, and the clock's seconds."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{rate:>10,.0f}{peak:>10,.0f}{perf_counter() - times.wall:>9.1f}", flush=True)


def write_answers(folder: Path, rows: int) -> None:
    """A sealed run of so many answers to 25,000 questions, whose making is not measured."""
    path = folder / "judged"
    categories = list(rubric("chisafetybench").categories)
    count = min(ASKED, rows)
    items = [
        Item(
            benchmark=QUESTIONS,
            item_id=f"q{at}",
            messages=(Turn("user", f"Question {at} of some length, asked in a few words?"),),
            language="zh",
            category=categories[at % len(categories)],
        )
        for at in range(count)
    ]
    taken = BenchmarkItems(
        rubric=benchmark(QUESTIONS)[1].rubric,
        criteria=("refusal",),
        metrics=benchmark(QUESTIONS)[1].metrics,
        items=count,
        items_in_dataset=count,
    )
    samples = math.ceil(rows / count)
    n, random = samples * count, np.random.default_rng(0)
    texts = [_WORDS[at : at + LENGTH] for at in random.integers(0, len(_WORDS) - LENGTH, n)]
    columns = {
        "benchmark": pa.repeat(QUESTIONS, n),
        "item_id": pa.array([item.item_id for item in items]).take(
            pa.array(np.repeat(np.arange(count), samples))
        ),
        "variant_id": pa.repeat("", n),
        "scale_order": pa.repeat("", n),
        "sample": pa.array(np.tile(np.arange(samples, dtype=np.int32), count)),
        "temperature": pa.repeat(1.0, n),
        "model": pa.repeat("scripted", n),
        "text": pa.array(texts),
    }
    table = pa.table(
        [columns.get(each.name, pa.nulls(n, each.type)) for each in SCHEMA], schema=SCHEMA
    )
    with opened(path, create=True) as run:
        run.write_items(items)
        write_parquet(path / RESPONSES, table)
        run.config = Settings(
            benchmark=(QUESTIONS,),
            model=ModelSpec("scripted"),
            decoding=Decoding(temperature=1.0, samples=samples),
            provenance=Provenance(ResponsesProvenance(benchmarks={QUESTIONS: taken})),
        )
        run.seal("respond")


STEPS = {
    "respond": answer,
    "respond, resumed": resumed("answered", respond),
    "verify answered": verified("answered"),
    "answers": write_answers,
    "judge": judged,
    "judge, resumed": resumed("judged", judge),
    "verify judged": verified("judged"),
}


if __name__ == "__main__":
    main()
