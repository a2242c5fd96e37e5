"""The report of a finished run or of several as a file, and a run's scores in the terminal."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from ..comparison import compare, read_runs
from ..errors import UsageError
from ..files import write_text
from ..judges.engines import load
from ..judges.trust.cards import known_cards
from ..judges.trust.corrections import current
from ..records.absent import ITEM, JUDGED, wholly_unscored
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, JUDGEMENTS, REPORT, seals
from ..records.run import Run
from ..records.settings import Settings
from . import Form, Language, Report, ReportData, render
from .answer import sentence
from .blocks import Block
from .caveats import failures, model_caveats, slice_caveats, unscored_caveats
from .comparison.figures import figures
from .evidence import evidence_page
from .scores import overall_scores
from .writers import html, markdown
from .writers.terminal import show_blocks


def report(run: RunFolder, *, language: Language = "en") -> Path:
    """Writes `report.html`, then the manifest; returns the page's path."""
    write_text(run.path / REPORT, render(data_of(run.read()), language))
    # last of all: that there is a manifest says that the run is whole
    run.finish()
    return run.path / REPORT


def finish(run: RunFolder, config: Settings) -> None:
    """Judges, scores and reports the run, unless it is whole by these very settings."""
    from ..pipeline.judge import judge
    from ..pipeline.score import score
    from ..pipeline.workers.here import Here

    if not run.whole or config != run.config:
        judge(run, config, Here(load))
        score(run, config)
        report(run)


def write_report(
    paths: Sequence[Path],
    out: Path,
    *,
    form: Form,
    language: Language = "en",
    although: bool = False,
    pictures: bool = True,
) -> Path:
    """Writes the report of a run, or of several, to `out`; the runs stay as they are.

    Several runs that were not measured alike are refused, unless `although`. A page shows the
    figures of their comparison if `pictures` are wanted.
    """
    if len(paths) == 1:
        report = Report((data_of(Run.open(paths[0])),))
    else:
        runs = read_runs(paths)
        compared = compare(runs, although=although)
        flags = ["--although"] if although else []
        report = Report(
            tuple(
                replace(data_of(Run.open(path)), name=run.name)
                for run, path in zip(runs, paths, strict=True)
            ),
            compared,
            command=shlex.join(["normscope", "report", *map(str, paths), *flags]),
            figures=tuple(figures(runs, compared).values()) if pictures and form == "html" else (),
        )
    write_text(out, render(report, language, form=form))
    return out


def write_evidence(run: Path, out: Path, *, form: Form, language: Language = "en") -> Path:
    """Writes the evidence sheet of a run to `out`, as a page or as Markdown; returns it."""
    if form not in {"html", "md"}:
        raise UsageError(f"the evidence sheet is a page or Markdown, not {form}")
    page = evidence_page(data_of(Run.open(run)))
    write_text(out, (html.page if form == "html" else markdown.page)(page, language))
    return out


def data_of(run: Run) -> ReportData:
    """What a report is made of, read from the run's folder."""
    corrections, stale = current(run.path)
    return ReportData(
        run.name,
        run.config,
        run.path,
        checked=run.checked,
        command=command(run.path),
        files=seals(run.config),
        known_cards=known_cards(run.path / "cards", run.path.parent / "cards"),
        corrections=corrections,
        stale=stale,
    )


def command(run: Path) -> str:
    """The command that asks for the same run again, and refuses if it would not be the same."""
    again = run.with_name(f"{run.name}-again")
    return shlex.join(["normscope", "run", "--reproduce", str(run), "--out", str(again)])


def show(run: Run, console: Console) -> None:
    """Prints the overall scores of the run, what limits them first."""
    show_blocks(brief_blocks(run), console)


def brief_blocks(run: Run) -> tuple[Block, ...]:
    """The overall scores of the run under the answer of each benchmark, what limits them first."""
    wholly = wholly_unscored(
        run.table(ITEMS, columns=ITEM),
        run.table(JUDGEMENTS, columns=JUDGED),
    )
    texts = (
        *model_caveats(run.config),
        *slice_caveats(run.config),
        *unscored_caveats(wholly),
    )
    data = data_of(run)
    sentences = {name: sentence(data, name) for name in data.scores.by_benchmark}
    scores = overall_scores(data.scores, caveats=texts, sentences=sentences)
    return (*failures(data), *scores)
