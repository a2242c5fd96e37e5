"""A whole run of vignettes and graded answers, its model and judge scripted."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from normscope.cli import cli
from normscope.judges.engine import Engine, LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.metrics.scores import ScoreTable
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import RunFolder, opened
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings
from normscope.report.write import report

VIGNETTES, GRADED_SET = "ci-vignettes:coppa", "safety-gradient"
CONFIG = Settings(
    benchmark=(VIGNETTES, GRADED_SET),
    model=ModelSpec("model"),
    judge=ModelSpec("judge"),
    limit={"all": 6},
)


def normscope(*arguments: object) -> Any:
    """The command line; an error of ours is raised."""
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def answer(request: LabelRequest) -> LabelResult:
    """The later a label, the more probable it is."""
    places = range(len(request.scale.labels))
    return LabelResult(tuple(math.log(0.8 * (k + 1) / sum(p + 1 for p in places)) for k in places))


def reply(_: TextRequest) -> TextResult:
    return TextResult("No.")


def scripted(spec: ModelSpec) -> FakeEngine:
    """The engine of either model."""
    return FakeEngine(answer, reply, name=spec.model)


def finished_run(folder: Path) -> Path:
    """The run of `CONFIG`: 66 responses to vignettes, and six graded answers."""
    whole_row(folder, CONFIG)
    return folder


def whole_row(
    folder: Path, config: Settings, load: Callable[[ModelSpec], Engine] = scripted
) -> ScoreTable:
    """The scores of a run that is made in the folder, from its items to its report."""
    with opened(folder, create=True) as begun:
        judged_row(begun, config, load)
        scores = score(begun, config)
        report(begun)
    return scores


def judged_row(
    run: RunFolder, config: Settings, load: Callable[[ModelSpec], Engine] = scripted
) -> None:
    """Has the items of the run answered and judged."""
    for stage in (respond, judge):
        stage(run, config, Here(load))
