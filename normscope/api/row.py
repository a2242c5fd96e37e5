"""The whole row on one run folder: respond, judge, score, report."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..format import count, percent
from ..records.absent import JUDGED, Unscored, failed_calls, unscored
from ..records.config import RunConfig
from ..records.folder import RunFolder
from ..records.integrity import JUDGEMENTS
from ..records.reproduction import from_copies
from ..records.run import Run

if TYPE_CHECKING:
    from ..pipeline.workers import Workers


def whole_row(run: RunFolder, requested: RunConfig, workers: "Workers") -> bool:
    """Does what is left of the run, from the first answer to the report; whether nothing was asked.

    What cannot be judged is refused before any model is loaded.
    """
    from ..pipeline.judge import check_judging, foreseen, judge
    from ..pipeline.respond import respond
    from ..pipeline.score import score
    from ..report.write import report

    whole = run.whole
    if run.reproduction is None:
        check_judging(requested)
    else:
        # another judge is refused before the model is asked, which may take hours, not after
        known = foreseen(requested)
        run.reproduction.refuse(
            run.reproduction.differences("judge", requested, known, partly=True)
        )
    respond(run, requested, workers)
    judge(run, requested, workers)
    # a stage that had anything to do has taken the manifest away
    unchanged = whole and run.whole
    score(run, requested)
    report(run)
    return unchanged


def what_is_left(run: RunFolder, requested: RunConfig, workers: "Workers") -> bool:
    """The same, but a run that is whole and asked for with these settings is left alone.

    No model is loaded for it. A run that is to ask again for calls that failed is not left alone
    where any have.
    """
    # the provenance is what became of the settings, and no setting itself
    settings = replace(requested, provenance=run.config.provenance)
    # its own files are named again, or taken from the run's copies of them
    same = settings in (run.config, from_copies(run.config, run.path))
    again = run.retry_failed and any(failed_calls(run.path).values())
    if run.whole and same and _has_same_files(requested, run) and not again:
        return True
    return whole_row(run, requested, workers)


def unscored_of(run: Run) -> tuple[Unscored, ...]:
    """What is unscored of each benchmark of a run that was judged."""
    return unscored(run.table(JUDGEMENTS, JUDGED))


def unscored_texts(every: Sequence[Unscored], most: float) -> list[str]:
    """Of each benchmark of which more than `most` is unscored: of how many judgements, and why.

    >>> unscored_texts([Unscored("cfsafety", 40, {"call_failed": 4})], 0.05)
    ['cfsafety: 10.0 % of the judgements are unscored (4 of 40: 4 × call failed), more than 5.00 %']
    """
    from ..report.caveats import counted_reasons

    return [
        f"{each.benchmark}: {percent(each.share)} of the judgements are unscored "
        f"({count(each.count)} of {count(each.judgements)}: {counted_reasons(each.reasons)}), "
        f"more than {percent(most)}"
        for each in every
        if each.share > most
    ]


def _has_same_files(requested: RunConfig, run: RunFolder) -> bool:
    """Whether the configuration's own files say what those of the run did."""
    from ..pipeline.requested import requested_benchmarks, sources_of

    noted = run.config.provenance.benchmarks
    benchmarks = requested_benchmarks(requested).items()
    return all(sources_of(bench) == noted[name].sources for name, (_, bench) in benchmarks)
