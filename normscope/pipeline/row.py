"""The row on one run folder: respond, judge, score."""

from dataclasses import replace

from ..judges.engines import described
from ..records.absent import failed_calls
from ..records.folder import RunFolder
from ..records.reproduction import from_copies
from ..records.settings import Settings
from .judge import check_judging, judge
from .requested import requested_benchmarks, sources_of
from .respond import respond
from .score import score
from .stage import Workers


def measure(run: RunFolder, requested: Settings, workers: Workers) -> bool:
    """Does what is left of the run up to its scores; whether it was whole and nothing was asked.

    What cannot be judged is refused before any model is loaded.
    """
    whole = run.whole
    foreseen = check_judging(requested)
    if run.reproduction is not None:
        # another judge is refused before the model is asked, which may take hours, not after
        if foreseen.rubrics and requested.judge is not None:
            foreseen = replace(foreseen, judge=described(requested.judge))
        run.reproduction.differences("judge", requested, foreseen, partly=True)
    respond(run, requested, workers)
    judge(run, requested, workers)
    # a stage that had anything to do has taken the manifest away
    unchanged = whole and run.whole
    score(run, requested)
    return unchanged


def is_measured(run: RunFolder, requested: Settings) -> bool:
    """Whether the run is whole by these settings, so that no model has to be loaded for it.

    Not where it is to ask again for calls that failed, and any have.
    """
    if not run.whole or (run.retry_failed and any(failed_calls(run.path).values())):
        return False
    # the provenance is what became of the settings, and no setting itself
    settings = replace(requested, provenance=run.config.provenance)
    # its own files are named again, or taken from the run's copies of them
    if settings not in (run.config, from_copies(run.config, run.path)):
        return False
    noted = run.config.provenance.benchmarks
    benchmarks = requested_benchmarks(requested).items()
    return all(sources_of(bench) == noted[name].sources for name, (_, bench) in benchmarks)
