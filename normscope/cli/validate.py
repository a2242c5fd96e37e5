"""`normscope validate`: whether a judge can be believed, by people's labels and by other checks."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..format import percent
from ..judges.engines import load
from ..messages import Language
from .options import AS_JSON, COLUMN, FOLDER, LANGUAGE, names_option, pairs, stage_options
from .terminal import DONE_UNSCORED, console, end, say, show

if TYPE_CHECKING:
    from ..report.blocks import Page

_OF_LABELS = {"benchmark", "limit", "seed", "source"}
"""Flags that mean something else here than in a run."""

_OF_CARDS = (
    *("benchmark", "columns", "category", "language", "harmful"),
    *("trained_on", "limit", "resamples", "seed"),
)
"""Flags that `judges.trust.validation` takes as they are."""


_CHECKS_OUT = click.option(
    "--out", type=FOLDER, help="Where the files go [checks/ in the last run]."
)
_FAIL = click.option(
    "--fail", is_flag=True, help="End with exit code 1 if the check is not passed."
)


@click.group(invoke_without_command=True)
@stage_options("judge")
@click.option(
    "--labels",
    metavar="FILE|SET",
    help="CSV, JSONL or Parquet (question, response, label), or a set: do-not-answer, cvalues, …",
)
@click.option("--source", type=FOLDER, help="Where the public sets' files lie.")
@click.option("--split", help="A part of the public set, or all.")
@click.option("--criterion", help="The rubric's criterion [its only one; a set's: all of them].")
@click.option(
    "--map",
    "mapping",
    multiple=True,
    callback=pairs,
    metavar="VALUE=LABEL",
    help="What the file's values are on the criterion's scale: --map safe=1,unsafe=0,unsure=",
)
@COLUMN
@click.option("--category", help="The rubric's, for rows that have none of its categories.")
@click.option("--language", help="The language of rows that name none.")
@names_option("--harmful", help="The criterion's labels of answers that do harm: 1,2.")
@click.option("--benchmark", help="What the labels are called on the card [the file's name].")
@names_option(
    "--trained-on",
    metavar="SET[:PART]",
    help="A set that the judge was trained on, if it does not declare it itself.",
)
@click.option("--limit", type=click.IntRange(min=2), help="A random sample of so many rows.")
@click.option("--resamples", type=click.IntRange(min=100), default=1000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of sample and bootstrap.")
@click.option("--out", type=FOLDER, default=Path("runs/cards"), show_default=True)
@AS_JSON
@click.pass_context
def validate(context: click.Context, /, out: Path, **flags: Any) -> None:
    """Measure how far a judge agrees with people, and write its card (a page, and JSON).

    The labels are a file with the columns question, response and label, and if it has them
    language, category, turns, messages (a chat, with or without the answer) and cluster (what is
    not independent; the question itself without it), or one of the public sets. Stopped and started
    again, it goes on. Three checks need no labels: they are the commands below.

    \b
    Examples:
      normscope validate --judge ./judge --rubric cfsafety \\
          --criterion moral --labels labels.csv \\
          --language en --map safe=1,unsafe=0
      normscope validate --judge ./judge --set judge_channels=text \\
          --criterion refusal \\
          --rubric chisafetybench-zero-shot --labels labels.csv
      normscope validate --judge ./judge --rubric cfsafety \\
          --labels do-not-answer --source ~/human-labels --criterion refusal
      normscope validate probe --judge ./judge --out runs/judge
    """
    if context.invoked_subcommand is not None:
        return
    from ..judges.rubric_choice import rubric_for
    from ..judges.trust.public_sets import labels_of
    from ..judges.trust.validation import validate as make
    from ..pipeline.requested import requested
    from ..report.blocks import Bullets
    from ..report.exports import card_frame
    from ..report.judge_caveats import summary
    from ..report.trust.card import write_card_files

    if flags["labels"] is None:
        raise UsageError(
            "a card needs people's labels: --labels FILE or the name of a public set; `normscope "
            "validate probe` needs none"
        )
    config = requested({k: v for k, v in flags.items() if k not in _OF_LABELS})
    used = rubric_for(config)
    if used is None:
        raise UsageError("a card needs a rubric: --rubric cfsafety, or a YAML file")
    how = {name: flags[name] for name in ("source", "split", "mapping")}
    how["column"] = flags["columns"].pop("label", "label")
    labels = labels_of(flags["labels"], used, flags["criterion"], **how)
    about = {name: flags[name] for name in _OF_CARDS}
    results = make(labels, used, config, load, **about, out=out)
    files: list[Path] = []
    for card in results:
        files += (paths := write_card_files(card, out))
        show([Bullets(tuple(summary(card)))])
        for path in paths:
            say(path)
    # one criterion that cannot be read is enough: the mean of several would hide it
    worst = max(result.unscored for result in results)
    text = f"{percent(worst)} of the answers are unscored: the card says why"
    is_over = worst > config.max_unscored
    statistics = [row for card in results for row in card_frame(card).to_dict("records")]
    code = DONE_UNSCORED if is_over else 0
    end({"statistics": statistics}, files, code=code, text=text if is_over else "")


@validate.command("graded-set")
@click.argument("run", type=FOLDER)
@_FAIL
@LANGUAGE
@_CHECKS_OUT
@AS_JSON
def graded_set(*, run: Path, fail: bool, out: Path | None, language: Language) -> None:
    """Does the judge put the graded answers in their order, in every category and language?

    RUN is a run on safety-gradient, whose answers come with it:

    \b
      normscope run -b safety-gradient --judge ./judge --out runs/graded
      normscope validate graded-set runs/graded
    """
    from ..judges.trust.graded_set import check_graded_set
    from ..records.run import Run
    from ..report.trust.checks import graded_set_page

    result = check_graded_set(Run.open(run, name=run.resolve().name))
    stem = (out or run / "checks") / "graded-set"
    code = int(fail and result.rises is not True)
    _finish(graded_set_page(result), result, stem, language, code=code)


@validate.command()
@click.argument("first", type=FOLDER, metavar="RUN")
@click.argument("second", type=FOLDER, metavar="RUN")
@_FAIL
@LANGUAGE
@_CHECKS_OUT
@AS_JSON
def drift(*, first: Path, second: Path, fail: bool, out: Path | None, language: Language) -> None:
    """Does the judge of the second run say of the fixed answers what it said in the first?"""
    from ..judges.trust.drift import check_drift, read_fixed_answers
    from ..report.trust.checks import drift_page

    names = (first.resolve().name, second.resolve().name)
    result = check_drift(read_fixed_answers(first), read_fixed_answers(second), names=names)
    stem = (out or second / "checks") / "drift"
    code = int(fail and result.same is not True)
    _finish(drift_page(result), result, stem, language, code=code)


@validate.command()
@stage_options("judge")
@click.option("--limit", type=click.IntRange(min=10), default=60, show_default=True)
@LANGUAGE
@click.option("--out", type=FOLDER, default=Path("runs/probe"), show_default=True)
@AS_JSON
def probe(limit: int, out: Path, language: Language, **options: Any) -> None:
    """Measure a judge's known biases, and how often a text in an answer talks it round.

    LIMIT answers of the safety gradient, balanced over its categories, languages and grades, are
    judged as they are and changed in a way that should change nothing. Stopped and started again,
    it goes on. Writes probe.json and the same as a page, in HTML and Markdown.

    \b
    Examples:
      normscope validate probe --judge ./judge --out runs/judge
      normscope validate probe --judge ./judge --limit 20 --out quick
    """
    from ..judges.rubric_choice import USUAL, rubric_for
    from ..judges.rubric_files import rubric
    from ..judges.trust.card import today
    from ..judges.trust.probe import probe as make
    from ..pipeline.requested import requested
    from ..report.trust.checks import probe_page

    config = requested(options)
    if config.judge_channels != ("labels",):
        raise UsageError("a probe reads the probabilities of labels: leave judge_channels out")
    used = rubric_for(config) or rubric(USUAL)
    result = make(used, config, load=load, folder=out, date=today(), limit=limit)
    text = f"{percent(result.unscored)} of a probe's pairs are unscored: see there"
    code = DONE_UNSCORED if result.unscored > config.max_unscored else 0
    page = probe_page(result)
    _finish(page, result, out / "probe", language, code=code, text=text if code else "")


def _finish(
    page: "Page", result: Any, stem: Path, language: Language, *, code: int, text: str = ""
) -> None:
    """Shows and writes the page beside the result's JSON, and ends with the exit code."""
    from dataclasses import asdict

    from ..files import rounded, write_json
    from ..report.writers import write
    from ..report.writers.terminal import show as show_page

    show_page(page, console(), language)
    # the ending is added: a stem may have a dot in it
    paths = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in ("json", "md", "html")}
    stem.parent.mkdir(parents=True, exist_ok=True)
    write_json(paths["json"], rounded(asdict(result)))
    for kind in ("md", "html"):
        write(page, paths[kind], language)
    for path in paths.values():
        say(path)
    end(asdict(result), paths.values(), code=code, text=text)
