"""The verbs of a run. Each imports what it needs when it runs, so that `--help` answers at once."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..format import count, percent
from ..judges.engines import load
from ..progress import to_stderr
from ..reasons import Reason
from ..records.absent import failed_calls
from ..records.cluster import WorkSettings
from ..records.folder import RunFolder, fork, opened
from ..records.integrity import REPORT, SCORES
from ..records.run import Run
from ..records.settings import Settings
from .options import (
    AS_JSON,
    COLUMN,
    FOLDER,
    HELP_ALL,
    PATH,
    flags,
    names_option,
    stage_options,
)
from .terminal import DONE_UNSCORED, console, end, say, show_frame

if TYPE_CHECKING:
    from ..pipeline.judged_rows import Counts
    from ..pipeline.stage import Workers


@click.command()
@stage_options("respond")
@click.option("--out", type=FOLDER, required=True, help="The run's folder.")
def respond(out: Path, **options: Any) -> None:
    """Ask the model under test; writes responses.parquet into the run's folder.

    \b
    Examples:
      normscope respond --model Qwen/Qwen3-0.6B -b ci-vignettes:coppa \\
          --out runs/qwen
      normscope respond --model ./checkpoint -b cfsafety --source ~/sources \\
          --limit 200 --out runs/x
      normscope respond --model ./checkpoint -b chisafetybench:mcq \\
          --set key=key.csv --out runs/mcq
      accelerate launch --multi_gpu --num_processes 8 -m normscope respond \\
          --model ./checkpoint -b ci-vignettes:iot --out runs/iot
    """
    from ..pipeline.requested import requested
    from ..pipeline.respond import respond as ask
    from ..records.reproduction import from_copies

    with working(out, options, create=True) as (run, workers):
        ask(run, requested(options, from_copies(run.config, out)), workers)
        show_failed_calls(run)
    say(f"{out / 'responses.parquet'}; next: normscope judge {out} --judge MODEL")


@click.command()
@click.argument("target", type=PATH, metavar="RUN|FILE")
@stage_options("judge")
@names_option("--criteria", help="For a FILE: which criteria [all].")
@COLUMN
@click.option("--category", help="For a FILE: the category of rows that name none.")
@click.option("--language", help="For a FILE: the language of rows that name none.")
@click.option("--out", type=PATH, help="Where a FILE's judged rows go, or a new run for a RUN.")
def judge(target: Path, out: Path | None, **options: Any) -> None:
    """Judge a run's responses, or any file with question and response columns.

    A FILE is CSV, JSONL or Parquet with the columns question and response, or messages (a chat, of
    which the assistant's last turn is the answer), and if it has them category and language. Its
    rows come back in order with the judge's reading of each criterion.

    Where more than 5 % (max_unscored) of the rows, or of the judgements of a benchmark, are
    unscored through the judge or the engine, it ends with exit code 3.

    \b
    Examples:
      normscope judge runs/qwen --judge Qwen/Qwen3-4B
      normscope judge runs/qwen --judge ./other --out runs/qwen-other
      normscope judge answers.csv --rubric cfsafety --judge ./judge \\
          --out judged.csv
      normscope judge answers.csv --rubric chisafetybench-zero-shot \\
          --set judge_channels=text --judge http://localhost:8000/v1#name \\
          --out judged.csv
      normscope judge answers.csv --column response=output --judge bundled \\
          --out judged.csv
    """
    # a name without an ending that is not there was meant for a run, and its error says so
    if target.is_dir() or (target.suffix == "" and not target.exists()):
        _judge_run(target, out, options)
    else:
        _judge_file(target, out, options)


def _judge_run(target: Path, out: Path | None, options: dict[str, Any]) -> None:
    from ..pipeline.judge import judge as judge_run
    from ..pipeline.requested import requested

    # a fork: the responses stay as they are, and two judges can be compared on them
    fork_of, target = (None, target) if out is None else (target, out)
    with working(target, options, fork_of=fork_of) as (run, workers):
        judge_run(run, requested(options, run.config), workers)
        show_failed_calls(run)
    say(f"{target / 'judgements.parquet'}; next: normscope score {target}")
    exit_if_unscored(target)


def _judge_file(target: Path, out: Path | None, options: dict[str, Any]) -> None:
    from ..judges.rubric_choice import rubric_for
    from ..pipeline.judge_file import judge_file
    from ..pipeline.requested import requested
    from ..pipeline.workers import unit_folder

    settings = requested(options)
    rubric = rubric_for(settings)
    if rubric is None or out is None:
        raise UsageError(
            "judging a file needs --judge and --out, and --rubric unless the judge brings one"
        )
    journal, folder = WorkSettings.of(options).journal_folder, unit_folder(out)
    end_if_helping(folder)
    about = {name: options[name] for name in ("criteria", "category", "language", "columns")}
    about |= {"rubric": rubric, "config": settings, "journal_folder": journal}
    with at_work(folder, options) as workers:
        counts = judge_file(target, out, workers=workers, **about)
    for caveat in counts.caveats:
        to_stderr(f"note: {caveat}")
    say(f"{out}  {counts.rows:,} rows, {counts.unscored:,} with an unscored criterion")
    _show_unscored(counts)
    if counts.failed > settings.max_unscored * counts.rows:
        text = f"the judge or the engine failed at {percent(counts.failed / counts.rows)} of the "
        text += f"rows ({count(counts.failed)} of {count(counts.rows)}), more than "
        end({}, code=DONE_UNSCORED, text=text + percent(settings.max_unscored))


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
@flags("rule", "threshold", "key")
@AS_JSON
def score(run: Path, **options: Any) -> None:
    """Score a run's judgements; prints the table and writes scores.json.

    With --rule published CFSafety's arithmetic on the judge's top tokens stands beside ours, and a
    vignette's norm is counted as by LLM-CI's authors: the answer seen first wins a tie, one valid
    answer is enough. --threshold asks for another share of a vignette's answers than half. Both
    stay with the run. With --key the recorded choices are held against your own answers, in place
    of the silver key. Exit code 3: more of a benchmark is unscored than max_unscored allowed.

    \b
    Examples:
      normscope score runs/qwen
      normscope score runs/qwen --rule published --threshold 0.67
      normscope score runs/qwen --key key.csv     columns id, answer
    """
    from ..pipeline.options import put_key
    from ..pipeline.requested import requested
    from ..pipeline.score import read_scores
    from ..pipeline.score import score as score_run

    with opened(run) as opened_run:
        if options["key"]:
            put_key(opened_run, Path(options["key"]))
        score_run(opened_run, requested(options, opened_run.config))
        show(opened_run)
        scores = replace(read_scores(opened_run.read()), run=run.name)
    text, result = unscored(run), {"statistics": [*scores.rows()]}
    end(result, [run / SCORES], code=DONE_UNSCORED if text else 0, text=text)


@click.command()
@stage_options("respond", "judge", "score")
@click.option(
    "--retry-failed", is_flag=True, help="Ask again where a call failed, also in a finished run."
)
@click.option(
    "--reproduce",
    type=FOLDER,
    metavar="RUN",
    help="Ask for all that RUN asked for, and refuse what is no longer what it was.",
)
@click.option("--out", type=FOLDER, required=True, help="The run's folder.")
@HELP_ALL
def run(out: Path, **options: Any) -> None:
    """The whole row: respond, judge, score, report. Started again, it goes on where it was.

    A call that failed is made again by itself in an unfinished run, in a finished one with
    --retry-failed. --reproduce refuses a difference that can change an answer.

    \b
    Examples:
      normscope run --model ./checkpoint --judge Qwen/Qwen3-4B -b cfsafety \\
          --source ~/sources --limit 200 --out runs/checkpoint
      normscope run --config config.yaml --set seed=3 --out runs/nightly
      normscope run --reproduce runs/checkpoint --out runs/checkpoint-again
    """
    from ..pipeline.requested import requested
    from ..records.reproduction import Reproduction, from_copies

    repeated = options["reproduce"]
    if repeated is not None and options["config"]:
        raise UsageError("--reproduce takes all settings from RUN: leave --config out")
    again = None if repeated is None else Reproduction.of(repeated)
    with working(out, options, create=True, reproduction=again) as (folder, workers):
        base = again.settings if again else from_copies(folder.config, out)
        make(folder, requested(options, base), workers)
    exit_if_unscored(out)


@click.command()
@stage_options("respond", "judge", "score")
@AS_JSON
def plan(**options: Any) -> None:
    """Say what a run will take, and what it will tell; takes the flags of `run`, writes nothing.

    Items, prompts and tokens; then how wide the interval of each headline will be. How long it
    takes is said by the progress bar of the run itself, which keeps what it has done when stopped.

    \b
    Examples:
      normscope plan --model ./checkpoint --judge Qwen/Qwen3-4B \\
          -b cfsafety,ci-vignettes:coppa
      normscope plan --config config.yaml
    """
    from ..pipeline.plan import plan as planned
    from ..pipeline.requested import requested

    result = planned(requested(options))
    tables = {"stages": result.stages, "precision": result.precision}
    for table, texts in zip(tables.values(), (2, 1), strict=True):
        show_frame(table, texts=texts)
    end({name: table.to_dict("records") for name, table in tables.items()})


def end_if_helping(folder: Path) -> None:
    """Ends a process of a launch that the first one needs for its units only, these being done."""
    from ..pipeline.workers import helped

    if helped(folder, load):
        raise click.exceptions.Exit(0)


def at_work(folder: Path, options: Mapping[str, Any]) -> "AbstractContextManager[Workers]":
    """What does the units for the folder, as the options say."""
    from ..pipeline import workers

    return workers.at_work(folder, load, WorkSettings.of(options))


@contextmanager
def working(
    folder: Path, options: Mapping[str, Any], *, fork_of: Path | None = None, **how: Any
) -> "Iterator[tuple[RunFolder, Workers]]":
    """The run in the folder and what does its units; `fork_of` is one to take responses from."""
    end_if_helping(folder)
    journal = WorkSettings.of(options).journal_folder
    if fork_of is not None:
        fork(fork_of, folder, journal=journal)
    retry = options.get("retry_failed", False)
    with (
        opened(folder, retry_failed=retry, journal=journal, **how) as run,
        at_work(folder, options) as workers,
    ):
        yield run, workers


def make(run: RunFolder, requested: Settings, workers: "Workers") -> None:
    """Does what is left of the run, to its report, and shows its scores."""
    from ..pipeline.row import measure
    from ..report.write import report

    unchanged = measure(run, requested, workers)
    report(run)
    if unchanged:
        to_stderr("the run was whole already: nothing was asked again")
    show(run)
    show_failed_calls(run)
    say(f"\nReport: {run.path / REPORT}")


def show(run: RunFolder) -> None:
    """Prints the run's scores."""
    from ..report.write import show as show_scores

    say(f"\n{run.path}")
    show_scores(run.read(), console())


def show_failed_calls(run: RunFolder) -> None:
    """Tells how many answers failed calls have left out, and which command asks for them again."""
    if number := sum(failed_calls(run.path).values()):
        finished = f"`normscope run --retry-failed --out {run.path}`"
        again = finished if run.whole else "the same command"
        to_stderr(f"calls that failed: {count(number)}; {again} asks these again, and nothing else")
    elif run.retry_failed:
        to_stderr("no answer is absent because a call failed")


def unscored(*runs: Path) -> str:
    """Where more of a benchmark is unscored than its run allows, a line each."""
    from ..report.caveats import unscored_texts

    return "\n".join(f"{run}: {text}" for run in runs for text in unscored_texts(Run.open(run)))


def exit_if_unscored(*runs: Path) -> None:
    """Ends with exit code 3 where more of a benchmark is unscored than its run allows."""
    if over := unscored(*runs):
        end({}, code=DONE_UNSCORED, text=over)
