"""What a visitor takes home: judgements as Parquet, the rows as CSV, and the report."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from ..files import hash_file, write_parquet, write_text
from ..judges.rubric import Questions
from ..judges.trust.cards import cards_at_hand
from ..messages import Language, known, message
from ..pipeline.judge_file import kept_names
from ..pipeline.judged_rows import with_judgements
from ..records.integrity import ITEMS, JUDGEMENTS, RESPONSES, SCORES
from ..records.item import SCHEMA
from ..records.provenance import JudgementsProvenance, Provenance, RubricVersion
from ..records.settings import Settings
from ..records.tables import to_table
from ..report import ReportData, render
from ..table_writer import write_rows
from ..text_tables import Rows
from ..untrusted import inert
from .judging import Judged
from .served import BENCHMARK, MIN_COVERAGE


def write_downloads(
    judged: Judged, folder: Path, *, source: Path, language: Language = "en"
) -> tuple[Path, Path, Path, Path]:
    """Writes `judgements.parquet`, `judged.csv`, `report.html` and `scores.csv` of the file."""
    judgements, rows, page, scores = (
        folder / name for name in ("judgements.parquet", "judged.csv", "report.html", "scores.csv")
    )
    write_parquet(judgements, judged.judgements())
    write_rows(rows, with_judgements(_visitors_rows(judged), judged.rows))
    files = {judged.job.upload.name: hash_file(source), judgements.name: hash_file(judgements)}
    report = report_of(judged, files)
    write_text(page, render(report, language))
    write_text(scores, render(report, form="csv"))
    return judgements, rows, page, scores


def _visitors_rows(judged: Judged) -> Rows:
    """The rows as they came, but for cells that a spreadsheet would run, and columns of our names.

    The one get an apostrophe before them, the others are renamed as `normscope judge` does.
    """
    upload = judged.job.upload
    # the judge's columns keep their names, so that the tab Compare knows them
    renamed = kept_names(upload.rows, Questions.of(judged.job.judge.rubric))
    return [
        {
            inert(renamed.get(name, name)): inert(cell) if isinstance(cell, str) else cell
            for name, cell in row.items()
        }
        for row in upload.rows
    ]


def report_of(judged: Judged, files: Mapping[str, str]) -> ReportData:
    """The judged file as a report shows a run."""
    job = judged.job
    judge = job.judge
    config = Settings(
        judge=judge.spec,
        rubric=judge.rubric.name,
        min_coverage=MIN_COVERAGE,
        provenance=Provenance(
            judgements=JudgementsProvenance(
                judge=judge.identity,
                rubrics={
                    BENCHMARK: RubricVersion(
                        judge.hash, judge.rubric.name, judge.rubric.version, tuple(judge.criteria)
                    )
                },
                caveats=tuple(_caveats(judged)),
            )
        ),
    )
    return ReportData(
        name=job.upload.name,
        config=config,
        contents={
            ITEMS: to_table((replace(item, response=row.text) for item, row in job.pairs), SCHEMA),
            RESPONSES: judged.responses(),
            JUDGEMENTS: judged.judgements(),
            SCORES: {BENCHMARK: [asdict(row) for row in judged.statistics]},
        },
        command=f"normscope judge FILE --judge {judge.name} --out judged.csv",
        files=dict(files),
        known_cards=cards_at_hand(),
    )


def _caveats(judged: Judged) -> Iterator[str]:
    if judged.job.judge.is_bundled:
        yield message(
            "Judged by the small bundled judge, which is no replacement for a large one. Its card "
            "says how far it agrees with people."
        )
    if note := judged.job.judge.identity.get("note"):
        yield message("The judge is {note}.", note=known(note))
