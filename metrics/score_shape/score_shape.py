"""The shape of CFSafety scores as an `evaluate` module over `normscope.metrics.shape`."""

from collections.abc import Mapping, Sequence
from typing import Any

from normscope.errors import UsageError, nearest
from normscope.metrics import module
from normscope.metrics.results import plain, warn_undefined
from normscope.metrics.shape import score_shape


class ScoreShape(module.Metric):
    """The shapes of moral, rating and their product, for one row per answer."""

    paper = "cfsafety"
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
        result = score_shape(moral, rating, categories=(groups or {}).get("category"), **options)
        warn_undefined((f"shape of {one.name}", "nothing scored") for one in result if not one.n)
        return {shape.name: plain(shape) for shape in result}
