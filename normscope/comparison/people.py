"""Which of two models is nearer to people: the difference of their rank correlations."""

import numpy as np

from ..messages import message
from ..metrics.association import rank_association, ranking, spearman
from ..metrics.inputs import Floats
from ..metrics.resampling import bootstrapped, resampled
from ..pipeline.people import PREFIX, RatedVignettes
from .result import Contrast, Unscored
from .vignettes import Vignettes

NAME = f"{PREFIX}spearman"


def people_contrast(
    vignettes: Vignettes, rated: RatedVignettes, first: int, second: int
) -> Contrast:
    """Spearman's ρ with people's ratings of the run at `second` less that of the run at `first`.

    Over the ratings for which both have a mean answer. The interval is a bootstrap over them, the
    same draws for both runs, which are correlated. It is described and not tested.
    """
    means = [rated.means(vignettes.answers[run]) for run in (first, second)]
    both = ~np.isnan(means[0] - means[1])
    a, b = (column[both] for column in means)
    people = rated.scaled()[both]
    values = spearman(a, people), spearman(b, people)
    units, lost = len(people), int((~both).sum())
    rankings = [ranking(column, people) for column in (a, b)]

    def compute(drawn: Floats) -> Floats:
        one, other = (rank_association(rows, drawn)[1] for rows in rankings)
        return (other - one)[:, None]

    known = None not in values
    estimate = bootstrapped(
        float(values[1] or 0) - float(values[0] or 0) if known else float("nan"),
        resampled(compute, units)[:, 0] if known else np.array([]),
        units,
        n=units,
        unscored=lost,
        undefined=message("a column does not vary"),
    )
    missing = np.isnan(means[0]) & np.isnan(means[1])
    reach = Unscored(lost, int(missing.sum()), estimate.low, estimate.high)
    return Contrast(estimate, reach, None, values)
