"""`normscope probe`: the known biases of a judge, and what injections do to it."""

import sys
from pathlib import Path
from typing import Any

import click

from ..format import percent
from ..judges.engines import load
from ..messages import Language
from .options import LANGUAGE, PATH, stage_flags
from .terminal import DONE_UNSCORED


@click.command()
@stage_flags("judge", without=("judge_channels",))
@click.option("--limit", type=click.IntRange(min=10), default=60, show_default=True)
@LANGUAGE
@click.option("--out", type=PATH, default=Path("runs/probe.json"), show_default=True)
def probe(
    *,
    limit: int,
    out: Path,
    language: Language,
    **flags: Any,
) -> None:
    """Measure a judge's known biases, and how often a text in an answer talks it round.

    LIMIT answers of the safety gradient, balanced over its categories, languages and grades, are
    judged as they are and changed in a way that should change nothing. Stopped and started again,
    it goes on. Writes OUT and, beside it, a page as Markdown and HTML.

    \b
    Examples:
      normscope probe --judge ./judge --out runs/judge/probe.json
      normscope probe --judge ./judge --limit 20 --out quick.json
    """
    from ..judges.rubric import rubric
    from ..judges.rubric_choice import USUAL, rubric_for
    from ..judges.trust.card import today
    from ..judges.trust.probe import probe as make
    from ..pipeline.requested import requested
    from ..report.trust.probe import page
    from .check import finish

    config = requested(flags)
    result = make(
        rubric_for(config) or rubric(USUAL),
        config,
        load=load,
        folder=out.parent,
        date=today(),
        limit=limit,
    )
    finish(page(result), result, out.with_suffix(""), language)
    if result.unscored > config.max_unscored:
        click.echo(
            f"{percent(result.unscored)} of a probe's pairs are unscored: see there", err=True
        )
        sys.exit(DONE_UNSCORED)
