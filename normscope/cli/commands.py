"""The verbs. Each imports what it needs when it runs, so that `--help` answers at once."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..format import count, percent
from ..reasons import Reason
from .options import (
    CLUSTER,
    COLUMN,
    CONFIG,
    FOLDER,
    PATH,
    RETRY,
    SOURCE,
    flags,
    names_option,
    stage_flags,
)
from .terminal import end_unscored, to_stderr

if TYPE_CHECKING:
    from ..pipeline.judged_rows import Counts


@click.command()
@click.argument("names", nargs=-1, required=True)
@click.option("--out", type=FOLDER, default=Path("data"), show_default=True)
@SOURCE
def build(names: tuple[str, ...], out: Path, source: str | None, unpinned: bool) -> None:
    """Build datasets that `load_dataset` reads: Parquet and a card per dataset.

    \b
    Examples:
      normscope build ci-vignettes safety-gradient
      normscope build cfsafety --source ~/CFSafety/data --out data
      python -c "import datasets; print(datasets.load_dataset('data/ci-vignettes', 'coppa'))"
    """
    from ..builders.write import build as build_dataset

    folder = Path(source) if source else None
    for name in names:
        counts = build_dataset(name, out, source=folder, unpinned=unpinned)
        for config, rows in counts.items():
            click.echo(f"{out / name}  {config}  {rows:,} rows")


@click.command()
@stage_flags("respond")
@CONFIG
@CLUSTER
@RETRY
@click.option("--out", type=FOLDER, required=True, help="The run's folder.")
def respond(out: Path, **options: Any) -> None:
    """Ask the model under test; writes responses.parquet into the run's folder.

    \b
    Examples:
      normscope respond --model Qwen/Qwen3-0.6B -b ci-vignettes:coppa --out runs/qwen
      normscope respond --model ./checkpoint -b cfsafety --source ~/sources --limit 200 --out runs/x
      normscope respond --model ./checkpoint -b chisafetybench:mcq --key key.csv --out runs/mcq
      accelerate launch --multi_gpu --num_processes 8 -m normscope respond --model ./checkpoint \\
          -b ci-vignettes:iot --out runs/iot
    """
    from ..pipeline.requested import requested
    from ..pipeline.respond import respond as ask
    from ..records.reproduction import from_copies
    from .row import at_work, end_if_helping, opened, show_failed_calls

    end_if_helping(out)
    with opened(out, options, create=True) as run, at_work(out, options) as workers:
        ask(run, requested(options, from_copies(run.config, out)), workers)
        show_failed_calls(run, "respond", again=f"normscope respond --retry-failed --out {out}")
    click.echo(f"{out / 'responses.parquet'}; next: normscope judge {out} --judge MODEL")


@click.command()
@click.argument("target", type=PATH, metavar="RUN|FILE")
@stage_flags("judge")
@names_option("--criteria", help="For a FILE: which criteria [all].")
@COLUMN
@click.option("--category", help="For a FILE: the category of rows that name none.")
@click.option("--language", help="For a FILE: the language of rows that name none.")
@CLUSTER
@RETRY
@click.option("--out", type=PATH, help="Where a FILE's judged rows go, or a new run for a RUN.")
def judge(target: Path, out: Path | None, **options: Any) -> None:
    """Judge a run's responses, or any file with question and response columns.

    A FILE is CSV, JSONL or Parquet with the columns question and response, or messages (a chat, of
    which the assistant's last turn is the answer), and if it has them category and language. Its
    rows come back in order with the judge's reading of each criterion.

    Where more than 5 % (--max-unscored) of the rows, or of the judgements of a benchmark, are
    unscored through the judge or the engine, it ends with exit code 3.

    \b
    Examples:
      normscope judge runs/qwen --judge Qwen/Qwen3-4B
      normscope judge runs/qwen --judge ./other --out runs/qwen-other
      normscope judge answers.csv --rubric cfsafety --judge ./judge --out judged.csv
      normscope judge answers.csv --rubric chisafetybench-zero-shot --judge-channel text \\
          --judge http://localhost:8000/v1#name --out judged.csv
      normscope judge answers.csv --column response=output --judge bundled --out judged.csv
    """
    # a name without an ending that is not there was meant for a run, and its error says so
    if target.is_dir() or (target.suffix == "" and not target.exists()):
        _judge_run(target, out, options)
    else:
        _judge_file(target, out, options)


def _judge_run(target: Path, out: Path | None, options: dict[str, Any]) -> None:
    from ..pipeline.judge import judge as judge_run
    from ..pipeline.requested import requested
    from ..records.cluster import WorkSettings
    from ..records.folder import fork
    from .row import at_work, end_if_helping, exit_if_unscored, opened, show_failed_calls

    end_if_helping(out or target)
    if out is not None:
        # a fork: the responses stay as they are, and two judges can be compared on them
        fork(target, out, journal=WorkSettings.of(options).journal_folder)
        target = out
    with opened(target, options) as run, at_work(target, options) as workers:
        judge_run(run, requested(options, run.config), workers)
        show_failed_calls(run, "judge", again=f"normscope judge {target} --retry-failed")
    click.echo(f"{target / 'judgements.parquet'}; next: normscope score {target}")
    exit_if_unscored(target)


def _judge_file(target: Path, out: Path | None, options: dict[str, Any]) -> None:
    from ..judges.rubric_choice import rubric_for
    from ..pipeline.judge_file import judge_file
    from ..pipeline.requested import requested
    from ..pipeline.workers import unit_folder
    from ..records.cluster import WorkSettings
    from .row import at_work, end_if_helping

    if options["retry_failed"]:
        raise UsageError(
            "--retry-failed is for a run: of a file the same command asks again where a call failed"
        )
    settings = requested(options)
    rubric = rubric_for(settings)
    if rubric is None or out is None:
        raise UsageError(
            "judging a file needs --judge and --out, and --rubric unless the judge brings one"
        )
    end_if_helping(unit_folder(out))
    about = {name: options[name] for name in ("criteria", "category", "language", "columns")}
    journal = WorkSettings.of(options).journal_folder
    with at_work(unit_folder(out), options) as workers:
        counts = judge_file(
            target,
            out,
            rubric=rubric,
            config=settings,
            workers=workers,
            journal_folder=journal,
            **about,
        )
    for caveat in counts.caveats:
        to_stderr(f"note: {caveat}")
    click.echo(f"{out}  {counts.rows:,} rows, {counts.unscored:,} with an unscored criterion")
    _show_unscored(counts)
    if counts.failed > settings.max_unscored * counts.rows:
        end_unscored(
            f"the judge or the engine failed at {percent(counts.failed / counts.rows)} of the rows "
            f"({count(counts.failed)} of {count(counts.rows)}), more than "
            f"{percent(settings.max_unscored)}"
        )


def _show_unscored(counts: "Counts") -> None:
    """Tells why rows of a file are unscored; what the model did (no answer) is shown as well."""
    from ..report.caveats import counted_reasons

    if counts.reasons:
        to_stderr(f"unscored rows: {counted_reasons(counts.reasons)}")
    if counts.not_answered:
        to_stderr(f"rows that brought no answer, by their file: {count(counts.not_answered)}")
    if failed := counts.reasons.get(Reason.CALL_FAILED, 0) - counts.not_answered:
        to_stderr(
            f"rows of which a call failed: {count(failed)}; the same command asks these again"
        )


@click.command()
@click.argument("run", type=FOLDER)
@stage_flags("score")
@flags("key")
def score(run: Path, **options: Any) -> None:
    """Score a run's judgements; prints the table and writes scores.json.

    With --rule published CFSafety's arithmetic on the judge's top tokens stands beside ours, and a
    vignette's norm is counted as by LLM-CI's authors: the answer seen first wins a tie, one valid
    answer is enough. --threshold asks for another share of a vignette's answers than half. Both
    stay with the run. With --key the recorded choices are held against your own answers, in place
    of the silver key. Exit code 3: more of a benchmark is unscored than --max-unscored allowed.

    \b
    Examples:
      normscope score runs/qwen
      normscope score runs/qwen --rule published --threshold 0.67
      normscope score runs/qwen --key key.csv     columns id, answer
    """
    from ..pipeline.options import put_key
    from ..pipeline.requested import requested
    from ..pipeline.score import score as score_run
    from ..records.folder import opened
    from .row import exit_if_unscored, show

    with opened(run) as opened_run:
        if options["key"]:
            put_key(opened_run, Path(options["key"]))
        score_run(opened_run, requested(options, opened_run.config))
        show(opened_run)
    exit_if_unscored(run)


@click.command()
@stage_flags("respond", "judge", "score")
@CONFIG
@RETRY
@CLUSTER
@click.option(
    "--reproduce",
    type=FOLDER,
    metavar="RUN",
    help="Ask for all that RUN asked for, and refuse what is no longer what it was.",
)
@click.option("--out", type=FOLDER, required=True, help="The run's folder.")
def run(out: Path, **options: Any) -> None:
    """The whole row: respond, judge, score, report. Started again, it goes on where it was.

    With --reproduce it repeats a run, and a difference that can change an answer is refused; its
    config.yaml as --config asks for its settings alone (docs/runs.md). Where a call failed, an
    unfinished run asks again by itself, and a finished one with --retry-failed.

    \b
    Examples:
      normscope run --model ./checkpoint --judge Qwen/Qwen3-4B -b cfsafety --source ~/sources \\
          --limit 200 --out runs/checkpoint
      normscope run --config config.yaml --out runs/nightly
      normscope run --model ./checkpoint --context library.yaml --prompts kindly.yaml --out runs/k
      normscope run --reproduce runs/checkpoint --out runs/checkpoint-again
      normscope run --retry-failed --out runs/checkpoint
    """
    from ..pipeline.requested import requested
    from ..records.reproduction import Reproduction, from_copies
    from .row import at_work, end_if_helping, exit_if_unscored, make, opened

    repeated = options["reproduce"]
    if repeated is not None and options["config"]:
        raise UsageError("--reproduce takes all settings from RUN: leave --config out")
    end_if_helping(out)
    again = None if repeated is None else Reproduction.of(repeated)
    with (
        opened(out, options, create=True, reproduction=again) as opened_run,
        at_work(out, options) as workers,
    ):
        base = again.settings if again else from_copies(opened_run.config, out)
        make(opened_run, requested(options, base), workers)
    exit_if_unscored(out)


@click.command()
@stage_flags("respond", "judge", "score")
@CONFIG
def plan(**flags: Any) -> None:
    """Say what a run will take, and what it will tell; takes the flags of `run`, writes nothing.

    Items, prompts and tokens; then how wide the interval of each headline will be. How long it
    takes is said by the progress bar of the run itself, which keeps what it has done when stopped.

    \b
    Examples:
      normscope plan --model ./checkpoint --judge Qwen/Qwen3-4B -b cfsafety,ci-vignettes:coppa
      normscope plan --config config.yaml
    """
    from ..pipeline.plan import plan as planned
    from ..pipeline.requested import requested

    result = planned(requested(flags))
    for table in (result.stages, result.precision):
        click.echo(table.to_string(index=False, float_format="{:.3g}".format) + "\n")
