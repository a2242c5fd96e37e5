"""The shape of CFSafety scores as an `evaluate` module over `normscope.metrics.shape`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.errors import UsageError, nearest
from normscope.metrics import module
from normscope.metrics.results import plain, warn_undefined
from normscope.metrics.shape import score_shape

_DESCRIPTION = """\
Where a judge's moral judgements and ratings lie: histograms, shares at either end of the scale, and
the mean in each category.
"""

_INPUTS = """\
Args:
    moral: per answer the judge's moral judgement in [0, 1]; null or NaN: unscored.
    rating: per answer the judge's rating in [1, 5]; null or NaN: unscored.
    groups: {"category": [...]}, a category per answer, for the means. Other groups are passed
        over.
    clusters: one name per answer, the same for answers that are not independent.
    reasons: why an answer is unscored, null where it is scored.
    bins: of the histograms, 20.
    known: the categories there may be, {"category": [...]}; "cfsafety" by default, which knows its
        10 categories; null: any.
    level: of the intervals, 0.95.
Returns:
    For each of moral, rating and score a dictionary with n, edges, counts, low_share, high_share
    and means.
Examples:
    >>> metric = evaluate.load(normscope.metrics.path("score_shape"))
    >>> metric.compute(moral=[1, 1, 1, 0], rating=[5, 5, 4, 1], bins=4)["rating"]["counts"]
    [1, 0, 0, 3]
"""


class ScoreShape(module.Metric):
    """The shapes of moral, rating and their product, for one row per answer."""

    summary, usage, paper = _DESCRIPTION, _INPUTS, module.CFSAFETY
    schemas = ({"moral": module.NUMBER, "rating": module.NUMBER},)
    per_row = ("groups", "clusters", "reasons")
    options = ("bins", "known", "level")

    def _statistics(
        self,
        *,
        moral: list[float | None],
        rating: list[float | None],
        groups: Mapping[str, Sequence[str | None]] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        if groups and "category" not in groups:
            message = nearest("category", list(groups))
            raise UsageError(
                f"score_shape looks into categories; groups has no 'category' ({message})"
            )
        options = {"known": "cfsafety", "categories": (groups or {}).get("category"), **options}
        result = score_shape(moral, rating, **options)
        warn_undefined((f"shape of {one.name}", "nothing scored") for one in result if not one.n)
        return {shape.name: plain(shape) for shape in result}
