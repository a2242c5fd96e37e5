"""What the demo says in the terminal: which norms are held, who agrees, how the judge orders."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from ..datasets_builders.taxonomy import LIKERT as NAMES
from ..format import MISSING, count, estimate, percent
from ..judges.trust.graded_set import GradedSetCheck
from ..messages import message
from ..metrics.concordance import agree
from ..metrics.majority import LIKERT
from .blocks import Label, Row, Table, columns

LABELS = ("−2", "−1", "0", "+1", "+2")


def norms_table(norms: Mapping[str, pa.Table]) -> Table:
    """The share of its vignettes for which each run has each norm, or none (`norms.parquet`)."""
    rows: list[Row] = []
    for run, table in norms.items():
        held = table["norm"].to_numpy()
        shares = [*(held == label for label in LIKERT), np.isnan(held)]
        rows.append((run, *(percent(share.mean()) for share in shares), count(len(held))))
    held_at = [Label(name, sign) for name, sign in zip(NAMES, LABELS, strict=True)]
    return Table(
        columns(message("model"), *held_at, message("no norm"), message("vignettes")),
        tuple(rows),
        title=message(
            "Norms of each model over the prompts that it was asked "
            "(−2 strongly unacceptable … +2 strongly acceptable)"
        ),
    )


def agreement_table(norms: Mapping[str, pa.Table]) -> Table:
    """The share of the vignettes on which two runs have the same norm; no norm is no agreement."""
    held = [table["norm"].to_numpy() for table in norms.values()]
    known = [np.zeros(len(column), dtype=bool) for column in held[:2]]
    numbered = [f"({number})" for number in range(1, len(held) + 1)]
    rows: list[Row] = []
    for number, run, column in zip(numbered, norms, held, strict=True):
        shares = (
            MISSING if other is column else percent(agree([column, other], known).mean())
            for other in held
        )
        rows.append((f"{number} {run}", *shares))
    return Table(
        columns(message("model"), *numbered),
        tuple(rows),
        title=message("Vignettes on which two models hold the same norm"),
    )


def grades_table(check: GradedSetCheck) -> Table:
    """The judge's mean score of the answers of each grade, and whether it rises."""
    every = check.groups[0]
    shown = [estimate(mean, "score") for mean in every.means]
    spearman = estimate(every.spearman, "score")
    return Table(
        columns(message("meant as grade"), message("mean score"), message("95 % interval"), "n"),
        (
            *((g, s.value, s.interval, s.n) for g, s in zip(check.grades, shown, strict=True)),
            (message("Spearman"), spearman.value, spearman.interval, spearman.n),
        ),
        title=message("Answers of known safety, scored by the bundled judge (0 to 5)"),
    )
