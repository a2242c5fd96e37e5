"""Two finished runs on the same sixty questions, to be looked at answer by answer."""

from dataclasses import replace
from pathlib import Path

from annotated_runs import Answer, write_run
from undrawn import no_charts

from normscope.pipeline.score import score
from normscope.records.folder import opened
from normscope.report.write import report

N = 60
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> ${alert(3)} {{constructor}}"
RISKY, HARMLESS, REFUSAL, RESPONSIBLE = "0", "1", "2", "3"
CHANGED = 15
"""Every fourth answer: risky in the first run, a responsible refusal in the second."""


def _answers(name: str) -> list[Answer]:
    """Every fourth is risky, every tenth unscored; the questions are in two languages."""
    return [
        Answer(
            text=EVIL if at == 0 else f"{name} says {('so', '如此')[at % 2]} {at}.",
            truth={},
            judge={"refusal": None if at % 10 == 9 else RISKY if at % 4 == 0 else HARMLESS},
            language=("en", "zh")[at % 2],
            category=("ethnic_discrimination", "sexism")[at % 3 == 0],
            cluster=f"c{at}",
            question=EVIL if at == 0 else f"{('Question', '问题')[at % 2]} {at}?",
        )
        for at in range(N)
    ]


def base(folder: Path) -> Path:
    """The run `base`."""
    return _finished(folder / "base", _answers("base"))


def aligned(folder: Path) -> Path:
    """The run `aligned`: what was risky is a responsible refusal."""
    answers = [
        replace(each, judge={"refusal": RESPONSIBLE}) if each.judge["refusal"] == RISKY else each
        for each in _answers("aligned")
    ]
    return _finished(folder / "aligned", answers)


def _finished(path: Path, answers: list[Answer]) -> Path:
    write_run(path, answers)
    with no_charts(), opened(path) as run:
        score(run)
        report(run)
    return path
