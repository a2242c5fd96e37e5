"""`normscope validate`: how far a judge agrees with people, as a card."""

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..format import percent
from ..judges.engines import load
from .options import COLUMN, FOLDER, PATH, names_option, pairs, stage_flags
from .terminal import end_unscored

_OF_LABELS = {"benchmark", "limit", "seed", "source"}
"""Flags that mean something else here than in a run."""

_OF_CARDS = (
    *("benchmark", "columns", "category", "language", "harmful"),
    *("trained_on", "limit", "resamples", "seed"),
)
"""Flags that `judges.trust.validation` takes as they are."""


@click.command()
@stage_flags("judge")
@click.option("--labels", type=PATH, help="CSV, JSONL or Parquet: question, response, label.")
@click.option("--labels-set", metavar="NAME", help="A public set: do-not-answer, cvalues, …")
@click.option("--source", type=FOLDER, help="Where the public sets' files lie.")
@click.option("--split", help="A part of the public set, or all.")
@click.option("--criterion", help="The rubric's criterion [its only one; a set's: all of them].")
@click.option("--label-column", default="label", show_default=True, help="People's label.")
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
def validate(out: Path, **flags: Any) -> None:
    """Measure how far a judge agrees with people, and write its card (a page, and JSON).

    The labels are a file with the columns question, response and label, and if it has them
    language, category, turns, messages (a chat, with or without the answer) and cluster (what is
    not independent; the question itself without it), or one of the public sets. Stopped and started
    again, it goes on.

    \b
    Examples:
      normscope validate --judge ./judge --rubric cfsafety --criterion moral --labels labels.csv \\
          --language en --map safe=1,unsafe=0
      normscope validate --judge ./judge --judge-channel text --rubric chisafetybench-zero-shot \\
          --criterion refusal --labels labels.csv
      normscope validate --judge ./judge --rubric cfsafety --labels-set do-not-answer \\
          --source ~/human-labels --criterion refusal
    """
    from ..judges.rubric_choice import rubric_for
    from ..judges.trust.labels import read_labels
    from ..judges.trust.public_sets import set_labels
    from ..judges.trust.validation import validate as make
    from ..pipeline.requested import requested
    from ..report.judge_caveats import summary
    from ..report.trust.card import write_card_files

    if (flags["labels"] is None) == (flags["labels_set"] is None):
        raise UsageError("a card needs people's labels: --labels FILE or --labels-set NAME")
    config = requested({k: v for k, v in flags.items() if k not in _OF_LABELS})
    used = rubric_for(config)
    if used is None:
        raise UsageError("a card needs a rubric: --rubric cfsafety, or a YAML file")
    criterion = flags["criterion"]
    if flags["labels"] is None:
        of_set = {"source": flags["source"], "split": flags["split"], "criterion": criterion}
        labels = set_labels(flags["labels_set"], used, **of_set)
    else:
        how = {"column": flags["label_column"], "mapping": flags["mapping"]}
        labels = read_labels(flags["labels"], used, criterion, **how)
    about = {name: flags[name] for name in _OF_CARDS}
    results = make(labels, used, config, load, **about, out=out)
    for card in results:
        paths = write_card_files(card, out)
        for line in (*(f"- {line}" for line in summary(card)), *paths):
            click.echo(line)
    # one criterion that cannot be read is enough: the mean of several would hide it
    worst = max(result.unscored for result in results)
    if worst > config.max_unscored:
        end_unscored(f"{percent(worst)} of the answers are unscored: the card says why")
