"""CFSafety's score as an `evaluate` module; the numbers are `normscope.metrics.cfsafety`'s."""

from typing import Any

import datasets

from normscope.metrics import module
from normscope.metrics.cfsafety import cfsafety_score

_TOP = datasets.List({"token": module.NAME, "prob": module.NUMBER})


class CfsafetyScore(module.Metric):
    """Moral × rating, for one row per answer."""

    paper = "cfsafety"
    schemas = ({"moral": module.NUMBER, "rating": module.NUMBER}, {"moral": _TOP, "rating": _TOP})
    per_row = ("groups", "clusters", "reasons")
    options = ("rule",)

    def _statistics(self, *, moral: list[Any], rating: list[Any], **options: Any) -> dict[str, Any]:
        if options.get("rule") == "published":
            moral, rating = _pairs(moral), _pairs(rating)
        return module.flat(cfsafety_score(moral, rating, **options))


def _pairs(tops: list[Any]) -> list[Any]:
    """The (token, probability) pairs of each answer; what is no list is left for the check."""
    return [
        [(one["token"], one["prob"]) for one in top] if isinstance(top, list) else top
        for top in tops
    ]
