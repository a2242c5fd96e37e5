"""`ns.run` makes a run, `ns.Run` reads one: its tables, scores, answers and report."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack, get_args

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..comparison import compare
from ..errors import RunError, UnscoredWarning, UsageError, nearest
from ..judges.respondent import ACCEPTABILITY
from ..messages import Language, translate
from ..metrics.inputs import one_of
from ..pipeline.norms import VignetteAnswers
from ..pipeline.plan import Plan
from ..pipeline.plan import plan as planned
from ..pipeline.row import is_measured, measure
from ..pipeline.verify import Verification, verify
from ..pipeline.workers import at_work, helped
from ..progress import hidden
from ..reasons import origin_of
from ..records.folder import opened
from ..records.integrity import is_whole
from ..records.judgements import headline, read_judgements
from ..records.reproduction import from_copies
from ..records.run import Run as ReadRun
from ..records.settings import Settings
from ..records.tables import KEYS
from ..report import Form
from ..report.blocks import Block, Caveat, Section
from ..report.caveats import unscored_texts
from ..report.comparison.figures import figures
from ..report.data import ReportData, models
from ..report.notebook import Figures
from ..report.page import cell
from ..report.people import BesidePeople
from ..report.scores import Scored, Scores
from ..report.write import brief_blocks, data_of, write_report
from ..report.write import report as write_page
from ..viewer import Answers
from .judge import Judge
from .norms import Norms
from .request import Contexts, Model, PathLike, Request
from .settings import RunSettings


class Run(Scored):
    """A run, read from its folder and never changed but for its report.

    What a stage has not written yet, or was changed since, is a `RunError` that names the verb
    which makes it, when it is read.
    """

    def __init__(self, path: PathLike, *, name: str = "") -> None:
        """The run in the folder; a `RunError` where there is none. `name` is what it is called."""
        self._run = ReadRun.open(Path(path), name=name)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._run.name

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._run.path

    @property
    def config(self) -> Settings:
        """What was requested of it, and in its `provenance` what that came to."""
        return self._run.config

    @property
    def whole(self) -> bool:
        """Whether it has come to its end, to the report."""
        return is_whole(self.path)

    @property
    def items(self) -> pa.Table:
        """The prompts that were asked, a row each (`records.item`)."""
        return self._run.items.table

    @property
    def responses(self) -> pa.Table:
        """What the model answered, a row per prompt and reply (`records.response`)."""
        return self._run.responses

    @property
    def judgements(self) -> pa.Table:
        """What was made of each answer, a row per response, criterion and channel.

        `value` is null where there is none, and `reason` says why (`records.judgement`).
        """
        return self._run.judgements

    @cached_property
    def scores(self) -> Scores:
        """The statistics of each benchmark, every one with its interval, n and unscored."""
        model = translate(models(self._data), "en")
        return Scores(self._data.scores.by_benchmark, run=self.name, model=model)

    @property
    def unscored(self) -> pa.Table:
        """The judgements without a value: of which response and criterion, and why.

        `origin` is whose doing it is: the respondent's (no answer), which counts in rates, or the
        judge's or the engine's, which leaves the item out and opens lowest to highest.
        """
        lacking = self.judgements.filter(pc.is_null(self.judgements["value"]))
        origins = [origin_of(reason) for reason in lacking["reason"].to_pylist()]
        columns = lacking.select([*KEYS, "criterion", "source", "reason"])
        return columns.append_column("origin", pa.array(origins, pa.string()))

    @cached_property
    def norms(self) -> Norms | None:
        """What most prompt variants say of each flow; null where the run asks no vignettes.

        By the rule and the threshold that the run was scored with. A run of several benchmarks of
        vignettes has the norms of each in `norms_of`.
        """
        of = self._contexts
        if len(of) > 1:
            raise UsageError(f"this run asks {', '.join(of)}: name one, norms_of({of[0]!r})")
        return self.norms_of(of[0]) if of else None

    def norms_of(self, benchmark: str, *, temperature: float | None = None) -> "Norms":
        """The norms of one benchmark of vignettes; a `UsageError` for what is none.

        Of replies at several temperatures those at the lowest, or at the one that is named.
        """
        if benchmark not in self._contexts:
            hint = nearest(benchmark, self._contexts)
            raise UsageError(f"this run has no norms of {benchmark!r}; {hint}")
        rows = read_judgements(self.judgements, self._run.items).of_benchmark(benchmark)
        if temperature is not None:
            rows = rows[rows.temperature == temperature]
            if not len(rows):
                raise UsageError(f"{self.name} has no answers at temperature {temperature:g}")
        return Norms(
            VignetteAnswers.of(headline(rows)),
            name=self.name,
            rule=self.config.rule,
            threshold=self.config.majority.threshold,
            population=self.config.asked(benchmark).items_in_dataset or None,
        )

    def against_people(
        self, ratings: Any = None, *, scale: tuple[float, float] | None = None, benchmark: str = ""
    ) -> BesidePeople:
        """How far the mean answers go with people's ratings of the same flows.

        Without `ratings` those that the run's context brings; else a table of them, or a `Context`
        (`Norms.against_people`). Of a run of several contexts `benchmark` names one.
        """
        norms = self.norms_of(benchmark) if benchmark else self.norms
        if norms is None:
            raise UsageError("this run asks no vignettes, which people could have rated")
        if ratings is not None:
            return norms.against_people(ratings, scale=scale)
        of = {item.benchmark for item in norms.answered.items}
        ratings = [rating for rating in self._run.ratings if rating.benchmark in of]
        if not ratings:
            raise UsageError(
                "the context of this run has no ratings of people: give a table of them "
                "(docs/contexts.md)"
            )
        return BesidePeople.of(norms.answered, ratings, self.name)

    @cached_property
    def figures(self) -> Figures:
        """Its charts by their names: `figures["norms"]`, `figures["refusal-answers"]`."""
        return Figures.of(figures([self._run], compare([self._run])))

    @property
    def _contexts(self) -> list[str]:
        """The benchmarks of vignettes."""
        noted = self.config.provenance.benchmarks.items()
        return [name for name, each in noted if ACCEPTABILITY in each.criteria]

    @cached_property
    def answers(self) -> pd.DataFrame:
        """Every answer beside what its judgements come to, a row each (docs/view.md)."""
        return Answers([self._run]).to_frame()

    def report(
        self,
        path: PathLike | None = None,
        *,
        format: Form = "html",  # noqa: A002 - as the flag is called
        language: Language = "en",
    ) -> Path:
        """Writes the report and returns its path.

        Without a `path` it is the run's own page, `report.html`, or `report.md`, `.csv`, `.tex`
        in its folder. A format's name is no path.
        """
        forms = get_args(Form)
        one_of(format, "format", forms)
        one_of(language, "language", get_args(Language))
        if str(path) in {*forms, "latex", "markdown"}:
            raise UsageError(
                f"report({str(path)!r}) would write a file of that name: a format is named with "
                f"format= ({', '.join(forms)}), a file with its ending"
            )
        if path is None and format == "html":
            with opened(self.path) as run:
                return write_page(run, language=language)
        out = self.path / f"report.{format}" if path is None else Path(path)
        return write_report([self.path], out, form=format, language=language)

    def verify(self) -> Verification:
        """Whether every unit was asked, answered, judged and merged exactly once (`proven`).

        What is missing stands in `findings`, and what finishes the run in `remedies`. Nothing of
        the run is written.
        """
        return verify(self.path)

    def __fspath__(self) -> str:
        """The folder: a run stands wherever its path may."""
        return str(self.path)

    @cached_property
    def _data(self) -> ReportData:
        return data_of(self._run)

    def _shown(self) -> Sequence[Block]:
        """The first screen of its report, and folded away what else limits it."""
        return self._section(lambda: cell(self._data))

    def _brief(self) -> Sequence[Block]:
        return self._section(lambda: brief_blocks(self._run))

    def _section(self, blocks: Callable[[], Sequence[Block]]) -> Sequence[Block]:
        """The blocks under its name; of a run that is not scored yet why it has none."""
        try:
            return (Section(self.name, tuple(blocks())),)
        except RunError as error:
            return (Section(self.name, (Caveat(error.message, warns=True),)),)


def run(
    model: Model | None = None,
    benchmarks: str | Sequence[str] = (),
    *,
    out: PathLike,
    judge: Judge | Model | None = None,
    context: Contexts = (),
    prompts: PathLike | None = None,
    limit: int | Mapping[str, int] | None = None,
    source: PathLike | None = None,
    retry_failed: bool = False,
    journal: PathLike | None = None,
    progress: bool = True,
    **settings: Unpack[RunSettings],
) -> Run:
    """The whole row, as `normscope run` does it: respond, judge, score, report; returns the run.

    `model` is the model under test and `judge` the one that judges: a folder, a Hub id, `bundled`,
    a server's address, or a `ModelSpec`. A `Judge` judges with its rubric and settings, and is not
    loaded again. `context` are files with vignettes of one's own, or `Context`s, which are asked
    beside the benchmarks. `limit` takes so many items of every benchmark, balanced, or of each by
    its name. `settings` are the other fields of `Settings`, `Decoding` and, for the model under
    test, `ModelSpec`: `temperature=0.7, samples=5, dtype="float32", rubric="my.yaml"`.

    An unfinished run in `out` goes on where it was; a whole one with the same settings is returned
    without loading a model, and with `retry_failed` calls that failed are made again. `journal` is
    a folder on a local disk for what is done meanwhile, where `out` lies on none. Where more of
    a benchmark is unscored than `max_unscored`, an `UnscoredWarning` says so. Errors are those of
    the command line, as exceptions (`normscope.errors`).
    """
    others = {"limit": limit, "source": source, **settings}
    request = Request.of(model, benchmarks, judge, context=context, prompts=prompts, **others)
    local = None if journal is None else Path(journal)
    if helped(Path(out), request.load):
        return Run(out)
    with (
        hidden(not progress),
        opened(Path(out), create=True, retry_failed=retry_failed, journal=local) as folder,
        at_work(folder.path, request.load) as workers,
    ):
        config = request.config(from_copies(folder.config, folder.path))
        if not is_measured(folder, config):
            measure(folder, config, workers)
            write_page(folder)
    for text in unscored_texts(folder.read()):
        warnings.warn(f"{folder.path}: {text}", UnscoredWarning, stacklevel=2)
    return Run(folder.path)


def plan(
    model: Model | None = None,
    benchmarks: str | Sequence[str] = (),
    *,
    judge: Judge | Model | None = None,
    context: Contexts = (),
    prompts: PathLike | None = None,
    limit: int | Mapping[str, int] | None = None,
    source: PathLike | None = None,
    **settings: Unpack[RunSettings],
) -> Plan:
    """What the run that `ns.run` would make of the same arguments will take and tell.

    Nothing is written, and no model is loaded.

    >>> plan(benchmarks="safety-gradient", judge="bundled", limit=20).stages.prompts[0]
    np.int64(20)
    """
    others = {"limit": limit, "source": source, **settings}
    request = Request.of(model, benchmarks, judge, context=context, prompts=prompts, **others)
    return planned(request.config())
