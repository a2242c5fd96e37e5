"""`ns.run` makes a run, `ns.Run` reads one: its tables, scores, answers and report."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import RunError, UnscoredWarning, UsageError
from ..judges.engines import load as load_engine
from ..messages import Language, message
from ..progress import hidden
from ..records.config import ALL, RunConfig
from ..records.folder import opened, read_only
from ..records.integrity import ITEMS, JUDGEMENTS, RESPONSES, is_whole
from ..records.model_spec import ModelSpec
from ..records.reproduction import from_copies
from .row import unscored_texts, what_is_left
from .settings import requested, typed_settings
from .shown import Shown, run_blocks

if TYPE_CHECKING:
    import pyarrow as pa

    from ..metrics.estimate import Statistic
    from ..report import Form
    from ..report.blocks import Block
    from ..report.data import ReportData
    from ..viewer import Collection

PathLike = str | os.PathLike[str]
Model = str | os.PathLike[str] | ModelSpec


class Run(Shown):
    """A run, read from its folder and never changed but for its report.

    What a stage has not written yet, or was changed since, is a `RunError` that names the verb
    which makes it, when it is read.
    """

    def __init__(self, path: PathLike, *, name: str = "") -> None:
        """The run in the folder; a `RunError` where there is none. `name` is what it is called."""
        self._folder = read_only(Path(path))
        self.name = name or self._folder.path.name

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._folder.path

    @property
    def config(self) -> RunConfig:
        """What was requested of it, and in its `provenance` what that came to."""
        return self._folder.config

    @property
    def whole(self) -> bool:
        """Whether it has come to its end, to the report."""
        return is_whole(self.path)

    @cached_property
    def items(self) -> "pa.Table":
        """The prompts that were asked, a row each (`records.item`)."""
        return self._folder.table(ITEMS, stage="respond")

    @cached_property
    def responses(self) -> "pa.Table":
        """What the model answered, a row per prompt and reply (`records.response`)."""
        return self._folder.table(RESPONSES, stage="respond")

    @cached_property
    def judgements(self) -> "pa.Table":
        """What was made of each answer, a row per response, criterion and channel.

        `value` is null where there is none, and `reason` says why (`records.judgement`).
        """
        return self._folder.table(JUDGEMENTS, stage="judge")

    @cached_property
    def scores(self) -> "Mapping[str, tuple[Statistic, ...]]":
        """The statistics of each benchmark, every one with its interval, n and unscored."""
        return self._data.scores

    @cached_property
    def answers(self) -> "Collection":
        """Every answer beside its judgements, to be filtered by a line of text (docs/view.md)."""
        from ..viewer import Collection, read_answered

        return Collection.of([read_answered(self.path, name=self.name)])

    def report(
        self,
        path: PathLike | None = None,
        *,
        format: "Form" = "html",  # noqa: A002 - as the flag is called
        language: Language = "en",
    ) -> Path:
        """Writes the report and returns its path.

        Without a `path` it is the run's own page, `report.html`, or `report.md`, `.csv`, `.tex`
        in its folder.
        """
        from ..report.write import report, write_report

        if path is None and format == "html":
            with opened(self.path) as run:
                return report(run, language=language)
        out = self.path / f"report.{format}" if path is None else Path(path)
        return write_report([self.path], out, form=format, language=language)

    def __fspath__(self) -> str:
        """The folder: a run stands wherever its path may."""
        return str(self.path)

    @cached_property
    def _data(self) -> "ReportData":
        from ..report.write import data_of

        return replace(data_of(self._folder), name=self.name)

    def _shown(self) -> "Sequence[Block]":
        """The first screen of its report; of a run that is not scored yet why it has none."""
        return self._blocks(lambda: run_blocks(self._data))

    def _brief(self) -> "Sequence[Block]":
        from ..report.write import brief_blocks

        return self._blocks(lambda: brief_blocks(self._folder))

    def _blocks(self, of_scores: "Callable[[], Sequence[Block]]") -> "Sequence[Block]":
        from ..report.blocks import Caveat, Section

        try:
            blocks = of_scores()
        except RunError as error:
            blocks = (Caveat(error.message, warns=True),)
        return (Section(self.name, tuple(blocks)),)


def run(
    model: Model | None = None,
    benchmarks: str | Sequence[str] = (),
    *,
    out: PathLike,
    judge: Model | None = None,
    context: PathLike | Sequence[PathLike] = (),
    prompts: PathLike | None = None,
    limit: int | Mapping[str, int] | None = None,
    source: PathLike | None = None,
    retry_failed: bool = False,
    progress: bool = True,
    **settings: Any,
) -> Run:
    """The whole row, as `normscope run` does it: respond, judge, score, report; returns the run.

    `model` is the model under test and `judge` the one that judges: a folder, a Hub id, `bundled`,
    a server's address, or a `ModelSpec`. `limit` takes so many items of every benchmark, balanced,
    or of each by its name. `settings` are the other fields of `RunConfig`, `Decoding` and, for the
    model under test, `ModelSpec`: `temperature=0.7, samples=5, dtype="float32", rubric="my.yaml"`.

    An unfinished run in `out` goes on where it was; a whole one with the same settings is returned
    without loading a model, and with `retry_failed` calls that failed are made again. Where more of
    a benchmark is unscored than `max_unscored`, an `UnscoredWarning` says so. Errors are those of
    the command line, as exceptions (`normscope.errors`).
    """
    of_run = {
        "benchmark": benchmarks,
        "context": [context] if isinstance(context, str | os.PathLike) else list(context),
        "prompts": prompts,
        "limit": {ALL: limit} if isinstance(limit, int) else limit,
        "source": source,
    }
    given = {name: value for name, value in of_run.items() if value not in (None, "", (), [])}
    if both := sorted(given.keys() & settings.keys()):
        raise UsageError(message("{name} is given twice", name=both[0]))
    values = typed_settings({**given, **settings})
    values |= {"model": _model(model), "judge": _model(judge)}
    with hidden(not progress), opened(Path(out), create=True, retry_failed=retry_failed) as folder:
        config = requested(values, from_copies(folder.config, folder.path))
        done = what_is_left(folder, config, load_engine)
    for text in unscored_texts(done.unscored, config.max_unscored):
        warnings.warn(f"{folder.path}: {text}", UnscoredWarning, stacklevel=2)
    return Run(folder.path)


def _model(model: Model | None) -> str | ModelSpec | None:
    """The model as settings name it."""
    return os.fspath(model) if isinstance(model, os.PathLike) else model
