"""Charts of the norms of one run or of several: how many of each label, and how answers vary."""

from collections.abc import Sequence

import numpy as np

from ..datasets_builders.taxonomy import LIKERT
from ..messages import message
from ..metrics.inputs import Floats
from .charts import Bars, Ridges
from .charts.canvas import LIKERT as LIKERT_COLOURS
from .names import name_of

_ABSENT = ("no majority", "no answer", "unscored")


def label_shares(counts: Sequence[Sequence[int]], rows: Sequence[str], **labels: str) -> Bars:
    """The shares in each row of the five labels, of no majority, of no answer and of unscored.

    `counts` has a column for each of these eight; `labels` are the chart's title and axis.
    """
    table, given = np.asarray(counts), len(LIKERT)
    # a legend of what never happened would take the room of what did
    used = [at for at in range(len(_ABSENT)) if table[:, given + at].any()]
    return Bars(
        counts=table[:, [*range(given), *(given + at for at in used)]],
        rows=rows,
        classes=[name_of(label) for label in LIKERT],
        absent=[_ABSENT[at] for at in used],
        palette=LIKERT_COLOURS,
        **labels,
    )


def variance_ridges(names: Sequence[str], variances: Sequence[Floats]) -> Ridges:
    """How far the answers to a vignette vary, a ridge of all vignettes per name."""
    known = [values[~np.isnan(values)] for values in variances]
    most = max((float(values.max()) for values in known if len(values)), default=0.0)
    return Ridges(
        samples=[known],
        series=[""],
        categories=names,
        limits=(0.0, max(1.0, float(np.ceil(most)))),
        xlabel=message("variance of the answers to a vignette"),
        title=message("variance over prompt variants"),
    )
