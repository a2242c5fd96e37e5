"""What authors published, beside ours: CFSafety's arithmetic, and the norms of recorded answers.

The arithmetic is of the top tokens that a run recorded. What differs from the paper's own numbers
stays said: the tokens are our rubric's judge's, after the whole answer, where the authors' judge
was shown its first 100 characters.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..builders.ci_vignettes.published_answers import RELEASED
from ..categorical import Categorical, Codes
from ..errors import DataError
from ..metrics.cfsafety import TOPS, Tops, TopTokens, cfsafety_score
from ..metrics.estimate import Statistic
from ..metrics.rates import exact
from ..reasons import Reason
from ..records.judgements import Judgements

PREFIX = "published_"
"""What the names of these statistics begin with, beside those of our arithmetic."""

REASON = "published reason"
"""The group of the shares of answers that have no published score, by the reason."""

_CRITERIA = ("moral", "rating")
_AT_ONCE = 65_536
"""Rows whose tokens are Python objects at one time."""


def published_safety(
    judgements: Judgements, *, groups: Mapping[str, Categorical] | None, clusters: Categorical
) -> list[Statistic]:
    """The authors' score, moral, rating and moral share (`metrics.cfsafety.outcomes`).

    The judgements are those of a benchmark that count, read with `RAW_TOP`; `groups` and `clusters`
    are of the responses, in the order of their moral judgements. A response is unscored where
    either criterion has fewer tokens than the rule sums up (`TOPS`): the reason is the judgement's,
    or `no_top_tokens` where a value was read all the same. Low coverage is none: the rule counts
    whatever tokens there are.
    """
    places = judgements.places_side_by_side(*_CRITERIA)
    tops = {
        name: list(_tops(judgements.raw_top, rows, TOPS[name]))
        for name, rows in zip(_CRITERIA, places, strict=True)
    }
    reasons = judgements[places[0]].reason
    table = cfsafety_score(
        tops["moral"],
        tops["rating"],
        groups=groups,
        clusters=clusters,
        reasons=reasons,
        rule="published",
    )
    result = [replace(row, name=f"{PREFIX}{row.name}") for row in table]
    if groups is not None:
        result += _unscored(judgements, places, tops)
    return result


def _tops(column: pa.Array, rows: Codes, needed: int) -> Iterator[TopTokens | None]:
    """The tokens at each row, null where they are fewer than are needed, or the row is −1."""
    for start in range(0, len(rows), _AT_ONCE):
        chosen = rows[start : start + _AT_ONCE]
        picked = column.take(pa.array(np.where(chosen < 0, 0, chosen)))
        for row, top in zip(chosen, picked.to_pylist(), strict=True):
            enough = row >= 0 and top is not None and len(top) >= needed
            yield [(token["token"], token["prob"]) for token in top] if enough else None


def _unscored(
    judgements: Judgements, places: Codes, tops: Mapping[str, Tops]
) -> Iterator[Statistic]:
    """The share of the responses that have no published score, by the reason."""
    why: list[str | None] = [None] * places.shape[1]
    # the first criterion last: where both lack tokens, its reason counts
    for name, rows in reversed(list(zip(_CRITERIA, places, strict=True))):
        reasons = judgements.reason.taken(rows)
        # a judgement below the threshold has its tokens, unless none were recorded
        unnamed = (reasons.codes < 0) | reasons.equals(Reason.LOW_COVERAGE)
        lacking = zip(reasons.put(Reason.NO_TOP_TOKENS, unnamed), tops[name], why, strict=True)
        why = [reason if top is None else other for reason, top, other in lacking]
    column = Categorical.of(why)
    for reason in column.names:
        share = exact(column.equals(reason).astype(np.float64))
        yield Statistic("unscored", "rate", share, group=REASON, member=reason)


RELEASED_AS: Mapping[str, str] = dict(zip(("norm_simple", "norm_super"), RELEASED, strict=True))
"""What a column of `norms.parquet` is called where the norms were released."""


class Held(NamedTuple):
    """How many norms were held against released ones, and how many of them are not the same."""

    norms: int
    differing: int


def held_against(norms: pa.Table, released: pa.Table) -> Held:
    """The norms of a run (`norms.parquet`) against those released of the same vignettes.

    Two norms are held per vignette of the run, that of half of its valid answers and that of two
    thirds; no norm is the same as no norm. `released` has `item_id` and `RELEASED`; a `DataError`
    says which vignette it lacks.

    >>> ours = pa.table({"item_id": ["a", "b"], "norm_simple": [1.0, None], "norm_super": [1, 2]})
    >>> theirs = pa.table({"item_id": ["b", "a"], "majority": [-1, 1], "majority_67": [2, 1]})
    >>> held_against(ours, theirs)
    Held(norms=4, differing=1)
    """
    theirs = released.to_pandas().set_index("item_id")
    if not theirs.index.is_unique:
        raise DataError("the released norms are of more than one model; name one of them")
    mine = norms.to_pandas().set_index("item_id")
    if lost := [*mine.index.difference(theirs.index, sort=False)]:
        raise DataError(
            f"{len(lost)} vignettes of the run have no released norm, such as {lost[0]}"
        )
    pairs = mine[[*RELEASED_AS]].join(theirs[[*RELEASED_AS.values()]])
    # no norm equals nothing, not even itself
    pairs = pairs.astype(float).fillna(float("inf"))
    differing = sum(int((pairs[one] != pairs[other]).sum()) for one, other in RELEASED_AS.items())
    return Held(len(norms) * len(RELEASED_AS), differing)
