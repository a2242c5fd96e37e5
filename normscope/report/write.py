"""The report of a finished run or of several as a file, and a run's scores in the terminal."""

import base64
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from ..compare import Compared, Run, read_runs
from ..compare import compare as compare_runs
from ..files import read_json, write_text
from ..judges.trust.cards import known_cards
from ..judges.trust.corrections import current
from ..judges.trust.probe import ProbeResult, read_probe
from ..messages import message
from ..pipeline.score import Scores, read_scores
from ..records.absent import ITEM, JUDGED, wholly_unscored
from ..records.folder import RunFolder, read_only
from ..records.integrity import ITEMS, JUDGEMENTS, JUDGING, REPORT, RESPONSES, SCORES
from ..records.judgements import COLUMNS
from . import Figure, Form, Language, ReportData, SeveralData, render
from .blocks import Caveat, Row, Table, columns
from .caveats import constant_answers, model_caveats, slice_caveats, unscored_caveats
from .comparison.figures import draw
from .estimates import counted
from .writers.terminal import show_blocks

READ = (*COLUMNS, "judge", "rubric_hash")
"""The columns of the judgements that a report reads."""

MOST_BYTES = 2_000_000
"""Of all figures together, so that a report stays something that one can send."""

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def report(run: RunFolder, *, language: Language = "en") -> Path:
    """Writes `report.html`, then the manifest; returns the page's path."""
    write_text(run.path / REPORT, render(data_of(run), language))
    run.finish()
    return run.path / REPORT


def write_report(run: RunFolder, out: Path, *, form: Form, language: Language = "en") -> Path:
    """Writes the run's report to `out`, as a page or as Markdown; the run stays as it is."""
    write_text(out, render(data_of(run), language, form=form))
    return out


def write_several(
    paths: Sequence[Path],
    out: Path,
    *,
    form: Form,
    language: Language = "en",
    although: bool = False,
    figures: bool = True,
) -> Path:
    """Writes the runs' report to `out`, as a page or as Markdown; the runs stay as they are.

    What was not measured alike is refused, unless `although`. Figures are drawn for a page if they
    are wanted.
    """
    runs = read_runs(paths)
    compared = compare_runs(runs, although=although)
    drawn: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    if form == "html" and figures:
        drawn, notes = _drawn(runs, compared, language)
    data = SeveralData(
        names=tuple(run.name for run in runs),
        runs=tuple(data_of(read_only(path)) for path in paths),
        compared=compared,
        figures=drawn,
        notes=notes,
        command=shlex.join(
            ["normscope", "report", *map(str, paths), *(["--although"] if although else [])]
        ),
    )
    write_text(out, render(data, language, form=form))
    return out


def data_of(run: RunFolder) -> ReportData:
    """What a report is made of, read from the run's folder."""
    judging = run.path / JUDGING
    corrections, stale = current(run.path)
    return ReportData(
        name=run.path.name,
        config=run.config,
        scores=read_scores(run),
        items=run.items(),
        responses=run.table(RESPONSES, made_by="respond"),
        judgements=run.table(JUDGEMENTS, made_by="judge", columns=READ),
        command=command(run.path),
        files=run.hashes(ITEMS, RESPONSES, JUDGEMENTS, SCORES),
        judging=read_json(judging) if judging.exists() else None,
        known_cards=known_cards(run.path / "cards", run.path.parent / "cards"),
        corrections=corrections,
        stale=stale,
        probes=tuple(probes(run)),
    )


def probes(run: RunFolder) -> Iterator[ProbeResult]:
    """What `normscope probe` wrote into the run's folder or beside it, of the run's own judge."""
    judge = run.config.provenance.judge or {}
    rubrics = {rubric.hash for rubric in run.config.provenance.rubrics.values()}
    known = "content" if judge.get("content") else "model"
    for folder in (run.path, run.path.parent):
        for path in sorted(p for p in folder.glob("*probe*.json") if p.is_file()):
            result = read_probe(path)
            if result is None or result.rubric_hash not in rubrics:
                continue
            if result.judge.get(known) == judge.get(known):
                yield result


def command(run: Path) -> str:
    """The command that asks for the same run again, and refuses if it would not be the same."""
    again = run.with_name(f"{run.name}-again")
    return shlex.join(["normscope", "run", "--reproduce", str(run), "--out", str(again)])


def _drawn(
    runs: Sequence[Run], compared: Compared, language: Language
) -> tuple[tuple[Figure, ...], tuple[str, ...]]:
    """The figures, each in the smaller of its two forms, while there is room; and what to say."""
    with TemporaryDirectory(prefix="normscope-") as folder:
        made = draw(runs, compared, Path(folder), language=language)
        stems: dict[str, list[Path]] = {}
        for path in made.paths:
            stems.setdefault(path.stem, []).append(path)
        kept, room, left = [], MOST_BYTES, 0
        for stem, forms in stems.items():
            smallest = min(forms, key=lambda path: path.stat().st_size)
            source = _address(smallest)
            if len(source) > room:
                left += 1
                continue
            room -= len(source)
            kept.append(Figure(stem.replace("-", " ").replace("_", " "), source))
    notes = made.notes
    if left:
        told = message(
            "{n} of {m} figures are left out for their size; `normscope compare` writes them all",
            n=left,
            m=len(stems),
        )
        notes = (*notes, told)
    return tuple(kept), notes


def _address(image: Path) -> str:
    """The image as an address that holds it."""
    held = base64.b64encode(image.read_bytes()).decode("ascii")
    return f"data:{_TYPES[image.suffix]};base64,{held}"


def show(run: RunFolder, console: Console) -> None:
    """Prints the overall scores of the run, what limits them first."""
    wholly = wholly_unscored(
        run.table(ITEMS, made_by="respond", columns=ITEM),
        run.table(JUDGEMENTS, made_by="judge", columns=JUDGED),
    )
    texts = (
        *model_caveats(run.config),
        *slice_caveats(run.config),
        *unscored_caveats(wholly),
    )
    show_scores(read_scores(run), console, caveats=texts)


def show_scores(scores: Scores, console: Console, *, caveats: Sequence[str] = ()) -> None:
    """Prints the overall scores of each benchmark as one table, the caveats and theirs first."""
    rows: list[Row] = []
    for benchmark, statistics in scores.items():
        for at, row in enumerate(row for row in statistics if not row.group):
            # the names of `scores.json`, by which a script finds these numbers
            name = f"{row.name} ({row.member})" if row.member else row.name
            rows.append(("" if at else benchmark, name, *counted(row)[:4]))
    table = Table(
        columns("benchmark", "score", "value", "95 % interval", "n", "unscored", texts=2),
        tuple(rows),
    )
    show_blocks((*map(Caveat, caveats), *constant_answers(scores), table), console)
